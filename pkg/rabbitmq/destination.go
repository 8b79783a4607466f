package rabbitmq

import "strings"

// everybody is the destination that matches every instance.
const everybody = "**"

// addressed reports whether an event for destination is meant for the instance
// whose bus id is id. It decides as Spring Cloud Bus does: an Ant pattern whose
// separator is ":", compared with id as it is and, where id names several
// profiles ("app:dev,cloud:8081:abc"), with id reduced to each one of them. A
// blank destination means everybody.
func addressed(destination, id string) bool {
	if strings.TrimSpace(destination) == "" || matchAnt(destination, id) {
		return true
	}
	parts := strings.Split(id, ":")
	if len(parts) < 2 || !strings.Contains(parts[1], ",") {
		return false
	}
	for _, profile := range strings.Split(parts[1], ",") {
		single := append([]string{parts[0], profile}, parts[2:]...)
		if profile != "" && matchAnt(destination, strings.Join(single, ":")) {
			return true
		}
	}
	return false
}

// matchAnt matches path against an Ant pattern, segment by segment: "**" stands
// for any number of segments, "*" for any text within one, "?" for one
// character. As in Ant, empty segments do not count, except that pattern and
// path must agree on a leading separator, and on a trailing one where the last
// segment of the pattern is not "**".
func matchAnt(pattern, path string) bool {
	if strings.HasPrefix(pattern, ":") != strings.HasPrefix(path, ":") {
		return false
	}
	patterns, segments := tokens(pattern), tokens(path)
	if endsOpen := len(patterns) > 0 && patterns[len(patterns)-1] == "**"; !endsOpen &&
		strings.HasSuffix(pattern, ":") != strings.HasSuffix(path, ":") {
		return false
	}
	return matchSegments(patterns, segments)
}

func tokens(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ':' })
}

// matchSegments and matchText are the same search, over segments and over
// characters: after a mismatch it goes back to the last wildcard and lets that
// one take one more. It needs no recursion, so that a hostile pattern costs
// pattern times path at worst.
func matchSegments(patterns, segments []string) bool {
	p, s := 0, 0
	wild, taken := -1, 0
	for s < len(segments) {
		switch {
		case p < len(patterns) && patterns[p] == "**":
			wild, taken = p, s
			p++
		case p < len(patterns) && matchText([]rune(patterns[p]), []rune(segments[s])):
			p++
			s++
		case wild >= 0:
			taken++
			p, s = wild+1, taken
		default:
			return false
		}
	}
	for p < len(patterns) && patterns[p] == "**" {
		p++
	}
	return p == len(patterns)
}

func matchText(pattern, text []rune) bool {
	p, s := 0, 0
	wild, taken := -1, 0
	for s < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			wild, taken = p, s
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[s]):
			p++
			s++
		case wild >= 0:
			taken++
			p, s = wild+1, taken
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
