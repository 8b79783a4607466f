package walkthrough

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says which line of the demo log a [Message] is.
type Kind uint8

// One kind for each function that makes a line. The zero Kind is no message.
const (
	KindNone Kind = iota
	KindResponse
	KindLateResponse
	KindDetected
	KindManual
	KindSwitching
	KindReceived
	KindRecovered
	KindReplayed
	KindReplayedNothing
	KindStartedAlone
	KindRescued
	KindBusLost
	KindBusConnected
	KindAsideResponse
	KindVoting
	KindRejoining
	KindPinned
	KindReleased
	kinds
)

// templates is the only place where the text of a line is written. {Name} is a
// field of Message; {^Name} is that field with its first letter in upper case.
var templates = [kinds]string{
	KindResponse:        "Response: {Animal}",
	KindLateResponse:    "LATE RESPONSE: {Animal} (asked before the switch)",
	KindDetected:        "EVENT: {^From} adapter {Cause} — broadcasting switch to {To}",
	KindManual:          "EVENT: Manual switch — broadcasting switch to {To}",
	KindSwitching:       "EVENT: Switching adapter from '{From}' to '{To}'",
	KindReceived:        "EVENT RECEIVED: Switch to '{To}'",
	KindRecovered:       "HEALTHCHECK: {^To} adapter responding again",
	KindReplayed:        "REPLAY: Cluster is on '{To}'",
	KindReplayedNothing: "REPLAY: No switch so far, starting on '{To}'",
	KindStartedAlone:    "BUS: Not reached, starting alone on '{To}'",
	KindRescued:         "RESCUE: Call in flight moved from '{From}' to '{To}'",
	KindBusLost:         "BUS: Connection lost, deciding alone",
	KindBusConnected:    "BUS: Connected",
	KindAsideResponse:   "ASIDE RESPONSE: {Animal} (from '{From}', for this call alone)",
	KindVoting:          "EVENT: {^From} adapter {Cause} — voting for {To}, alone until the others agree",
	KindRejoining:       "HEALTHCHECK: {^To} adapter responding again, no longer alone",
	KindPinned:          "EVENT: Pinned on '{To}'",
	KindReleased:        "EVENT: No longer pinned on '{To}'",
}

// Message is one line of the demo log, taken apart. Fields that its kind does
// not have are empty. Names of adapters are in lower case at their start, as the
// log capitalises some of them.
type Message struct {
	Kind   Kind
	Animal string // what was answered
	Cause  string // why the detector left From
	From   string // the adapter that is left
	To     string // the adapter that is switched to, or in force
}

// String is the line, without a line end. The zero Message is the empty line.
func (m Message) String() string {
	if m.Kind >= kinds {
		return ""
	}
	return strings.NewReplacer(
		"{Animal}", m.Animal, "{Cause}", m.Cause,
		"{From}", m.From, "{^From}", capital(m.From),
		"{To}", m.To, "{^To}", capital(m.To),
	).Replace(templates[m.Kind])
}

// Parse takes a line of the demo log apart. The line is the message alone, with
// no prefix, colour or line end. Any line that [Message.String] would not give
// back to the letter is refused: false means "not a line of the walkthrough".
func Parse(line string) (Message, bool) {
	for kind, pattern := range patterns {
		groups := pattern.FindStringSubmatch(line)
		if groups == nil {
			continue
		}
		m := Message{Kind: kind}
		for i, name := range pattern.SubexpNames() {
			m.set(name, groups[i])
		}
		if m.String() == line {
			return m, true
		}
	}
	return Message{}, false
}

func (m *Message) set(field, value string) {
	switch field {
	case "Animal":
		m.Animal = value
	case "Cause":
		m.Cause = value
	case "From":
		m.From = small(value)
	case "To":
		m.To = small(value)
	}
}

var (
	patterns    = compile()
	placeholder = regexp.MustCompile(`\\\{(\\\^)?(\w+)\\\}`)
)

// compile turns each template into the expression that reads it back. No two of
// them match the same line.
func compile() map[Kind]*regexp.Regexp {
	all := make(map[Kind]*regexp.Regexp, kinds)
	for kind := KindNone + 1; kind < kinds; kind++ {
		quoted := regexp.QuoteMeta(templates[kind])
		all[kind] = regexp.MustCompile("^" + placeholder.ReplaceAllStringFunc(quoted, group) + "$")
	}
	return all
}

func group(quoted string) string {
	name := placeholder.FindStringSubmatch(quoted)[2]
	if name == "Cause" {
		return `(?P<Cause>\S.*)`
	}
	return "(?P<" + name + `>[^'\s]+)`
}

func capital(s string) string { return mapFirst(s, unicode.ToUpper) }
func small(s string) string   { return mapFirst(s, unicode.ToLower) }

func mapFirst(s string, change func(rune) rune) string {
	first, size := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError {
		return s
	}
	return string(change(first)) + s[size:]
}
