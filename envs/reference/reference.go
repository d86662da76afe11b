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
	"fmt"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/each"
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
	Candidates int       `param:"candidates" doc:"answers in one response: a multi-answer chain above 1" min:"1" max:"255"`
	Stops      bool      `param:"stops" doc:"fewer answers will do, and one of them may be named as final"`
	Weights    []float64 `param:"weights" doc:"of the reward components; none: w*, which the prompt does not state"`
}

// String is the canonical form, which Parse reads.
func (r *Reference) String() string {
	fields := append(r.settings(), changed(&r.Pose, &Pose{Candidates: 1})...)
	query := ""
	if len(fields) > 0 {
		query = "?" + strings.Join(fields, "&")
	}
	return fmt.Sprintf("%s/%s/%d%s", r.Env, r.Split, r.Index, query)
}

func (r *Reference) settings() []string {
	d, err := envs.Lookup(r.Env)
	if err != nil {
		return nil // of a reference that no Parse made
	}
	return changed(r.Config, d.Default())
}

// changed lists the fields that differ from their defaults, as name=value.
func changed(values, defaults any) (out []string) {
	usual := params.Fields(defaults)
	for i, field := range params.Fields(values) {
		if text := valueText(field.Value); text != valueText(usual[i].Value) {
			out = append(out, field.Name+"="+text)
		}
	}
	return out
}

// valueText writes a field's value as params.SetText reads it.
func valueText(value any) string {
	switch x := value.(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case []int:
		return joined(x)
	case []float64:
		return joined(x)
	case []string:
		return joined(x)
	}
	return fmt.Sprint(value)
}

func joined[T any](list []T) string {
	return strings.Join(each.Map(list, func(x T) string { return valueText(x) }), ",")
}
