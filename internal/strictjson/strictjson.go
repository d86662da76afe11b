// Package strictjson decodes JSON documents that people write: unknown fields, nulls among numbers
// and anything after the document are errors, and every error is one line that names the place.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"modebench/internal/visible"
)

// CheckSyntax reports text that is not exactly one JSON value.
func CheckSyntax(data []byte) error {
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return err
	}
	// Offset counts the bytes read, the offending one included; at the end of the text no byte is.
	end := max(0, int(syntax.Offset)-1)
	if strings.HasPrefix(syntax.Error(), "unexpected end") {
		end = len(data)
	}
	before := data[:end]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%d:%d: %s", line, column, OneLine(syntax.Error()))
}

// Decode decodes exactly one JSON value into v and names the path of a value that does not fit.
func Decode(data []byte, path string, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return locate(err, path)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return locate(errors.New("text after the end of the value"), path)
	}
	return nil
}

// locate words an error of encoding/json for people and writes the path first.
func locate(err error, path string) error {
	text := OneLine(strings.TrimPrefix(err.Error(), "json: "))
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		text = fmt.Sprintf("got %s, want %s", short(OneLine(mismatch.Value)), jsonKind(mismatch.Type))
		if mismatch.Field != "" {
			path = Join(path, visible.Text(mismatch.Field)) // which holds the names in maps
		}
	}
	if path == "" {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s", path, text)
}

// short cuts a number of very many digits, which an error would repeat.
func short(text string) string {
	if len(text) > 60 { // all of it is ASCII
		return text[:60] + "..."
	}
	return text
}

func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer >= 0"
	case reflect.Float32, reflect.Float64:
		return "a finite number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// Numbers returns the values, or an error where one is null. A nil list (an
// absent field) stays nil, an empty one stays empty.
func Numbers(from []*float64, path string) ([]float64, error) {
	if from == nil {
		return nil, nil
	}
	to := make([]float64, 0, len(from))
	for i, x := range from {
		if x == nil {
			return nil, fmt.Errorf("%s[%d]: got null, want a number", path, i)
		}
		to = append(to, *x)
	}
	return to, nil
}

// TextOrNull reads a text, and null as "". (encoding/json alone
// does not tell null from a field that is absent.)
func TextOrNull(data json.RawMessage, path string) (string, error) {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return "", fmt.Errorf("%s: got %s, want a string or null", path, OneLine(string(data)))
	}
	if text == nil {
		return "", nil
	}
	return *text, nil
}

// Join appends a field to a path; the outermost path is empty.
func Join(path, field string) string {
	return strings.TrimPrefix(path+"."+field, ".")
}

// OneLine joins the lines of a text that quotes its input.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

// CheckMembers reports what encoding/json lets pass without a word: a name that an object has
// twice, in any case of letters, of which the last would count, and a null, which would be
// zero, but in the members of these names, which are in lower case, and lists in them. The text
// is one JSON value (CheckSyntax).
func CheckMembers(data []byte, nullable ...string) error {
	w := walker{json.NewDecoder(bytes.NewReader(data)), nullable}
	w.decoder.UseNumber()
	return w.value("", false)
}

type walker struct {
	decoder  *json.Decoder
	nullable []string
}

func (w *walker) value(path string, nullable bool) error {
	token, err := w.decoder.Token()
	if err != nil {
		return locate(err, path)
	}
	switch token {
	case nil:
		if !nullable {
			return locate(errors.New("got null, want a value"), path)
		}
	case json.Delim('['):
		for i := 0; w.decoder.More(); i++ {
			if err := w.value(fmt.Sprintf("%s[%d]", path, i), nullable); err != nil {
				return err
			}
		}
		_, err = w.decoder.Token()
	case json.Delim('{'):
		known := map[string]bool{}
		for w.decoder.More() {
			token, err := w.decoder.Token()
			if err != nil {
				return locate(err, path)
			}
			name := token.(string) // before a colon
			folded := strings.ToLower(name)
			if known[folded] {
				return locate(fmt.Errorf("the object has %q twice", name), path)
			}
			known[folded] = true
			if err := w.value(Join(path, visible.Text(name)), slices.Contains(w.nullable, folded)); err != nil {
				return err
			}
		}
		_, err = w.decoder.Token()
	}
	if err != nil {
		return locate(err, path)
	}
	return nil
}
