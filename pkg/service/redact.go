package service

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const (
	hidden    = "***"
	longValue = 100
)

// A password may hold any character, even an unescaped slash, colon or at sign,
// and its URL may be malformed, so parsing is no help. What stands before the
// last at sign is hidden, and so is what follows a colon where a port would be.
var (
	userInfo = regexp.MustCompile(`(?s)^([A-Za-z0-9+.-]*://)?.*@`)
	noPort   = regexp.MustCompile(`(?s)^([A-Za-z0-9+.-]*://)?([^:/,]*):[0-9]*[^0-9/,].*`)
)

// show quotes a variable's value for an error, without credentials.
func (r rule) show(value string) string {
	switch {
	case strings.Contains(value, "@"):
		value = userInfo.ReplaceAllString(value, "${1}"+hidden+"@")
	case strings.Contains(r.text, "://"):
		value = noPort.ReplaceAllString(value, "${1}${2}:"+hidden)
	}
	if len(value) > longValue {
		value = value[:longValue] + "…"
	}
	return strconv.Quote(value)
}

// oneLine makes a text safe to print as one line: control characters, which may
// come from anywhere, are escaped.
func oneLine(text string) string {
	if !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	var line strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			escaped := strconv.QuoteRune(r)
			line.WriteString(escaped[1 : len(escaped)-1])
		} else {
			line.WriteRune(r)
		}
	}
	return line.String()
}
