// Package reference names problems. A reference is a text that identifies a problem
// completely: its number, the settings of its environment, and how it is posed.
//
//	countdown/train/17
//	countdown/train/17?numbers=5&env_seed=3
//	maze/test/0?slack=11&candidates=3&stops=true
//	maze/test/0?weights=0.5,0.5,0,0
//
// After the question mark come the fields of the environment that differ from their
// defaults, in the order in which the environment declares them, and then how the problem
// is posed: candidates, stops and weights, as the flags of bench env. So a problem has one
// canonical reference. Nothing is escaped, since no value of a field has a & in it.
package reference

import (
	"bytes"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
)

// A Reference names a problem and how it is posed.
type Reference struct {
	Env    string
	Config envs.Config // the environment's settings
	Split  envs.Split
	Index  int // from 0
	Pose
}

// A Pose is the form in which a problem is posed.
type Pose struct {
	Candidates int       // answers in one response, from 1: a multi-answer chain above 1
	Stops      bool      // fewer answers will do, and one of them may be named as final
	Weights    []float64 // of the reward components; nil: w*, which the prompt does not state
}

// String is the canonical form, which Parse reads.
func (r *Reference) String() string {
	return string(r.appendPose(r.appendSettings(r.appendName(nil))))
}

// appendName appends environment, split and index.
func (r *Reference) appendName(dst []byte) []byte {
	dst = append(append(append(dst, r.Env...), '/'), r.Split...)
	return strconv.AppendInt(append(dst, '/'), int64(r.Index), 10)
}

// appendSettings appends the fields that differ from their defaults.
func (r *Reference) appendSettings(dst []byte) []byte {
	d, err := envs.Lookup(r.Env)
	if err != nil {
		return dst // of a reference that no Parse made
	}
	usual := params.Fields(d.Default())
	for i, field := range params.Fields(r.Config) {
		if text := valueText(field.Value); text != valueText(usual[i].Value) {
			dst = appendPair(dst, field.Name, text)
		}
	}
	return dst
}

func (r *Reference) appendPose(dst []byte) []byte {
	if r.Candidates > 1 {
		dst = appendPair(dst, candidatesField, strconv.Itoa(r.Candidates))
	}
	if r.Stops {
		dst = appendPair(dst, stopsField, "true")
	}
	if r.Weights != nil {
		dst = appendPair(dst, weightsField, valueText(r.Weights))
	}
	return dst
}

// appendPair appends a field to the query, and begins the query before the first field.
func appendPair(dst []byte, name, value string) []byte {
	mark := byte('&')
	if bytes.IndexByte(dst, '?') < 0 {
		mark = '?'
	}
	return append(append(append(append(dst, mark), name...), '='), value...)
}

// valueText writes a field's value as params.SetText reads it.
func valueText(value any) string {
	switch x := value.(type) {
	case bool:
		return strconv.FormatBool(x)
	case int:
		return strconv.Itoa(x)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return x
	case []int:
		return joined(x)
	case []float64:
		return joined(x)
	}
	return joined(value.([]string))
}

func joined[T any](list []T) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = valueText(x)
	}
	return strings.Join(words, ",")
}
