// Package problem answers bad requests with problem documents (RFC 9457): what
// was wrong, in JSON, with the right status.
package problem

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// ContentType is the media type of a problem document.
const ContentType = "application/problem+json"

// Document is the body of an answer that reports a problem.
type Document struct {
	// Type is always "about:blank": the status says what kind of problem it is.
	Type string `json:"type"`
	// Title is the status in words.
	Title string `json:"title"`
	// Status repeats the HTTP status.
	Status int `json:"status"`
	// Detail says what was wrong with this request.
	Detail string `json:"detail"`
	// Instance is the path that was asked for.
	Instance string `json:"instance"`
}

// Write answers r with a problem document.
func Write(w http.ResponseWriter, r *http.Request, status int, detail string) {
	body, err := json.Marshal(Document{
		Type:     "about:blank",
		Title:    cmp.Or(http.StatusText(status), "Unnamed status"),
		Status:   status,
		Detail:   detail,
		Instance: r.URL.EscapedPath(),
	})
	if err != nil { // strings and a number always encode
		panic(err)
	}
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(append(body, '\n')) //nolint:errcheck // the caller left: nobody to tell
}

// Error is a request's error together with the status that answers it.
type Error struct {
	Status int
	Detail string
}

func (e *Error) Error() string { return e.Detail }

// Errorf makes an *Error.
func Errorf(status int, format string, args ...any) error {
	return &Error{Status: status, Detail: fmt.Sprintf(format, args...)}
}

// WriteError answers with the *Error in err's chain. Any other error is the
// service's own fault: a 500 that does not show it.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	if e, ok := errors.AsType[*Error](err); ok {
		Write(w, r, e.Status, e.Detail)
		return
	}
	Write(w, r, http.StatusInternalServerError, "unexpected error")
}
