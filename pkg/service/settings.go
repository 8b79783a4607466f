package service

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/caarlos0/env/v11"
)

// SettingsError says which variables of the environment are wrong and what they
// must be. Its message is one line, and shows no credentials.
type SettingsError struct {
	// Problems has one entry per bad variable, such as
	// `HEALTHY_FOR="abc": must be a duration above 0, such as 15s`.
	Problems []string
}

func (e *SettingsError) Error() string { return strings.Join(e.Problems, "; ") }

// Load reads the settings struct T from environ. Every field takes four tags:
//
//	HealthyFor time.Duration `env:"HEALTHY_FOR" envDefault:"15s" rule:"duration>0" help:"how long it answers"`
//
// The rule is one of the names below, or the allowed words with a bar between
// them, such as "demo|text|json". The same tags feed Settings.
//
//	duration>0   duration>=0   int>0   int>=0   fraction   port
//	url   amqp (with commas between several)   file   switch (on or off, a bool)   text
//
// A variable that is set to nothing counts as not set, because compose files
// pass on what the user left out as an empty value. A field without envDefault
// must be set; one whose default is empty may stay empty, whatever its rule.
//
// Fields that depend on each other are checked by a method Validate() error of
// *T, called once each field is right by itself. Embedded structs are read as if
// their fields were T's own. Every error is a *SettingsError. Load panics when T
// itself is wrong, so that the first test finds out.
func Load[T any](environ map[string]string) (T, error) {
	var settings, none T
	if err := checkFields(fieldsOf[T](), environ); err != nil {
		return none, err
	}
	options := env.Options{Environment: withoutEmpty(environ), FuncMap: parsers}
	if err := env.ParseWithOptions(&settings, options); err != nil {
		panic(fmt.Sprintf("service: %T has a field that can't hold what its rule allows", settings))
	}
	if v, ok := any(&settings).(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return none, &SettingsError{Problems: []string{oneLine(err.Error())}}
		}
	}
	return settings, nil
}

func checkFields(fields []field, environ map[string]string) error {
	var problems []string
	for _, f := range fields {
		if err, bad := errors.AsType[*SettingsError](f.check(f.value(environ))); bad {
			problems = append(problems, err.Problems...)
		}
	}
	if problems == nil {
		return nil
	}
	return &SettingsError{Problems: problems}
}

func withoutEmpty(environ map[string]string) map[string]string {
	given := make(map[string]string, len(environ))
	for name, value := range environ {
		if value != "" {
			given[name] = value
		}
	}
	return given
}

var parsers = map[reflect.Type]env.ParserFunc{
	reflect.TypeFor[bool](): func(word string) (any, error) { return word == "on", nil },
}

// Setting describes one environment variable of a service, for people.
type Setting struct {
	Name    string // the variable, such as HEALTHY_FOR
	Default string // empty when there is none
	Rule    string // what is allowed, such as "a duration above 0, such as 15s"
	Help    string // what it does
}

// Settings describes the fields of the settings struct T in their order, from
// the tags that Load reads.
func Settings[T any]() []Setting {
	var settings []Setting
	for _, f := range fieldsOf[T]() {
		settings = append(settings, f.Setting)
	}
	return settings
}
