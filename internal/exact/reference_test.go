package exact

import (
	"math"
	"math/big"
)

// refPrec is the working precision of the reference functions in bits. They
// share no code, table or coefficient with the package: they are series in
// math/big.
const refPrec = 320

var (
	refOne = newRef(1)
	refLn2 = new(big.Float).SetPrec(refPrec).Mul(newRef(2), refAtanh(new(big.Float).SetPrec(refPrec).Quo(newRef(1), newRef(3))))
)

func newRef(x float64) *big.Float {
	return new(big.Float).SetPrec(refPrec).SetFloat64(x)
}

// refAtanh sums s + s^3/3 + s^5/5 + ... until the terms vanish; |s| <= 1/3.
func refAtanh(s *big.Float) *big.Float {
	sum := newRef(0)
	if s.Sign() == 0 {
		return sum
	}
	square := newRef(0).Mul(s, s)
	power := newRef(0).Set(s)
	for n := 1; ; n += 2 {
		term := newRef(0).Quo(power, newRef(float64(n)))
		sum.Add(sum, term)
		if term.MantExp(nil) < sum.MantExp(nil)-refPrec {
			return sum
		}
		power.Mul(power, square)
	}
}

// refLog returns log(x) for x > 0.
func refLog(x *big.Float) *big.Float {
	m := newRef(0)
	e := x.MantExp(m)               // x = m * 2^e, 1/2 <= m < 1
	if m.Cmp(newRef(0.7071)) <= 0 { // keep arguments just above 1 at e = 0
		m.SetMantExp(m, 1)
		e--
	}
	s := newRef(0).Quo(newRef(0).Sub(m, refOne), newRef(0).Add(m, refOne))
	log := refAtanh(s)
	log.Mul(log, newRef(2))
	return log.Add(log, newRef(0).Mul(refLn2, newRef(float64(e))))
}

// refExp returns exp(x): Taylor series of x reduced by ln 2 and 2^-16, then
// repeated squaring.
func refExp(x *big.Float) *big.Float {
	approx, _ := x.Float64()
	k := math.Round(approx / math.Ln2)
	r := newRef(0).Sub(x, newRef(0).Mul(refLn2, newRef(k)))
	const halvings = 16
	r.SetMantExp(r, -halvings)
	sum, term := newRef(1), newRef(1)
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > -refPrec; n++ {
		term.Mul(term, r)
		term.Quo(term, newRef(float64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(k))
}

// refExpm1 returns exp(x)-1. Close to 0 it doubles the precision that the
// subtraction loses by summing the series itself.
func refExpm1(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return newRef(0)
	}
	if x.MantExp(nil) > -4 {
		return newRef(0).Sub(refExp(x), refOne)
	}
	sum, term := newRef(0), newRef(1)
	for n := 1; ; n++ {
		term.Mul(term, x)
		term.Quo(term, newRef(float64(n)))
		sum.Add(sum, term)
		if term.MantExp(nil) < sum.MantExp(nil)-refPrec {
			return sum
		}
	}
}

// refLog1p returns log(1+x) for x > -1; 1+x needs up to 1074 bits to be exact,
// so a tiny x goes through the series of atanh(x/(2+x)) directly.
func refLog1p(x *big.Float) *big.Float {
	if x.Sign() != 0 && x.MantExp(nil) < -8 {
		s := newRef(0).Quo(x, newRef(0).Add(newRef(2), x))
		log := refAtanh(s)
		return log.Mul(log, newRef(2))
	}
	return refLog(newRef(0).Add(refOne, x))
}

// ulpError returns |got - want| in units of the last place of want.
func ulpError(got float64, want *big.Float) float64 {
	if want.Sign() == 0 {
		if got == 0 {
			return 0
		}
		return math.Inf(1)
	}
	exp := max(want.MantExp(nil)-53, -1074)
	diff := newRef(0).Sub(newRef(got), want)
	diff.SetMantExp(diff, -exp)
	u, _ := diff.Float64()
	return math.Abs(u)
}
