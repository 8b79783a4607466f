package rabbitmq

import "strings"

// redacted is an error whose text holds no password.
type redacted struct {
	error
	text string
}

func (r redacted) Error() string { return r.text }
func (r redacted) Unwrap() error { return r.error }

// redact takes b's password out of err's text, wherever a library or the broker
// may have put it. What err wraps can still be matched.
func redact(err error, b broker) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(err.Error(), b.url, "(broker URL)")
	// A very short password is not worth hiding, and would take letters out of
	// every word.
	if password := b.uri.Password; len(password) > 3 {
		text = strings.ReplaceAll(text, password, "xxxxx")
	}
	return redacted{err, text}
}
