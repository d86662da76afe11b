package ptxcc

import (
	"fmt"
	"strings"

	"modebench/policies/internal/device/cuda/ptx"
)

// What operations are, as C++, by all of their name but the type: a, b and c are the
// operands, T the type, U the unsigned type of its width, W the type of twice its width,
// and N the width.
var (
	ofInts = map[string]string{
		"add":      "(U)a + (U)b",
		"sub":      "(U)a - (U)b",
		"neg":      "-(U)a",
		"abs":      "(T)a < 0 ? -(U)a : (U)a",
		"mul.lo":   "1u * (U)a * (U)b",
		"mul.wide": "(W)(T)a * (W)(T)b",
		"mul.hi":   "(W)(T)a * (W)(T)b >> N",
		"mad.lo":   "1u * (U)a * (U)b + (U)c",
		"mad.wide": "(W)(T)a * (W)(T)b + (W)c",
		"div":      "(T)a / (T)b",
		"rem":      "(T)a % (T)b",
		"min":      "(T)a < (T)b ? (T)a : (T)b",
		"max":      "(T)a > (T)b ? (T)a : (T)b",
		"and":      "(U)a & (U)b",
		"or":       "(U)a | (U)b",
		"xor":      "(U)a ^ (U)b",
		"not":      "~(U)a",
		"shl":      "shl<U>(a, b)",
		"shr":      "shr<T>(a, b)",
		"bfe":      "bits<T>(a, b, c)",
		"mov":      "a",
		"selp":     "c ? (U)a : (U)b",
	}
	ofFloats = map[string]string{
		"add.rn":  "as_float(a) + as_float(b)",
		"sub.rn":  "as_float(a) - as_float(b)",
		"mul.rn":  "as_float(a) * as_float(b)",
		"div.rn":  "as_float(a) / as_float(b)",
		"fma.rn":  "fmaf(as_float(a), as_float(b), as_float(c))",
		"rcp.rn":  "1.0f / as_float(a)",
		"sqrt.rn": "sqrtf(as_float(a))",
		"neg":     "negated(as_float(a))",
		"abs":     "absolute(as_float(a))",
		"mov":     "a",
		"selp":    "c ? as_float(a) : as_float(b)",
	}
	ofPredicates = map[string]string{
		"and": "a && b",
		"or":  "a || b",
		"xor": "a != b",
		"not": "!a",
		"mov": "a",
	}
	// Of all numbers; of floats none holds where an operand is NaN.
	comparisons = map[string]string{
		"eq": "a == b", "ne": "a < b || a > b", "lt": "a < b", "le": "a <= b", "gt": "a > b", "ge": "a >= b",
	}
	// Of unsigned ints.
	unsigned = map[string]string{"lo": "a < b", "ls": "a <= b", "hi": "a > b", "hs": "a >= b"}
	// Of floats: they hold where an operand is NaN.
	unordered = map[string]string{
		"equ": "!(a < b || a > b)", "neu": "!(a == b)", "ltu": "!(a >= b)", "leu": "!(a > b)", "gtu": "!(a <= b)", "geu": "!(a < b)",
		"num": "a == a && b == b", "nan": "a != a || b != b",
	}
)

// operation translates an instruction that computes the first of its operands from the
// others.
func operation(i *ptx.Instruction, args []string) (string, error) {
	switch i.Op[0] {
	case "bar", "shfl":
		return ofWarps(i, args)
	}
	typ, c := i.Type(), cType(i.Type())
	key := strings.Join(i.Op[:len(i.Op)-1], ".")
	var expression string
	switch {
	case i.Op[0] == "cvta" && typ == "u64":
		expression = "a" // memory of all kinds has addresses of its own
	case i.Op[0] == "cvt":
		return conversion(i, args)
	case i.Op[0] == "setp":
		expression = comparison(i, c)
	case typ == "pred":
		expression = ofPredicates[key]
	case typ == "f32":
		expression = ofFloats[key]
	case key == "selp" && ptx.Width(typ) == 32: // its operands may be registers of floats
		expression = "c ? as_bits(a) : as_bits(b)"
	case c != "" && ptx.Width(typ) > 8:
		expression = ofInts[key]
	}
	if expression == "" {
		return "", i.Errorf("this operation is not known here")
	}
	return assign(i, expression, args)
}

// comparison is that of a setp, of which only the plain form is known.
func comparison(i *ptx.Instruction, c string) string {
	if len(i.Op) != 3 || c == "" || ptx.Width(i.Type()) < 16 {
		return ""
	}
	expression := comparisons[i.Op[1]]
	if expression == "" && c == "float" {
		expression = unordered[i.Op[1]]
	}
	if expression == "" && c[0] == 'u' {
		expression = unsigned[i.Op[1]]
	}
	if c == "float" {
		c = "as_float"
	}
	return strings.NewReplacer("a", c+"(a)", "b", c+"(b)").Replace(expression)
}

// conversion translates between ints of any width, and of ints to floats, rounded to nearest.
func conversion(i *ptx.Instruction, args []string) (string, error) {
	from := cType(i.Type())
	to, ok := strings.CutSuffix(strings.TrimPrefix(i.Name(), "cvt."), "."+i.Type())
	if ok && from != "" && from != "float" {
		if to == "rn.f32" {
			return assign(i, "(float)("+from+")a", args)
		}
		if c := cType(to); c != "" && c != "float" {
			return assign(i, "("+c+")("+from+")a", args)
		}
	}
	return "", i.Errorf("this conversion is not known here")
}

// ofWarps translates what the threads of a warp do together.
func ofWarps(i *ptx.Instruction, args []string) (string, error) {
	if i.Name() == "bar.warp.sync" && len(args) == 1 {
		return fmt.Sprintf("shim_sync_warp(%s, %d);", args[0], i.Line), nil
	}
	lane, ok := map[string]string{
		"shfl.sync.bfly.b32": "shim_lane() ^ (uint32_t)b",
		"shfl.sync.idx.b32":  "(uint32_t)b",
	}[i.Name()]
	if !ok || len(args) != 5 {
		return "", i.Errorf("this operation is not known here")
	}
	if i.Args[3].Kind != ptx.Constant || i.Args[3].Bits != 31 {
		return "", i.Errorf("want the lanes of a whole warp, 31")
	}
	mask := args[4]
	return assign(i, fmt.Sprintf("shim_shuffle((unsigned)%s, as_bits(a), %s, %d)", mask, lane, i.Line), args)
}

// assign sets the first operand to an expression of the others.
func assign(i *ptx.Instruction, expression string, args []string) (string, error) {
	typ := i.Type()
	n, letter := ptx.Width(typ), "u"
	if typ[0] == 's' {
		letter = ""
	}
	wide := fmt.Sprintf("%sint%d_t", letter, 2*n)
	if n == 64 {
		wide = map[string]string{"u": "unsigned __int128", "": "__int128"}[letter]
	}
	put := map[string]string{
		"T": cType(typ), "U": fmt.Sprintf("uint%d_t", n), "W": wide, "N": fmt.Sprint(n),
	}
	most := 0
	for n, name := range []string{"a", "b", "c"} {
		if n+1 < len(args) {
			put[name] = args[n+1]
		}
		if word(expression, name) {
			most = n + 1
		}
	}
	if len(args) < most+1 || i.Args[0].Kind != ptx.Register {
		return "", i.Errorf("%d operands, want a register and %d", len(args), most)
	}
	return fmt.Sprintf("set(%s, %s);", args[0], replaceWords(expression, put)), nil
}

// word says whether a name stands in the text by itself.
func word(text, name string) bool { return replaceWords(text, map[string]string{name: "\x00"}) != text }

// replaceWords puts values in the places of names that stand by themselves.
func replaceWords(text string, values map[string]string) string {
	inWord := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	var out strings.Builder
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && inWord(text[end]) {
			end++
		}
		if value, ok := values[text[at:end]]; ok && end > at {
			out.WriteString(value)
		} else if end == at {
			out.WriteByte(text[at])
			end++
		} else {
			out.WriteString(text[at:end])
		}
		at = end
	}
	return out.String()
}
