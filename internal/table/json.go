package table

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// An Object is a JSON object with its members in order. Numbers that are not finite are null, at any
// depth, and a nil list is an empty one.
type Object []Member

// A Member of an Object is its name, a string, and its value.
type Member [2]any

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := writeObject(&b, o)
	return b.Bytes(), err
}

func writeObject(b *bytes.Buffer, o Object) error {
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(b, reflect.ValueOf(m[0])); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := writeJSON(b, reflect.ValueOf(m[1])); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func writeJSON(b *bytes.Buffer, v reflect.Value) error {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		b.WriteString("null")
		return nil
	}
	_, marshals := v.Interface().(json.Marshaler)
	switch {
	case v.Type() == reflect.TypeFor[Object]():
		return writeObject(b, v.Interface().(Object))
	case marshals:
	case v.Kind() == reflect.Float64 && !finite(v.Float()):
		b.WriteString("null")
		return nil
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, v.Index(i)); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v.Interface()); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line's end
	return nil
}
