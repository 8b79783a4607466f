package rabbitmq

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/adapter-hotswap/adapter-hotswap-go/pkg/hotswap"
)

// jsonContent is the one AMQP property that a Spring Cloud Bus peer insists on.
const jsonContent = "application/json"

// errNotForUs says that a message is well-formed and none of an instance's
// business: an ack, a refresh, another service's event.
var errNotForUs = errors.New("not for this instance")

// malformed says why a message was dropped. Kind is one of a small set of words,
// Origin is the sender as far as the message told it.
type malformed struct {
	Kind   string
	Origin string
	Detail string
}

func (m *malformed) Error() string {
	return fmt.Sprintf("malformed message (%s) from %q: %s", m.Kind, m.Origin, m.Detail)
}

// decode reads the body of a message on the bus for the instance whose bus id is
// id. The error is errNotForUs or a *malformed.
func decode(contentType string, body []byte, id string) (hotswap.AdapterSwitchEvent, error) {
	fields, err := parse(contentType, body)
	if err != nil {
		return hotswap.AdapterSwitchEvent{}, err
	}
	var typeName string
	if err := fields.into("type", &typeName); err != nil || typeName == "" {
		return hotswap.AdapterSwitchEvent{}, fields.malformed("type", "no type")
	}
	kind, known := wireKinds[typeName]
	if !known {
		return hotswap.AdapterSwitchEvent{}, errNotForUs
	}
	m, err := fields.message()
	if err != nil {
		return hotswap.AdapterSwitchEvent{}, fields.malformed("field", err.Error())
	}
	if err := m.check(kind); err != nil {
		return hotswap.AdapterSwitchEvent{}, fields.malformed("value", err.Error())
	}
	if !addressed(m.Destination, id) {
		return hotswap.AdapterSwitchEvent{}, errNotForUs
	}
	return m.event(kind), nil
}

// fieldsOf holds a body by field name. Unlike decoding into a struct, it tells
// "targetAdapter" from "TargetAdapter", as Java does.
type fieldsOf map[string]json.RawMessage

func parse(contentType string, body []byte) (fieldsOf, error) {
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != jsonContent {
		return nil, &malformed{Kind: "content type", Detail: fmt.Sprintf("%.40q is not %s", contentType, jsonContent)}
	}
	if len(body) > maxBody {
		return nil, &malformed{Kind: "size", Detail: fmt.Sprintf("%d bytes", len(body))}
	}
	if !utf8.Valid(body) {
		return nil, &malformed{Kind: "encoding", Detail: "not UTF-8"}
	}
	var fields fieldsOf
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, &malformed{Kind: "json", Detail: err.Error()}
	}
	return fields, nil
}

func (f fieldsOf) malformed(kind, detail string) *malformed {
	var origin string
	_ = f.into("originService", &origin)
	return &malformed{Kind: kind, Origin: shorten(origin), Detail: detail}
}

// into reads one field. An absent one, and null, leave target as it is.
func (f fieldsOf) into(name string, target any) error {
	raw, ok := f[name]
	if !ok || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(raw, target); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (f fieldsOf) message() (message, error) {
	var m message
	err := cmp.Or(
		f.into("timestamp", &m.Timestamp),
		f.into("originService", &m.Origin),
		f.into("destinationService", &m.Destination),
		f.into("id", &m.ID),
		f.into("targetAdapter", &m.Target),
		f.into("after", &m.After),
		f.into("reason", &m.Reason),
		f.into("manual", &m.Manual),
		f.into("pinned", &m.Pinned),
		f.into("quorum", &m.Quorum),
		f.into("windowMs", &m.WindowMS),
		f.into("rampMs", &m.RampMS),
	)
	return m, err
}

// shorten makes a foreign text fit for a log.
func shorten(text string) string {
	const limit = 64
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
