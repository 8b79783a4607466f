package problem

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
)

// MaxBody is the most that Decode reads, in bytes.
const MaxBody = 16 << 10

// Decode reads a JSON object from the body of r. It is strict, so that a typing
// error is not taken for a default. Its error is an *Error, for WriteError:
//
//	415   the body is not declared as application/json in UTF-8
//	413   the body is larger than MaxBody
//	408   the body did not arrive before the read deadline of the connection
//	400   the body is empty, is no JSON, or goes on after the object
//	422   the object has an unknown field or a value of a wrong type
func Decode[T any](w http.ResponseWriter, r *http.Request) (T, error) {
	var none, value T
	if err := checkContentType(r.Header.Get("Content-Type")); err != nil {
		return none, err
	}
	body, err := readBody(w, r)
	if err != nil {
		return none, err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return none, explain(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return none, Errorf(http.StatusBadRequest, "the body goes on after its JSON object")
	}
	return value, nil
}

func checkContentType(header string) error {
	mediaType, params, err := mime.ParseMediaType(header)
	charset := params["charset"]
	if err == nil && mediaType == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	return Errorf(http.StatusUnsupportedMediaType, "Content-Type must be application/json, not %q", header)
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, Errorf(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", MaxBody)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, Errorf(http.StatusRequestTimeout, "the body did not arrive in time")
	}
	if err != nil {
		return nil, Errorf(http.StatusBadRequest, "the body could not be read: %v", err)
	}
	return checkObject(body)
}

// checkObject refuses what encoding/json would take for an empty object.
func checkObject(body []byte) ([]byte, error) {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return nil, Errorf(http.StatusBadRequest, "the body is empty: must be a JSON object")
	case body[0] != '{' && json.Valid(body):
		return nil, Errorf(http.StatusUnprocessableEntity, "the body must be a JSON object")
	}
	return body, nil
}

func explain(err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return Errorf(http.StatusBadRequest, "the body is no JSON: %v at byte %d", e, e.Offset)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Errorf(http.StatusBadRequest, "the body is no JSON: it ends too early")
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return Errorf(http.StatusUnprocessableEntity, "%s must be %s, not a %s", fieldName(e), typeName(e), e.Value)
	}
	return Errorf(http.StatusUnprocessableEntity, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

func fieldName(e *json.UnmarshalTypeError) string {
	if e.Field == "" {
		return "the body"
	}
	return fmt.Sprintf("field %q", e.Field)
}

// typeName says a Go type in the words of JSON.
func typeName(e *json.UnmarshalTypeError) string {
	switch kind := e.Type.Kind().String(); {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "struct", kind == "map":
		return "an object"
	default:
		return "a " + kind
	}
}
