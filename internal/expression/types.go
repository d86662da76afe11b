package expression

import (
	"fmt"
	"math"
	"reflect"
)

var (
	intType    = reflect.TypeFor[int]()
	floatType  = reflect.TypeFor[float64]()
	boolType   = reflect.TypeFor[bool]()
	stringType = reflect.TypeFor[string]()
)

func isNumber(t reflect.Type) bool { return t == intType || t == floatType }

// typeText names a type in the language's words.
func typeText(t reflect.Type) string {
	switch {
	case t == nil || t.Kind() == reflect.Interface:
		return "something whose type is not known"
	case isNumber(t):
		return "a number"
	case t == boolType:
		return "a boolean"
	case t == stringType:
		return "a text"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Func:
		return "a function"
	}
	return "no number"
}

// undefined is an error of arithmetic: of these data, not of the expression.
type undefined string

func (u undefined) Error() string { return string(u) }

// finite returns x, or an error that names its source.
func finite(x float64, format string, args ...any) (any, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, undefined(fmt.Sprintf(format, args...) + fmt.Sprintf(" is %v", x))
	}
	return x, nil
}
