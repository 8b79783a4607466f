package rabbitmq

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

const ownID = "hotswap:8082:60303ae22b998861bce3b28f33eec1be"

// valid is a minimal event; the malformed ones below differ from it in one
// place.
const valid = `{"type":"AdapterSwitchEvent","originService":"a:1:b","destinationService":"**","id":"1","targetAdapter":"x"}`

func with(old, new string) string {
	if !strings.Contains(valid, old) {
		panic(old)
	}
	return strings.Replace(valid, old, new, 1)
}

func TestDecodeMalformed(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	for name, test := range map[string]struct{ body, kind, origin string }{
		"empty":                {``, "json", ""},
		"no JSON":              {`hello`, "json", ""},
		"cut off":              {valid[:50], "json", ""},
		"two values":           {valid + valid, "json", ""},
		"an array":             {`[]`, "json", ""},
		"null":                 {`null`, "type", ""},
		"deep nesting":         {strings.Repeat("[", 20_000), "json", ""},
		"huge":                 {`{"type":"` + strings.Repeat("x", maxBody) + `"}`, "size", ""},
		"invalid UTF-8":        {with(`"x"`, "\"\xff\""), "encoding", ""},
		"no type":              {with(`"type"`, `"typ"`), "type", "a:1:b"},
		"type is a number":     {with(`"AdapterSwitchEvent"`, `7`), "type", "a:1:b"},
		"no id":                {with(`"id"`, `"x"`), "value", "a:1:b"},
		"no origin":            {with(`"originService"`, `"x"`), "value", ""},
		"no destination":       {with(`"destinationService"`, `"x"`), "value", "a:1:b"},
		"no target":            {with(`"targetAdapter"`, `"x"`), "value", "a:1:b"},
		"another case":         {with(`"targetAdapter"`, `"TargetAdapter"`), "value", "a:1:b"},
		"null target":          {with(`"x"`, `null`), "value", "a:1:b"},
		"target is an object":  {with(`"x"`, `{}`), "field", "a:1:b"},
		"long target":          {with(`"x"`, `"`+long+`"`), "value", "a:1:b"},
		"long id":              {with(`"1"`, `"`+long+`"`), "value", "a:1:b"},
		"long origin":          {with(`"a:1:b"`, `"`+long+`"`), "value", long[:64] + "…"},
		"long reason":          {with(`"id"`, `"reason":"`+strings.Repeat("x", maxReason+1)+`","id"`), "value", "a:1:b"},
		"line break in target": {with(`"x"`, `"x\nEVENT: forged"`), "value", "a:1:b"},
		"negative after":       {with(`"id"`, `"after":-1,"id"`), "field", "a:1:b"},
		"fraction after":       {with(`"id"`, `"after":1.5,"id"`), "field", "a:1:b"},
		"huge after":           {with(`"id"`, `"after":18446744073709551616,"id"`), "field", "a:1:b"},
		"negative quorum":      {with(`"id"`, `"quorum":-1,"id"`), "value", "a:1:b"},
		"huge quorum":          {with(`"id"`, `"quorum":10001,"id"`), "value", "a:1:b"},
		"negative window":      {with(`"id"`, `"windowMs":-1,"id"`), "value", "a:1:b"},
		"overflowing ramp":     {with(`"id"`, `"rampMs":9223372036854775807,"id"`), "value", "a:1:b"},
		"timestamp is text":    {with(`"id"`, `"timestamp":"now","id"`), "field", "a:1:b"},
		"huge timestamp":       {with(`"id"`, `"timestamp":1e30,"id"`), "field", "a:1:b"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode(jsonContent, []byte(test.body), ownID)
			var bad *malformed
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want a malformed message", err)
			}
			if bad.Kind != test.kind || bad.Origin != test.origin {
				t.Errorf("got kind %q, origin %q (%s); want %q, %q", bad.Kind, bad.Origin, bad.Detail, test.kind, test.origin)
			}
		})
	}
}

func TestDecodeContentType(t *testing.T) {
	for contentType, want := range map[string]bool{
		"application/json":                true,
		"application/json; charset=UTF-8": true,
		"Application/JSON":                true,
		"":                                false,
		"text/plain":                      false,
		"application/json;;":              false,
	} {
		_, err := decode(contentType, []byte(valid), ownID)
		if got := err == nil; got != want {
			t.Errorf("content type %q: %v", contentType, err)
		}
	}
}

// A foreign event may carry more, in any order; a repeated field counts the last
// time, as in Java.
func TestDecodeTolerates(t *testing.T) {
	body := `{"extra":{"deep":[1,2,{"targetAdapter":"y"}]},"id":"1","targetAdapter":"y","targetAdapter":"x",
		"destinationService":"hotswap:**","after":null,"originService":"a:1:b","type":"AdapterSwitchEvent"}`
	got, err := decode(jsonContent, []byte(body), ownID)
	want := hotswap.AdapterSwitchEvent{ID: "1", Origin: "a:1:b", Target: "x"}
	if err != nil || !sameEvent(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// Whatever encode lets pass, decode brings back unchanged.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := hotswap.AdapterSwitchEvent{
			ID:     rapid.String().Draw(t, "id"),
			Origin: rapid.String().Draw(t, "origin"),
			Kind:   hotswap.Kind(rapid.IntRange(0, 5).Draw(t, "kind")),
			Target: rapid.String().Draw(t, "target"),
			Time:   time.UnixMilli(rapid.Int64Range(1, 1<<45).Draw(t, "time")),
			After:  (*hotswap.Position)(rapid.Ptr(rapid.Uint64(), true).Draw(t, "after")),
			Reason: rapid.String().Draw(t, "reason"),
			Manual: rapid.Bool().Draw(t, "manual"),
			Pinned: rapid.Bool().Draw(t, "pinned"),
			Quorum: rapid.IntRange(-1, maxQuorum+1).Draw(t, "quorum"),
			Window: time.Duration(rapid.Int64Range(-1, 90_000_000).Draw(t, "window")) * time.Millisecond,
			Ramp:   time.Duration(rapid.Int64Range(-1, 90_000_000).Draw(t, "ramp")) * time.Millisecond,
		}
		body, err := encode(e)
		if err != nil {
			return
		}
		got, err := decode(jsonContent, body, ownID)
		if err != nil || !sameEvent(got, e) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, e)
		}
	})
}

// FuzzDecode looks for bodies that panic, and for ones that are let through and
// could not have been sent.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.message"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden messages to start from: %v", err)
	}
	for _, file := range files {
		f.Add(jsonContent, []byte(readGolden(f, strings.TrimSuffix(filepath.Base(file), ".message")).body))
	}
	f.Add("text/plain", []byte(valid))
	f.Add(jsonContent, []byte(with(`"id"`, `"after":-1,"id"`)))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		before := bytes.Clone(body)
		event, err := decode(contentType, body, ownID)
		if !bytes.Equal(body, before) {
			t.Error("the body was changed")
		}
		var bad *malformed
		switch {
		case errors.As(err, &bad):
			if bad.Kind == "" || len(bad.Origin) > 70 {
				t.Errorf("malformed without a kind, or with a long origin: %+v", bad)
			}
		case errors.Is(err, errNotForUs):
		case err != nil:
			t.Errorf("an error of another kind: %v", err)
		default:
			if _, err := encode(event); err != nil {
				t.Errorf("accepted what could not be sent: %v", err)
			}
		}
	})
}
