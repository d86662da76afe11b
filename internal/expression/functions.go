package expression

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/builtin"

	"modebench/internal/exact"
)

// builtins are the functions of the language that expressions have: they read lists in
// order and give the same bits everywhere.
var builtins = []string{"all", "any", "none", "one", "filter", "map", "count", "len", "abs", "ceil", "floor", "round"}

// A Function is a function that expressions may call.
type Function struct {
	Name string
	Doc  string // its call and its result
}

// Functions lists the functions in the order of listings.
func Functions() []Function {
	return []Function{
		{"sum", "sum(list), of numbers or booleans; 0 for none"},
		{"mean", "mean(list)"},
		{"min", "min(list) or min(a, b, ...)"},
		{"max", "max(list) or max(a, b, ...)"},
		{"median", "median(list): the middle one, or the mean of the middle two"},
		{"std", "std(list): population deviation"},
		{"var", "var(list): population variance"},
		{"distinct", `distinct(list): how many different entries; "" (a degenerate mode, no answer) never counts`},
		{"same", `same(list, x): how many entries equal x; 0 for ""`},
		{"exp", "exp(x)"},
		{"log", "log(x), natural"},
		{"sqrt", "sqrt(x)"},
		{"pow", "pow(x, y), also x ^ y"},
		{"all", "all(list, predicate), where # is the entry: all(correct, #)"},
		{"any", "any(list, predicate)"},
		{"none", "none(list, predicate)"},
		{"one", "one(list, predicate): exactly one"},
		{"count", "count(list, predicate), or count(correct)"},
		{"filter", "filter(list, predicate)"},
		{"map", "map(list, expression): also map(mode, correct[#index] ? # : \"\")"},
		{"len", "len(list)"},
		{"abs", "abs(x)"},
		{"ceil", "ceil(x)"},
		{"floor", "floor(x)"},
		{"round", "round(x)"},
	}
}

// library is a program's own functions, with a buffer for the lists they look at.
type library struct {
	meterage
	buffer []float64
}

func (l *library) functions() []*builtin.Function {
	deviation := func(xs []float64) float64 { return math.Sqrt(variance(xs)) }
	return []*builtin.Function{
		l.onList("sum", func(xs []float64) (any, error) { return total(xs), nil }),
		l.onList("mean", func(xs []float64) (any, error) { return finite(mean(xs), "mean of %d numbers", len(xs)) }),
		l.onList("median", l.median),
		l.onList("var", func(xs []float64) (any, error) { return finite(variance(xs), "var of %d numbers", len(xs)) }),
		l.onList("std", func(xs []float64) (any, error) { return finite(deviation(xs), "std of %d numbers", len(xs)) }),
		l.best("min", func(a, b float64) bool { return a < b }),
		l.best("max", func(a, b float64) bool { return a > b }),
		{Name: "distinct", Validate: wantList("distinct", 1, intType), Func: l.metered(distinct)},
		{Name: "same", Validate: wantList("same", 2, intType), Func: l.metered(same)},
		{Name: counted, Func: l.metered(func(args ...any) (any, error) { return args[0], nil })},
		onNumbers("exp", 1, func(x, _ float64) (any, error) { return finite(exact.Exp(x), "exp(%v)", x) }),
		onNumbers("log", 1, func(x, _ float64) (any, error) { return finite(exact.Log(x), "log(%v)", x) }),
		onNumbers("sqrt", 1, func(x, _ float64) (any, error) { return finite(math.Sqrt(x), "sqrt(%v)", x) }),
		onNumbers("pow", 2, func(x, y float64) (any, error) { return finite(power(x, y), "%v to the power of %v", x, y) }),
		onNumbers("a / b", 2, func(x, y float64) (any, error) { return finite(x/y, "%v / %v", x, y) }),
		onNumbers("as float", 1, func(x, _ float64) (any, error) { return x, nil }),
		onInts("+", "overflows", func(a, b int) (int, bool) { c := a + b; return c, (c > a) == (b > 0) }),
		onInts("-", "overflows", func(a, b int) (int, bool) { c := a - b; return c, (c < a) == (b > 0) }),
		onInts("*", "overflows", func(a, b int) (int, bool) { c := a * b; return c, a == 0 || c/a == b && (a != -1 || b != math.MinInt) }),
		onInts("%", "is undefined", func(a, b int) (int, bool) {
			if b == 0 {
				return 0, false
			}
			return a % b, true
		}),
	}
}

// onList is a function of one list of numbers.
func (l *library) onList(name string, f func([]float64) (any, error)) *builtin.Function {
	return &builtin.Function{Name: name, Validate: wantNumbers(name), Func: l.metered(func(args ...any) (any, error) {
		xs, err := l.numbers(args[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return f(xs)
	})}
}

// best is an entry of a list, or of the arguments: the first that is better than all.
func (l *library) best(name string, better func(a, b float64) bool) *builtin.Function {
	validate := func(types []reflect.Type) (reflect.Type, error) {
		if len(types) > 1 {
			return wantScalars(name, len(types))(types)
		}
		return wantNumbers(name)(types)
	}
	return &builtin.Function{Name: name, Validate: validate, Func: l.metered(func(args ...any) (any, error) {
		var list any = args
		if len(args) == 1 {
			list = args[0]
		}
		xs, err := l.numbers(list)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(xs) == 0 {
			return nil, undefined(name + " of no numbers is undefined")
		}
		best := xs[0]
		for _, x := range xs[1:] {
			if better(x, best) {
				best = x
			}
		}
		return best, nil
	})}
}

// onNumbers is a function of one or two numbers.
func onNumbers(name string, count int, f func(x, y float64) (any, error)) *builtin.Function {
	return &builtin.Function{Name: name, Validate: wantScalars(name, count), Func: func(args ...any) (any, error) {
		var xs [2]float64
		for i, a := range args {
			x, ok := number(a)
			if !ok || i >= len(xs) {
				return nil, fmt.Errorf("%s of %s, want numbers", name, typeText(reflect.TypeOf(a)))
			}
			xs[i] = x
		}
		return f(xs[0], xs[1])
	}}
}

// onInts is an operator on integers that reports whether its result is right; the fault is why not.
// The rewriter has checked the operands.
func onInts(operator, fault string, f func(a, b int) (int, bool)) *builtin.Function {
	name, giveInt := "int "+operator, func([]reflect.Type) (reflect.Type, error) { return intType, nil }
	return &builtin.Function{Name: name, Validate: giveInt, Func: func(args ...any) (any, error) {
		a, b := args[0].(int), args[1].(int)
		c, ok := f(a, b)
		if !ok {
			return nil, undefined(fmt.Sprintf("%d %s %d %s", a, operator, b, fault))
		}
		return c, nil
	}}
}

func wantNumbers(name string) func([]reflect.Type) (reflect.Type, error) {
	return func(types []reflect.Type) (reflect.Type, error) {
		if _, err := wantList(name, 1, floatType)(types); err != nil {
			return nil, err
		}
		if e := types[0]; e.Kind() == reflect.Slice && e.Elem().Kind() != reflect.Interface && !isNumber(e.Elem()) && e.Elem() != boolType {
			return nil, fmt.Errorf("%s takes a list of numbers or booleans, got one of texts or lists", name)
		}
		return floatType, nil
	}
}

func wantList(name string, count int, result reflect.Type) func([]reflect.Type) (reflect.Type, error) {
	return func(types []reflect.Type) (reflect.Type, error) {
		if len(types) != count {
			return nil, fmt.Errorf("%s takes %d arguments, got %d", name, count, len(types))
		}
		if k := types[0].Kind(); k != reflect.Slice && k != reflect.Interface {
			return nil, fmt.Errorf("%s takes a list, got %s", name, typeText(types[0]))
		}
		return result, nil
	}
}

// wantScalars checks a call of a function of count numbers.
func wantScalars(name string, count int) func([]reflect.Type) (reflect.Type, error) {
	return func(types []reflect.Type) (reflect.Type, error) {
		if len(types) != count {
			return nil, fmt.Errorf("%s takes %d numbers, got %d", name, count, len(types))
		}
		for _, t := range types {
			if !isNumber(t) {
				return nil, fmt.Errorf("%s takes numbers, got %s", name, typeText(t))
			}
		}
		return floatType, nil
	}
}

func number(value any) (float64, bool) {
	switch x := value.(type) {
	case float64:
		return x, true
	case int:
		return float64(x), true
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// numbers are the entries of a list, in the program's buffer if they are not floats.
func (l *library) numbers(list any) ([]float64, error) {
	switch list := list.(type) {
	case []float64:
		return list, nil
	case []int:
		return fill(l, list)
	case []bool:
		return fill(l, list)
	case []any:
		return fill(l, list)
	}
	return nil, fmt.Errorf("got %s, want a list of numbers", typeText(reflect.TypeOf(list)))
}

func fill[T any](l *library, list []T) ([]float64, error) {
	l.buffer = l.buffer[:0]
	for i, entry := range list {
		x, ok := number(entry)
		if !ok {
			return nil, fmt.Errorf("entry %d is %s, want a number", i, typeText(reflect.TypeOf(entry)))
		}
		l.buffer = append(l.buffer, x)
	}
	return l.buffer, nil
}

func total(xs []float64) float64 {
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s
}

func mean(xs []float64) float64 { return total(xs) / float64(len(xs)) }

func variance(xs []float64) float64 {
	centre, s := mean(xs), 0.0
	for _, x := range xs {
		s += float64((x - centre) * (x - centre))
	}
	return s / float64(len(xs))
}

func (l *library) median(xs []float64) (any, error) {
	if len(xs) == 0 {
		return nil, undefined("median of no numbers is undefined")
	}
	l.buffer = append(l.buffer[:0], xs...)
	slices.Sort(l.buffer)
	half := len(xs) / 2
	if len(xs)%2 == 1 {
		return l.buffer[half], nil
	}
	return mean(l.buffer[half-1 : half+1]), nil
}

// power is x^y: by squaring for whole y, else exp(y log x), NaN for negative x.
func power(x, y float64) float64 {
	if y == math.Trunc(y) && math.Abs(y) <= 1<<31 {
		return exact.PowInt(x, int(y))
	}
	if x == 0 && y > 0 {
		return 0
	}
	return exact.Exp(float64(y * exact.Log(x)))
}

// few is the number of entries up to which comparing all of them is faster than a map.
const few = 32

// distinct counts the different entries but "".
func distinct(args ...any) (any, error) {
	switch list := args[0].(type) {
	case []string:
		return different(list), nil
	case []float64:
		return different(list), nil
	case []int:
		return different(list), nil
	case []bool:
		return different(list), nil
	case []any:
		for i, entry := range list {
			if _, ok := number(entry); !ok && reflect.TypeOf(entry) != stringType {
				return nil, fmt.Errorf("distinct: entry %d is %s, want a number, a boolean or a text", i, typeText(reflect.TypeOf(entry)))
			}
		}
		return different(list), nil
	}
	return nil, errors.New("distinct takes a list of texts, numbers or booleans")
}

func different[T comparable](list []T) int {
	if len(list) > few {
		found := make(map[T]struct{}, len(list))
		for _, entry := range list {
			if any(entry) != "" {
				found[entry] = struct{}{}
			}
		}
		return len(found)
	}
	n := 0
	for i, entry := range list {
		if any(entry) != "" && !slices.Contains(list[:i], entry) {
			n++
		}
	}
	return n
}

func count[T comparable](list []T, x T) (n int) {
	if any(x) == "" {
		return 0
	}
	for _, entry := range list {
		if entry == x {
			n++
		}
	}
	return n
}

// same counts the entries that equal x; "" equals nothing.
func same(args ...any) (any, error) {
	x, isNumber := number(args[1])
	switch list := args[0].(type) {
	case []any:
		return count(list, args[1]), nil
	case []string:
		if x, ok := args[1].(string); ok {
			return count(list, x), nil
		}
	case []bool:
		if x, ok := args[1].(bool); ok {
			return count(list, x), nil
		}
	case []float64:
		if isNumber {
			return count(list, x), nil
		}
	case []int:
		if whole := int(x); isNumber && float64(whole) == x {
			return count(list, whole), nil
		} else if isNumber {
			return 0, nil
		}
	}
	return nil, errors.New("same(list, x) takes a list and a value of its entries' type")
}
