package params

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// When returns the tag when of a knob: the conditions on other knobs under which it is read. ""
// is no condition.
func When(ptr any, name string) string {
	s, _ := find(ptr, name)
	return s.tag.Get("when")
}

// Unmet returns the first of some conditions that the knobs do not meet, and "" if they
// meet all. There is one condition or several between commas, and a condition is one
// comparison or several between bars, of which one has to hold:
//
//	start=zipf      the knob start is zipf, as text
//	alpha!=1        the knob alpha is another number than 1, or another text
//	components>1    the knob components is a number above 1
//	implicit<1      the knob implicit is a number below 1
//	train.group=1   the knob group of another struct, which parts has under train
//	beta>0|rho>0    one of the two is above 0
//
// parts are pointers to the structs of such knobs, nil for a part that is absent.
func Unmet(ptr any, conditions string, parts map[string]any) string {
	met := func(comparison string) bool { return meets(ptr, comparison, parts) }
	for condition := range strings.SplitSeq(conditions, ",") {
		if condition != "" && !slices.ContainsFunc(strings.Split(condition, "|"), met) {
			return condition
		}
	}
	return ""
}

// Comparison takes a comparison of a tag apart: alpha!=1 into alpha, != and 1. It panics at a
// malformed text: that is a mistake in the program.
func Comparison(text string) (field, operator, value string) {
	split := strings.IndexAny(text, "!=<>")
	if split < 0 {
		panic("params: bad condition in a tag: " + text)
	}
	field, operator, value = text[:split], text[split:split+1], text[split+1:]
	if operator == "!" {
		operator, value = "!=", strings.TrimPrefix(value, "=")
	}
	return field, operator, value
}

// meets panics at a comparison with an unknown field.
func meets(ptr any, comparison string, parts map[string]any) bool {
	field, operator, want := Comparison(comparison)
	if part, rest, foreign := strings.Cut(field, "."); foreign {
		ptr, field = parts[part], rest
	}
	var knob slot
	known := ptr != nil
	if known {
		knob, known = find(ptr, field)
	}
	if !known {
		panic("params: a condition in a tag is of an unknown field: " + comparison)
	}
	switch operator {
	case "=":
		return fmt.Sprint(knob.value.Interface()) == want
	case "!=":
		return fmt.Sprint(knob.value.Interface()) != want
	case "<":
		return number(knob.value) < mustFloat(want)
	}
	return number(knob.value) > mustFloat(want)
}

func number(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}
