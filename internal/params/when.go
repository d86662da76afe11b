package params

import (
	"fmt"
	"reflect"
	"strings"
)

// Unmet returns the first condition of a knob's tag when that the other knobs of the
// struct do not meet, as the tag has it: at their values nobody reads the knob. It
// returns "" where they meet all, and where there is none. A tag holds one condition or
// several between commas:
//
//	start=zipf      the knob start is zipf, as text
//	components>1    the knob components is a number above 1
//	implicit<1      the knob implicit is a number below 1
func Unmet(ptr any, name string) string {
	s, _ := find(ptr, name)
	for condition := range strings.SplitSeq(s.tag.Get("when"), ",") {
		if condition != "" && !meets(ptr, condition) {
			return condition
		}
	}
	return ""
}

// meets panics at a condition that is none: that is a mistake in the program.
func meets(ptr any, condition string) bool {
	at := strings.IndexAny(condition, "=<>")
	if at < 0 {
		panic("params: bad condition in a tag: " + condition)
	}
	other, known := find(ptr, condition[:at])
	if !known {
		panic("params: a condition in a tag is of an unknown field: " + condition)
	}
	want := condition[at+1:]
	if condition[at] == '=' {
		return fmt.Sprint(other.field.Value) == want
	}
	x := number(other.value)
	return condition[at] == '>' && x > mustFloat(want) || condition[at] == '<' && x < mustFloat(want)
}

// number is the value of a numeric knob.
func number(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}
