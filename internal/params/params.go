// Package params reads and writes the documented fields of a parameter struct: environments,
// methods, objectives, optimisers and experiments all declare their knobs once, as struct fields
// with tags, and get strict setting from TOML values or flag text, listings with defaults, and a
// canonical form from here.
//
//	type Config struct {
//		Modes int `param:"modes" doc:"number of modes K" min:"1"`
//	}
//
// Tags: param (the field's public name), doc (one line), min and max (inclusive
// bounds of numbers, for lists of each entry), choices (comma-separated values
// of a string), late (the field came after results were published, and at the value
// that the tag holds, as text, it changes nothing, so Values leaves it out and names made from
// Values stay the same), readers (comma-separated: the only readers of the field, in the words
// of the struct's package; without it any part may), when (conditions on other fields for it to
// be read at all; see When and Unmet). Fields without a param tag are ignored; embedded structs
// are flattened. Field types are bool, int, float64, string, []int, []float64 and []string.
package params

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"modebench/internal/each"
	"modebench/internal/nearest"
)

// A FieldError is a value that a knob does not take, alone or beside others.
type FieldError struct {
	Field string
	Err   error
}

func (e *FieldError) Error() string { return fmt.Sprintf("field %q: %v", e.Field, e.Err) }

// Unwrap gives what is wrong, without the field.
func (e *FieldError) Unwrap() error { return e.Err }

// Errorf makes a FieldError.
func Errorf(field, format string, args ...any) error {
	return &FieldError{field, fmt.Errorf(format, args...)}
}

// A Field describes one knob.
type Field struct {
	Name    string
	Doc     string
	Type    string   // "bool", "int", "float", "text", or "list of ..."
	Choices []string // like Readers shared by all who ask: not to be written to
	Readers []string // its only readers, by the tag; nil: any part
	Min     string   // inclusive bounds as in the tags; "": no bound
	Max     string
	Value   any // current value: in a fresh struct, the default
}

type knob struct {
	field Field // without its value
	index []int // of the field, for FieldByIndex
	tag   reflect.StructTag
}

// knobs are those of each type that has been asked about: a spec asks for every variant.
var knobs sync.Map // from reflect.Type to []knob

// knobsOf lists the tagged fields of a struct, outer ones first; they shadow embedded ones.
func knobsOf(t reflect.Type) []knob {
	if known, ok := knobs.Load(t); ok {
		return known.([]knob)
	}
	var out []knob
	found := map[string]bool{}
	var walk func(t reflect.Type, path []int)
	walk = func(t reflect.Type, path []int) {
		var embedded []int
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous && f.Type.Kind() == reflect.Struct {
				embedded = append(embedded, i)
				continue
			}
			name := f.Tag.Get("param")
			if name == "" || found[name] {
				continue
			}
			found[name] = true
			field := Field{Name: name, Doc: f.Tag.Get("doc"), Type: typeName(f.Type), Min: f.Tag.Get("min"), Max: f.Tag.Get("max")}
			if c := f.Tag.Get("choices"); c != "" {
				field.Choices = strings.Split(c, ",")
			}
			if d, ok := reflect.Zero(f.Type).Interface().(Describer); ok {
				field.Doc, field.Choices = d.Describe()
			}
			if r := f.Tag.Get("readers"); r != "" {
				field.Readers = strings.Split(r, ",")
			}
			out = append(out, knob{field, append(slices.Clone(path), i), f.Tag})
		}
		for _, i := range embedded {
			walk(t.Field(i).Type, append(slices.Clone(path), i))
		}
	}
	walk(t, nil)
	knobs.Store(t, out)
	return out
}

// A Describer is a type of fields that knows the doc and the choices of its fields, which tags then
// do not give.
type Describer interface {
	Describe() (doc string, choices []string)
}

type slot struct {
	knob
	value reflect.Value
}

func (s slot) described() Field {
	field := s.field
	field.Value = s.value.Interface()
	return field
}

func slots(ptr any) []slot {
	v := reflect.ValueOf(ptr)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("params: %T is not a pointer to a struct", ptr))
	}
	return each.Map(knobsOf(v.Elem().Type()), func(k knob) slot { return slot{k, v.Elem().FieldByIndex(k.index)} })
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.Int:
		return "int"
	case reflect.Float64:
		return "float"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "list of " + typeName(t.Elem())
	}
	panic("params: unsupported field type " + t.String())
}

// Fields lists the knobs of the struct ptr points to, in declaration order.
func Fields(ptr any) []Field {
	return each.Map(slots(ptr), func(s slot) Field { return s.described() })
}

// Names lists the names of the knobs, in declaration order.
func Names(ptr any) []string {
	return each.Map(slots(ptr), func(s slot) string { return s.field.Name })
}

// Lookup returns the knob of that name.
func Lookup(ptr any, name string) (Field, bool) {
	s, ok := find(ptr, name)
	if !ok {
		return Field{}, false
	}
	return s.described(), true
}

// Values returns every knob's current value by name: the canonical form of a
// parameter struct (encoding/json writes map keys in order). A late knob at the
// value that changes nothing is not listed.
func Values(ptr any) map[string]any {
	out := map[string]any{}
	for _, s := range slots(ptr) {
		value := s.value.Interface()
		if late, ok := s.tag.Lookup("late"); !ok || fmt.Sprint(value) != late {
			out[s.field.Name] = value
		}
	}
	return out
}

func find(ptr any, name string) (slot, bool) {
	all := slots(ptr)
	i := slices.IndexFunc(all, func(s slot) bool { return s.field.Name == name })
	if i < 0 {
		return slot{}, false
	}
	return all[i], true
}

// IsList reports whether the knob holds a list of values.
func (f Field) IsList() bool { return strings.HasPrefix(f.Type, "list of ") }

// Set sets one knob from a decoded value (bool, int64, float64, string or []any, as TOML and JSON
// decoders give them). An unknown name, a value of another type or one out of bounds is an error,
// and leaves the struct as it was.
func Set(ptr any, name string, value any) error {
	s, ok := find(ptr, name)
	if !ok {
		return unknown(ptr, name)
	}
	v := reflect.New(s.value.Type()).Elem()
	err := assign(v, value)
	if err == nil {
		err = s.check(v)
	}
	if err != nil {
		return Errorf(name, "%w, want %s", err, s.want())
	}
	s.value.Set(v)
	return nil
}

// Check returns an error that names the first knob with a value out of the bounds or choices of
// its tags, as Set does, for a struct that was filled in without Set.
func Check(ptr any) error {
	for _, s := range slots(ptr) {
		if err := s.check(s.value); err != nil {
			return Errorf(s.field.Name, "%w, want %s", err, s.want())
		}
	}
	return nil
}

// SetText sets one knob from flag text: "0.5", "true", "adam", "1,2,4".
func SetText(ptr any, name, text string) error {
	s, ok := find(ptr, name)
	if !ok {
		return unknown(ptr, name)
	}
	value, err := parse(s.value.Type(), text)
	if err != nil {
		return Errorf(name, "%q is not valid, want %s", text, s.want())
	}
	return Set(ptr, name, value)
}

// SetPair sets one knob from "name=value", as flags give it.
func SetPair(ptr any, pair string) error {
	name, text, ok := strings.Cut(pair, "=")
	if !ok {
		return fmt.Errorf("%q is not of the form key=value", pair)
	}
	return SetText(ptr, strings.TrimSpace(name), strings.TrimSpace(text))
}

func unknown(ptr any, name string) error {
	names := Names(ptr)
	if len(names) == 0 {
		return fmt.Errorf("unknown field %q; there are no fields to set here", name)
	}
	return fmt.Errorf("unknown field %q; %sknown fields: %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

func parse(t reflect.Type, text string) (any, error) {
	switch t.Kind() {
	case reflect.Bool:
		return strconv.ParseBool(text)
	case reflect.Int:
		return strconv.ParseInt(text, 10, 64)
	case reflect.Float64:
		return strconv.ParseFloat(text, 64)
	case reflect.String:
		return text, nil
	}
	var list []any
	for part := range strings.SplitSeq(text, ",") {
		v, err := parse(t.Elem(), strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// assign converts a decoded value; an integer is accepted for a float.
func assign(dst reflect.Value, value any) error {
	switch x := value.(type) {
	case int64:
		switch {
		case dst.Kind() == reflect.Float64:
			dst.SetFloat(float64(x))
			return nil
		case dst.Kind() == reflect.Int && !dst.OverflowInt(x):
			dst.SetInt(x)
			return nil
		}
	case []any:
		if dst.Kind() == reflect.Slice {
			list := reflect.MakeSlice(dst.Type(), len(x), len(x))
			for i, e := range x {
				if err := assign(list.Index(i), e); err != nil {
					return fmt.Errorf("entry %d: %w", i, err)
				}
			}
			dst.Set(list)
			return nil
		}
	case bool, float64, string:
		if v := reflect.ValueOf(x); v.Kind() == dst.Kind() {
			dst.Set(v.Convert(dst.Type()))
			return nil
		}
	}
	return fmt.Errorf("got %s", show(value))
}

func show(value any) string {
	if s, ok := value.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(value)
}

func (s slot) bounds() (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if s.field.Min != "" {
		lo = mustFloat(s.field.Min)
	}
	if s.field.Max != "" {
		hi = mustFloat(s.field.Max)
	}
	return lo, hi
}

func mustFloat(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("params: bad bound in a tag: " + text)
	}
	return x
}

func (s slot) check(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Int:
		return s.inBounds(float64(v.Int()))
	case reflect.Float64:
		return s.inBounds(v.Float())
	case reflect.String:
		if s.field.Choices != nil && !slices.Contains(s.field.Choices, v.String()) {
			return fmt.Errorf("got %q", v.String())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := s.check(v.Index(i)); err != nil {
				return fmt.Errorf("entry %d: %w", i, err)
			}
		}
	}
	return nil
}

func (s slot) inBounds(x float64) error {
	lo, hi := s.bounds()
	if math.IsNaN(x) || math.IsInf(x, 0) || x < lo || x > hi {
		return fmt.Errorf("got %s", plain(x))
	}
	return nil
}

// inWords are types as errors name them.
var inWords = map[string]string{"float": "a number", "list of int": "a list of whole numbers", "list of float": "a list of numbers"}

func (s slot) want() string {
	if s.field.Choices != nil {
		return "one of " + strings.Join(s.field.Choices, ", ")
	}
	words := s.field.Type
	if plain := inWords[words]; plain != "" {
		words = plain
	}
	lo, hi := s.bounds()
	switch {
	case !math.IsInf(lo, 0) && !math.IsInf(hi, 0):
		words += " from " + plain(lo) + " to " + plain(hi)
	case !math.IsInf(lo, 0):
		words += " >= " + plain(lo)
	case !math.IsInf(hi, 0):
		words += " <= " + plain(hi)
	}
	return words
}

// plain writes a bound as people write numbers: 1000000 and not 1e+06, but 1e-30.
func plain(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
