package ptxrun

import (
	"math"
	"math/bits"
	"strings"

	"modebench/policies/internal/device/cuda/ptx"
)

// operation is an instruction that computes the first of its operands from the others.
func (c *compiler) operation(i *ptx.Instruction, s step) (step, error) {
	unknown := i.Errorf("this operation is not known here")
	typ := i.Type()
	width := ptx.Width(typ)
	key := strings.Join(i.Op[:len(i.Op)-1], ".")
	args := i.Args
	wants := 0
	switch {
	case i.Name() == "bar.warp.sync" && len(args) == 1:
		s.kind = warpBarrier
		var err error
		s.a, err = c.operand(i, args[0], 32)
		return s, err
	case i.Op[0] == "shfl":
		return c.shuffle(i, s)
	case i.Name() == "mov.b64" && len(args) == 2 && args[1].Kind == ptx.Vector && len(args[1].Parts) == 2:
		args = append([]ptx.Operand{args[0]}, args[1].Parts...)
		s.compute, wants, width = func(a, b, _ uint64) uint64 { return a | b<<32 }, 2, 32
	case i.Name() == "mov.b64" && len(args) == 2 && args[0].Kind == ptx.Vector && len(args[0].Parts) == 2:
		args = []ptx.Operand{args[0].Parts[0], args[1], args[0].Parts[1]}
		s.kind, wants = halve, 2
	case i.Op[0] == "cvta" && typ == "u64":
		// Only shared memory has addresses of its own.
		by := map[string]uint64{"cvta.shared.u64": window, "cvta.to.shared.u64": 1<<64 - window}[i.Name()]
		s.compute, wants = func(a, _, _ uint64) uint64 { return a + by }, 1
	case i.Op[0] == "setp" && len(i.Op) == 3:
		s.compute, wants = comparison(i.Op[1], typ), 2
	case i.Op[0] == "cvt":
		s.compute, wants = conversion(i), 1
	case key == "selp" && width >= 16:
		s.kind, wants = choose, 3
	case key == "mov":
		s.compute, wants = func(a, _, _ uint64) uint64 { return cut(a, width) }, 1
	case typ == "pred":
		s.compute, wants = ofPredicates(key)
	case typ == "f32":
		s.compute, wants = ofFloats(key)
	case width >= 16 && strings.Contains("sub", typ[:1]):
		s.compute, wants = ofInts(key, width, typ[0] == 's')
	}
	if s.kind == 0 {
		s.kind = compute
		if s.compute == nil {
			return s, unknown
		}
	}
	if len(args) != wants+1 || args[0].Kind != ptx.Register {
		return s, i.Errorf("%d operands, want a register and %d", len(args), wants)
	}
	numbers := []*int32{&s.to, &s.a, &s.b, &s.c}
	var err error
	for n, o := range args {
		if *numbers[n], err = c.operand(i, o, width); err != nil {
			return s, err
		}
	}
	for n := len(args); n < len(numbers); n++ { // no register of its own, so one that is there
		*numbers[n] = s.a
	}
	return s, nil
}

// shuffle is an exchange within a warp.
func (c *compiler) shuffle(i *ptx.Instruction, s step) (step, error) {
	s.kind = shuffle
	switch i.Name() {
	case "shfl.sync.bfly.b32":
		s.compute = func(own, b, _ uint64) uint64 { return (own ^ b) % 32 }
	case "shfl.sync.idx.b32":
		s.compute = func(_, b, _ uint64) uint64 { return b % 32 }
	default:
		return s, i.Errorf("this operation is not known here")
	}
	if len(i.Args) != 5 || i.Args[3].Kind != ptx.Constant || i.Args[3].Bits != 31 {
		return s, i.Errorf("want five operands, and the lanes of a whole warp, 31")
	}
	var err error
	for n, to := range map[int]*int32{0: &s.to, 1: &s.a, 2: &s.b, 4: &s.c} {
		if *to, err = c.operand(i, i.Args[n], 32); err != nil {
			return s, err
		}
	}
	return s, nil
}

type function = func(a, b, c uint64) uint64

func ofPredicates(key string) (function, int) {
	switch key {
	case "and":
		return func(a, b, _ uint64) uint64 { return a & b }, 2
	case "or":
		return func(a, b, _ uint64) uint64 { return a | b }, 2
	case "xor":
		return func(a, b, _ uint64) uint64 { return a ^ b }, 2
	case "not":
		return func(a, _, _ uint64) uint64 { return a ^ 1 }, 1
	}
	return nil, 0
}

func ofFloats(key string) (function, int) {
	switch key {
	case "add.rn":
		return func(a, b, _ uint64) uint64 { return bitsOf(float(a) + float(b)) }, 2
	case "sub.rn":
		return func(a, b, _ uint64) uint64 { return bitsOf(float(a) - float(b)) }, 2
	case "mul.rn":
		return func(a, b, _ uint64) uint64 { return bitsOf(float32(float(a) * float(b))) }, 2
	case "div.rn":
		return func(a, b, _ uint64) uint64 { return bitsOf(float(a) / float(b)) }, 2
	case "rcp.rn":
		return func(a, _, _ uint64) uint64 { return bitsOf(1 / float(a)) }, 1
	case "sqrt.rn":
		return func(a, _, _ uint64) uint64 { return bitsOf(float32(math.Sqrt(float64(float(a))))) }, 1
	case "fma.rn":
		return func(a, b, c uint64) uint64 { return bitsOf(fma(float(a), float(b), float(c))) }, 3
	case "neg":
		return func(a, _, _ uint64) uint64 { return a ^ 1<<31 }, 1
	case "abs":
		return func(a, _, _ uint64) uint64 { return a &^ (1 << 31) }, 1
	}
	return nil, 0
}

// fma is a*b + c, rounded once. The product is exact in float64; the sum there is made odd
// in its last bit where it is not exact, which rounding it again to float32 does not undo
// (Boldo and Melquiond, 2008).
func fma(a, b, c float32) float32 {
	p, q := float64(float64(a)*float64(b)), float64(c)
	s := p + q
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	// Knuth's two-sum: exactly, p + q = s + rest.
	t := s - p
	rest := (p - (s - t)) + (q - t)
	if rest != 0 && math.Float64bits(s)&1 == 0 {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), rest))
	}
	return float32(s)
}

// ofInts gives an operation on ints of a width; results are cut to it.
func ofInts(key string, width int, isSigned bool) (function, int) {
	full := func(f function) function {
		return func(a, b, c uint64) uint64 { return cut(f(a, b, c), width) }
	}
	number := func(x uint64) int64 { return signed(x, width) }
	if !isSigned {
		number = func(x uint64) int64 { return int64(cut(x, width)) } // for less than 64 bits
	}
	less := func(a, b uint64) bool { return number(a) < number(b) }
	if !isSigned {
		less = func(a, b uint64) bool { return cut(a, width) < cut(b, width) }
	}
	switch key {
	case "add":
		return full(func(a, b, _ uint64) uint64 { return a + b }), 2
	case "sub":
		return full(func(a, b, _ uint64) uint64 { return a - b }), 2
	case "neg":
		return full(func(a, _, _ uint64) uint64 { return -a }), 1
	case "abs":
		return full(func(a, _, _ uint64) uint64 { return magnitude(number(a)) }), 1
	case "mul.lo":
		return full(func(a, b, _ uint64) uint64 { return a * b }), 2
	case "mad.lo":
		return full(func(a, b, c uint64) uint64 { return a*b + c }), 3
	case "mul.wide":
		return func(a, b, _ uint64) uint64 { return cut(uint64(number(a)*number(b)), 2*width) }, 2
	case "mad.wide":
		return func(a, b, c uint64) uint64 { return cut(uint64(number(a)*number(b))+c, 2*width) }, 3
	case "mul.hi":
		return highProduct(width, isSigned), 2
	case "min":
		return full(func(a, b, _ uint64) uint64 {
			if less(a, b) {
				return a
			}
			return b
		}), 2
	case "max":
		return full(func(a, b, _ uint64) uint64 {
			if less(a, b) {
				return b
			}
			return a
		}), 2
	case "and":
		return full(func(a, b, _ uint64) uint64 { return a & b }), 2
	case "or":
		return full(func(a, b, _ uint64) uint64 { return a | b }), 2
	case "xor":
		return full(func(a, b, _ uint64) uint64 { return a ^ b }), 2
	case "not":
		return full(func(a, _, _ uint64) uint64 { return ^a }), 1
	case "shl":
		return full(func(a, b, _ uint64) uint64 { return a << uint32(b) }), 2
	case "shr":
		if isSigned {
			return full(func(a, b, _ uint64) uint64 { return uint64(number(a) >> uint32(b)) }), 2
		}
		return func(a, b, _ uint64) uint64 { return cut(a, width) >> uint32(b) }, 2
	}
	return ofIntsAndMore(key, width, isSigned)
}

// ofIntsAndMore has quotients, which are zero for a divisor of zero, and fields of bits.
func ofIntsAndMore(key string, width int, isSigned bool) (function, int) {
	switch {
	case key == "div" && isSigned:
		return func(a, b, _ uint64) uint64 {
			if signed(b, width) == 0 {
				return 0
			}
			return cut(uint64(signed(a, width)/signed(b, width)), width)
		}, 2
	case key == "rem" && isSigned:
		return func(a, b, _ uint64) uint64 {
			if signed(b, width) == 0 {
				return 0
			}
			return cut(uint64(signed(a, width)%signed(b, width)), width)
		}, 2
	case key == "div":
		return func(a, b, _ uint64) uint64 { return cut(a, width) / max(cut(b, width), 1) }, 2
	case key == "rem":
		return func(a, b, _ uint64) uint64 { return cut(a, width) % max(cut(b, width), 1) }, 2
	case key == "bfe":
		return func(a, b, c uint64) uint64 {
			from, count := int(b&255), int(c&255)
			if count == 0 {
				return 0
			}
			whole := cut(a, width)
			if isSigned {
				whole = uint64(signed(a, width))
				if from+count > width || from >= width {
					return cut(uint64(int64(whole)>>from), width)
				}
				return cut(uint64(signed(whole>>from, count)), width)
			}
			return cut(whole>>from, count)
		}, 3
	}
	return nil, 0
}

// highProduct is the upper half of a product.
func highProduct(width int, isSigned bool) function {
	if width < 64 {
		return func(a, b, _ uint64) uint64 {
			if isSigned {
				return cut(uint64(signed(a, width)*signed(b, width)>>width), width)
			}
			return cut(a, width) * cut(b, width) >> width
		}
	}
	return func(a, b, _ uint64) uint64 {
		high, _ := bits.Mul64(a, b)
		if isSigned { // of two's complement
			high -= uint64(int64(a)>>63)&b + uint64(int64(b)>>63)&a
		}
		return high
	}
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// conversion is between ints of any width, or of an int to a float.
func conversion(i *ptx.Instruction) function {
	from := i.Type()
	to, ok := strings.CutSuffix(strings.TrimPrefix(i.Name(), "cvt."), "."+from)
	width := ptx.Width(from)
	if !ok || from[0] == 'f' || width < 8 {
		return nil
	}
	if to == "rn.f32" {
		if from[0] == 's' {
			return func(a, _, _ uint64) uint64 { return bitsOf(float32(signed(a, width))) }
		}
		return func(a, _, _ uint64) uint64 { return bitsOf(float32(cut(a, width))) }
	}
	wide := ptx.Width(to)
	if wide < 8 || to[0] == 'f' {
		return nil
	}
	if from[0] == 's' {
		return func(a, _, _ uint64) uint64 { return cut(uint64(signed(a, width)), wide) }
	}
	return func(a, _, _ uint64) uint64 { return cut(cut(a, width), wide) }
}

// comparison is that of a setp.
func comparison(name, typ string) function {
	width := ptx.Width(typ)
	if width < 16 {
		return nil
	}
	// What a comparison is true for: less, equal, greater, and, of floats, NaN.
	holds := map[string][4]bool{
		"lt": {true, false, false, false}, "le": {true, true, false, false}, "eq": {false, true, false, false},
		"gt": {false, false, true, false}, "ge": {false, true, true, false}, "ne": {true, false, true, false},
	}
	switch typ[0] {
	case 'f':
		for plain, is := range map[string][4]bool{"ltu": holds["lt"], "leu": holds["le"], "equ": holds["eq"], "gtu": holds["gt"], "geu": holds["ge"], "neu": holds["ne"]} {
			is[3] = true
			holds[plain] = is
		}
		holds["num"], holds["nan"] = [4]bool{true, true, true, false}, [4]bool{3: true}
	case 'u':
		holds["lo"], holds["ls"], holds["hi"], holds["hs"] = holds["lt"], holds["le"], holds["gt"], holds["ge"]
	}
	is, ok := holds[name]
	if !ok {
		return nil
	}
	return func(a, b, _ uint64) uint64 {
		var less, equal bool
		switch typ[0] {
		case 'f':
			x, y := float(a), float(b)
			if x != x || y != y {
				return truth(is[3])
			}
			less, equal = x < y, x == y
		case 's':
			less, equal = signed(a, width) < signed(b, width), cut(a, width) == cut(b, width)
		default:
			less, equal = cut(a, width) < cut(b, width), cut(a, width) == cut(b, width)
		}
		return truth(less && is[0] || equal && is[1] || !less && !equal && is[2])
	}
}
