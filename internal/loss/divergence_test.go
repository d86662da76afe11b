package loss

import (
	"math"
	"math/rand/v2"
	"testing"
)

// softmax is the logarithm of a softmax.
func softmax(z []float64) (logp []float64) {
	sum := 0.0
	for _, x := range z {
		sum += math.Exp(x)
	}
	for _, x := range z {
		logp = append(logp, x-math.Log(sum))
	}
	return logp
}

// of sums the parts of a divergence.
func of(d Divergence, logp, logq []float64) (sum float64) {
	for j := range logp {
		part, _ := d.Term(math.Exp(logp[j]), logp[j], logq[j])
		sum += part
	}
	return sum
}

// TestDivergences: the sums of Term are the divergences by their definitions, and its
// pushes make their gradients by central differences.
func TestDivergences(t *testing.T) {
	const h = 1e-5
	r := rand.New(rand.NewPCG(5, 30))
	kl := func(logp, logq []float64) (sum float64) {
		for j, l := range logp {
			sum += math.Exp(l) * (l - logq[j])
		}
		return sum
	}
	for range 50 {
		z, y := make([]float64, 7), make([]float64, 7)
		for j := range z {
			z[j], y[j] = 2*r.NormFloat64(), 2*r.NormFloat64()
		}
		logp, logq, logm := softmax(z), softmax(y), make([]float64, 7)
		for j := range logm {
			logm[j] = math.Log((math.Exp(logp[j]) + math.Exp(logq[j])) / 2)
		}
		for d, want := range map[Divergence]float64{Reverse: kl(logp, logq), Forward: kl(logq, logp), JensenShannon: (kl(logp, logm) + kl(logq, logm)) / 2} {
			if got := of(d, logp, logq); math.Abs(got-want) > 1e-13 || got <= 0 {
				t.Errorf("divergence %d is %v, want %v", d, got, want)
			}
			if got := of(d, logp, logp); math.Abs(got) > 1e-15 {
				t.Errorf("divergence %d from itself is %v", d, got)
			}
			total := 0.0
			for j := range z {
				_, push := d.Term(math.Exp(logp[j]), logp[j], logq[j])
				total += push
			}
			for j := range z {
				up, down := append([]float64(nil), z...), append([]float64(nil), z...)
				up[j] += h
				down[j] -= h
				want := (of(d, softmax(up), logq) - of(d, softmax(down), logq)) / (2 * h)
				_, push := d.Term(math.Exp(logp[j]), logp[j], logq[j])
				if got := push - math.Exp(logp[j])*total; math.Abs(got-want) > 1e-9 {
					t.Errorf("divergence %d: slope %d is %v, central difference %v", d, j, got, want)
				}
			}
		}
	}
}

// TestDivergencesOfWhatNeverHappens: a token of probability 0 on both sides is no part of
// any, and one of probability 0 on one side makes the Jensen-Shannon divergence log 2 / 2.
func TestDivergencesOfWhatNeverHappens(t *testing.T) {
	never := math.Inf(-1)
	for _, d := range []Divergence{Forward, JensenShannon} {
		if part, push := d.Term(0, never, never); part != 0 || push != 0 {
			t.Errorf("divergence %d: %v and %v of a token that never happens", d, part, push)
		}
	}
	here, _ := JensenShannon.Term(1, 0, never)
	there, _ := JensenShannon.Term(0, never, 0)
	if got := []float64{here, there}; math.Abs(got[0]-math.Ln2/2) > 1e-15 || got[0] != got[1] {
		t.Errorf("Jensen-Shannon parts %v, want log 2 / 2", got)
	}
}
