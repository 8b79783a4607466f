package service

import (
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rule says which values a variable may have.
type rule struct {
	text   string // completes "must be …"
	allows func(value string) bool
}

var rules = map[string]rule{
	"duration>0":  {"a duration above 0, such as 15s", duration(func(d time.Duration) bool { return d > 0 })},
	"duration>=0": {"a duration of 0 or more, such as 500ms", duration(func(d time.Duration) bool { return d >= 0 })},
	"int>0":       {"a whole number above 0", whole(func(n int) bool { return n > 0 })},
	"int>=0":      {"a whole number of 0 or more", whole(func(n int) bool { return n >= 0 })},
	"port":        {"a port from 1 to 65535, or 0 for any free one", whole(func(n int) bool { return n >= 0 && n <= maxPort })},
	"fraction":    {"a number from 0 to 1, such as 0.25", isFraction},
	"switch":      {"on or off", oneOf("on", "off")},
	"url":         {"an http or https URL, such as http://primary:8080", isURL("http", "https")},
	"amqp":        {"amqp or amqps URLs with commas between them, such as amqp://user:password@rabbitmq:5672/", each(isURL("amqp", "amqps"))},
	"file":        {"the path of a file that exists", isFile},
	"text":        {"any text", func(string) bool { return true }},
}

// ruleNamed finds a rule by its tag, which may also be a list of words.
func ruleNamed(tag string) (rule, bool) {
	if words := strings.Split(tag, "|"); len(words) > 1 {
		last := len(words) - 1
		text := strings.Join(words[:last], ", ") + " or " + words[last]
		return rule{text, oneOf(words...)}, true
	}
	r, known := rules[tag]
	return r, known
}

const maxPort = 65535

func duration(ok func(time.Duration) bool) func(string) bool {
	return func(value string) bool {
		d, err := time.ParseDuration(value)
		return err == nil && ok(d)
	}
}

func whole(ok func(int) bool) func(string) bool {
	return func(value string) bool {
		n, err := strconv.Atoi(value)
		return err == nil && ok(n)
	}
}

// isFraction is written so that it refuses NaN.
func isFraction(value string) bool {
	n, err := strconv.ParseFloat(value, 64)
	return err == nil && n >= 0 && n <= 1
}

func oneOf(words ...string) func(string) bool {
	return func(value string) bool { return slices.Contains(words, value) }
}

func isURL(schemes ...string) func(string) bool {
	return func(value string) bool {
		u, err := url.Parse(value)
		if err != nil || !slices.Contains(schemes, u.Scheme) || u.Hostname() == "" || u.Fragment != "" {
			return false
		}
		return u.Port() == "" || whole(func(n int) bool { return n > 0 && n <= maxPort })(u.Port())
	}
}

func each(ok func(string) bool) func(string) bool {
	return func(list string) bool {
		return !slices.ContainsFunc(strings.Split(list, ","), func(item string) bool { return !ok(item) })
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
