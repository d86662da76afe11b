package spec

import (
	"fmt"
	"strings"
)

// This file reports the idle fields of a spec (idle.go): a list of several values for an idle
// field is a mistake, since rows would be labelled as if they differed; a single value gets a
// note.

// assess finds the fields that the variant sets in vain.
func (v *Variant) assess(p *Setup) {
	v.idle = map[*node]string{}
	for _, a := range v.set {
		v.idle[a.at] = p.idle(a.part, a.field)
	}
	if v.Trains && p.onPolicy() {
		v.unmoved = p.Method.Loss.Unmoved()
	}
}

// A setField is a field that the spec sets, over all variants.
type setField struct {
	assignment
	method string // name in the spec of the method that has the field; "": the spec's
	why    string // it is idle in every variant; "": in some it is not
}

// setFields lists the fields that the spec sets, in the order of its first variants.
func (s *Spec) setFields() []*setField {
	var out []*setField
	known := map[*node]*setField{}
	for _, v := range s.Variants {
		for _, a := range v.set {
			f := known[a.at]
			if f == nil {
				f = &setField{assignment: a, why: v.idle[a.at]}
				if strings.Contains(a.at.path, "method[") {
					f.method = v.Name
				}
				known[a.at] = f
				out = append(out, f)
			}
			if v.idle[a.at] == "" {
				f.why = ""
			}
		}
	}
	return out
}

// String is the field as notes call it.
func (f *setField) String() string {
	name := f.part + "." + f.field
	if f.part == "method" {
		name = f.field
	}
	if f.method != "" {
		name += fmt.Sprintf(" of %q", f.method)
	}
	return name
}

// heedIdle refuses idle fields of several values and notes those of a single value. An adapted
// spec was not written for its policy, so idle lists in it get a note too, unless they were set
// from outside.
func (d document) heedIdle(s *Spec) error {
	for _, f := range s.setFields() {
		switch {
		case f.why == "":
		case f.listed && (!d.adapted || f.at.from != nil):
			return d.errorf(f.at, "field %q: several values make no difference: %s; give it one value, or none", f.field, f.why)
		case f.why != onePerBatch: // of which there is one note for all
			s.Notes = append(s.Notes, fmt.Sprintf("%s makes no difference: %s", f, f.why))
		}
	}
	s.noteUnmoved()
	return nil
}

// mostNamed is how many methods a note names.
const mostNamed = 6

// noteUnmoved notes the fields of objectives that one update a batch leaves without effect.
func (s *Spec) noteUnmoved() {
	moved := map[string]bool{} // by one variant at least
	for _, v := range s.Variants {
		moved[v.Name] = moved[v.Name] || v.unmoved == nil
	}
	var fields, methods []string
	for _, v := range s.Variants {
		if !moved[v.Name] {
			methods, fields = append(methods, v.Name), append(fields, v.unmoved...)
		}
	}
	methods, fields = unique(methods), unique(fields)
	if len(methods) == 0 {
		return
	}
	in := fmt.Sprintf("%d methods", len(methods))
	if len(methods) <= mostNamed {
		in = `"` + strings.Join(methods, `", "`) + `"`
	}
	verb := "make"
	if len(fields) == 1 {
		verb = "makes"
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%s, so %s of %s %s no difference", onePerBatch, strings.Join(fields, ", "), in, verb))
}
