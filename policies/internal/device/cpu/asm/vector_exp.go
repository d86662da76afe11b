package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// expConstants are the constants of exp, those that save most in a register first.
var expConstants = []string{"expRound", "one", "log2E", "expC6", "ln2Hi", "ln2Lo", "expC5", "expC4", "expC3", "expC2", "expScale"}

// exp makes vectors e^x, as exp of package cpu does, step by step for all of them: so that they
// fill one another's waits. bounded means that nothing is below expLow. The vectors are destroyed.
func (w *writer) exp(c map[string]operand.Op, bounded bool, xs ...reg.VecVirtual) []reg.VecVirtual {
	var scales, powers []reg.VecVirtual
	for _, x := range xs {
		var above reg.Register
		if !bounded {
			above = w.keepFrom(c["expLow"], x)
		}
		n, scale := w.copyOf(c["log2E"]), w.v()
		w.VFMADD213PS(c["expRound"], x, n)
		w.VPSLLD(operand.Imm(23), n, scale)
		if !bounded {
			w.keepPart(scale, above)
		}
		w.VSUBPS(c["expRound"], n, n)
		w.VFNMADD231PS(c["ln2Hi"], n, x)
		w.VFNMADD231PS(c["ln2Lo"], n, x)
		scales = append(scales, scale)
	}
	for range xs {
		powers = append(powers, w.copyOf(c["expC6"]))
	}
	for _, name := range []string{"expC5", "expC4", "expC3", "expC2", "one", "one"} {
		for v, x := range xs {
			w.VFMADD213PS(c[name], x, powers[v])
		}
	}
	for v, p := range powers {
		w.VMULPS(scales[v], p, p)
		w.VMULPS(c["expScale"], p, p)
	}
	return powers
}

// keepFrom sets elements below a bound to zero, and gives the mask of the others. The exponential
// of an element below expLow is zero, but to find that by multiplying takes a result so small that
// some processors stop for it.
func (w *writer) keepFrom(bound operand.Op, x reg.VecVirtual) reg.Register {
	const notLess = 5 // true of NaN
	var mask reg.Register = w.v()
	if w.lanes == 16 {
		mask = w.K()
	}
	w.VCMPPS(operand.Imm(notLess), bound, x, mask)
	w.keepPart(x, mask)
	return mask
}

// log is the natural logarithm of the first element of a register, as log of package
// cpu works it out.
func (w *writer) log(x reg.Register) reg.VecVirtual {
	bits, e, f := w.XMM(), w.XMM(), w.XMM()
	split := w.GP32()
	w.MOVL(operand.U32(w.pattern("logSplit")), split)
	w.VMOVD(split, bits)
	w.VPSUBD(bits, x, e)
	w.VPSRAD(operand.Imm(23), e, e)
	w.VPSLLD(operand.Imm(23), e, f)
	w.VPSUBD(f, x, f)
	w.VCVTDQ2PS(e, e)
	w.VSUBSS(w.memory("one"), f, f)
	q, t := w.XMM(), w.XMM()
	w.VMOVSS(w.memory("logC10"), q)
	for _, name := range []string{"logC9", "logC8", "logC7", "logC6", "logC5", "logC4", "logC3", "logC2"} {
		w.VFMADD213SS(w.memory(name), f, q)
	}
	w.VMULSS(f, f, t)
	w.VFMADD231SS(w.memory("ln2Lo"), e, f)
	w.VFMADD213SS(f, t, q)
	w.VFMADD231SS(w.memory("ln2Hi"), e, q)
	w.VSUBSS(x, x, t)
	w.VADDSS(t, q, q)
	return q
}
