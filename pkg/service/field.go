package service

import (
	"fmt"
	"reflect"
)

// portVariable names the setting that a healthcheck and Listen's error refer to.
const portVariable = "PORT"

// field is one setting of a struct, as its tags describe it.
type field struct {
	Setting
	rule     rule
	required bool
}

func fieldsOf[T any]() []field { return appendFields(nil, reflect.TypeFor[T]()) }

func appendFields(fields []field, t reflect.Type) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			fields = appendFields(fields, f.Type)
			continue
		}
		name, tagged := f.Tag.Lookup("env")
		if !tagged {
			continue
		}
		fields = append(fields, newField(name, f))
	}
	return fields
}

func newField(name string, f reflect.StructField) field {
	rule, known := ruleNamed(f.Tag.Get("rule"))
	if !known || !f.IsExported() {
		panic(fmt.Sprintf("service: setting %s needs an exported field and a known rule, not %q", name, f.Tag.Get("rule")))
	}
	standard, optional := f.Tag.Lookup("envDefault")
	return field{
		Setting:  Setting{Name: name, Default: standard, Rule: rule.text, Help: f.Tag.Get("help")},
		rule:     rule,
		required: !optional,
	}
}

// value is what the environment says, or else the default.
func (f field) value(environ map[string]string) string {
	if value := environ[f.Name]; value != "" {
		return value
	}
	return f.Default
}

func (f field) check(value string) error {
	if value == "" && !f.required || value != "" && f.rule.allows(value) {
		return nil
	}
	return &SettingsError{Problems: []string{fmt.Sprintf("%s=%s: must be %s", f.Name, f.rule.show(value), f.rule.text)}}
}
