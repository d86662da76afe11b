package loss

import "modebench/internal/exact"

// VESPO's exponents k and rates lambda by the sign of the advantage (sec. 3.4), which the
// authors' code and TRL have alike.
const (
	gammaPowerPos, gammaRatePos = 2, 3
	gammaPowerNeg, gammaRateNeg = 3, 2
)

// leastProduct is the log of the least product of ratios that VESPO tells from 0.
var leastProduct = exact.Log(1e-8)

// gamma adds the policy term of VESPO (2602.10693):
//
//	-phi(W) A log pi with phi(W) = W^k e^(lambda (1 - W)), which has no gradient.
//
// W is the product of the ratios of the sequence's tokens. phi(1) = 1, and phi falls off on both
// sides of its peak at k / lambda: k, lambda = 2, 3 where A >= 0, else 3, 2. As in TRL
// (GRPOTrainer.get_gamma_weights) and the authors' code (FloyedShen/VESPO, recipe/vespo), log W is
// bounded at 20 above; below it is at log 1e-8, TRL's bound, where the code has -20 in one of its
// two places. Both average over all tokens of the batch. No weight is cut off: Clipped stays 0.
func (o *Function) gamma(t *Tokens, base float64, perLength bool) error {
	w := 0.0
	o.scores(t, base, perLength, func(s, k int) (float64, bool) {
		if k == t.Start[s] {
			w = phi(o.buffers.advantage[k], logProduct(t, s))
		}
		return w, false
	})
	return nil
}

func logProduct(t *Tokens, s int) float64 {
	sum := 0.0
	for k := t.Start[s]; k < t.Start[s+1]; k++ {
		sum += min(max(t.Logp[k]-t.Old[k], -maxLogRatio), maxLogRatio)
	}
	return sum
}

func phi(a, logW float64) float64 {
	power, rate := float64(gammaPowerPos), float64(gammaRatePos)
	if a < 0 {
		power, rate = gammaPowerNeg, gammaRateNeg
	}
	logW = min(max(logW, leastProduct), maxLogRatio)
	return exact.Exp(float64(power*logW) + float64(rate*(1-exact.Exp(logW))))
}
