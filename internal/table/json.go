package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// An Object is a JSON object with its members in order. Numbers that are not finite are null, also in
// lists, and a nil list is an empty one.
type Object []Member

// A Member of an Object is its name, a string, and its value.
type Member [2]any

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false) // whoever asks for the object decides
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(m[0]); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(nullable(m[1])); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Without leaves out the named members that are zero.
func (o Object) Without(zero ...string) Object {
	return slices.DeleteFunc(o, func(m Member) bool { return slices.Contains(zero, m[0].(string)) && reflect.ValueOf(m[1]).IsZero() })
}

// nullable has nil in place of numbers that are not finite.
func nullable(value any) any {
	v := reflect.ValueOf(value)
	if _, marshals := value.(json.Marshaler); marshals {
		return value
	}
	switch v.Kind() {
	case reflect.Float64:
		if !finite(v.Float()) {
			return nil
		}
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = nullable(v.Index(i).Interface())
		}
		return list
	}
	return value
}

// Records is a table for programs: the names of the members of the first object, and the values of
// all. Numbers have six significant digits, and are empty if they are not finite.
func Records(rows []Object) Grid {
	g := make(Grid, 1+len(rows))
	for i, row := range rows {
		for _, m := range row {
			if i == 0 {
				g[0] = append(g[0], fmt.Sprint(m[0]))
			}
			text := fmt.Sprint(m[1])
			if x, ok := m[1].(float64); ok {
				if text = ""; finite(x) {
					text = fmt.Sprintf("%.6g", x)
				}
			}
			g[1+i] = append(g[1+i], text)
		}
	}
	return g
}
