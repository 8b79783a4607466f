package contract

import (
	"regexp"
	"strings"
)

// alone is the instance of a log without prefixes: the only one it can be about.
const alone = ""

var (
	colour    = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	prefix    = regexp.MustCompile(`^(\S+) *\| ?(.*)$`)
	timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d) `)
	exit      = regexp.MustCompile(`^(\S+) exited with code \d+$`)
)

// line is one line of a log, freed of what compose and terminals put around it.
type line struct {
	instance string // "hotswap-1"; alone where the log has no prefixes
	message  string // what the instance printed
	exited   bool   // compose says that the instance's process has ended
}

// splitter takes lines apart for one service.
type splitter struct {
	service string
	name    *regexp.Regexp
}

func newSplitter(service string) splitter {
	return splitter{
		service: service,
		name:    regexp.MustCompile(`^(?:.+[-_])?` + regexp.QuoteMeta(service) + `(?:-(\d+|more))?(?:[-_](\d+))?$`),
	}
}

// split reads the prefixes of compose ("hotswap-1-1  | ", version 1 "hotswap-1_1  | ",
// either with the project's name before it) and of the demo ("hotswap-1  | "),
// timestamps, colours and CRLF. false means that the line is of another service.
func (s splitter) split(raw string) (line, bool) {
	text := strings.TrimRight(colour.ReplaceAllString(raw, ""), "\r\n")
	if m := exit.FindStringSubmatch(text); m != nil {
		instance, ok := s.instance(m[1])
		return line{instance: instance, exited: true}, ok
	}
	m := prefix.FindStringSubmatch(text)
	if m == nil {
		return line{instance: alone, message: text}, true
	}
	instance, ok := s.instance(m[1])
	return line{instance: instance, message: timestamp.ReplaceAllString(m[2], "")}, ok
}

// instance is the container's name for people: the first of hotswap-1 is
// hotswap-1, the second of hotswap-more is hotswap-more-2, and where one service
// has all instances they are hotswap-1, hotswap-2 and so on.
func (s splitter) instance(container string) (string, bool) {
	m := s.name.FindStringSubmatch(container)
	if m == nil {
		return "", false
	}
	name, index := s.service, m[2]
	if m[1] != "" {
		name += "-" + m[1]
		if m[1] != "more" && index == "1" {
			index = ""
		}
	}
	if index != "" {
		name += "-" + index
	}
	return name, true
}
