package metrics

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"slices"
	"testing"

	"modebench/envs"
)

// A share of the rollouts of a distribution gives an answer.
type answerShare struct{ p, correct float64 }

// held is maj@k and majority_share@k of a distribution.
func held(t testing.TB, answers []answerShare, abstained float64, k int) (maj, share float64) {
	t.Helper()
	b := ballot{abstained: abstained}
	for _, a := range answers {
		b.add(a.p, a.correct)
	}
	b.close()
	maj, share, ok := (&election{k: k}).hold(&b)
	if !ok {
		t.Fatalf("k %d of %d answers takes too much work", k, len(answers))
	}
	return maj, share
}

// allVotes is held by the definition: the mean over all sequences of k votes,
// in rationals.
func allVotes(answers []answerShare, abstained float64, k int) (maj, share float64) {
	chance := []*big.Rat{new(big.Rat).SetFloat64(abstained)}
	total := new(big.Rat).Set(chance[0])
	right := make([]*big.Rat, len(answers))
	for i, a := range answers {
		p := new(big.Rat).SetFloat64(a.p)
		chance = append(chance, p)
		total.Add(total, p)
		right[i] = new(big.Rat).SetFloat64(a.correct)
		right[i].Quo(right[i], p)
	}
	win, most := new(big.Rat), new(big.Rat)
	var vote func(votes []int, p *big.Rat)
	vote = func(votes []int, p *big.Rat) {
		if len(votes) == k {
			w, highest := elect(votes, right)
			win.Add(win, w.Mul(w, p))
			most.Add(most, new(big.Rat).Mul(p, rat(highest, k)))
			return
		}
		for i, c := range chance {
			each := new(big.Rat).Mul(p, c)
			vote(append(votes[:len(votes):len(votes)], i-1), each.Quo(each, total))
		}
	}
	vote(nil, rat(1, 1))
	maj, _ = win.Float64()
	share, _ = most.Float64()
	return maj, share
}

func TestMajorityOfDistributions(t *testing.T) {
	for _, test := range []struct {
		reason    string
		answers   []answerShare
		abstained float64
	}{
		{"nobody answers", nil, 1},
		{"one answer for sure", []answerShare{{1, 1}}, 0},
		{"a coin", []answerShare{{0.5, 0.5}, {0.5, 0}}, 0},
		{"the minority is right", []answerShare{{0.25, 0.25}, {0.625, 0}}, 0.125},
		{"several are right, one in part", []answerShare{{0.25, 0.25}, {0.25, 0.0625}, {0.25, 0}}, 0.25},
		{"a rare correct answer keeps its digits", []answerShare{{1e-12, 1e-12}, {0.75, 0}}, 0.25 - 1e-12},
		{"rarer than what is negligible", []answerShare{{1e-25, 1e-25}, {0.5, 0}}, 0.5},
		{"nearly certain", []answerShare{{1 - 1e-12, 1 - 1e-12}, {1e-12, 0}}, 0},
		{"hardly anyone answers", []answerShare{{1e-13, 1e-13}, {1e-14, 0}}, 1},
		{"probabilities that do not add up to 1: the share of the total counts", []answerShare{{0.5, 0.5}, {0.25, 0}}, 0.2},
	} {
		for k := 1; k <= 6; k++ {
			maj, share := held(t, test.answers, test.abstained, k)
			wantMaj, wantShare := allVotes(test.answers, test.abstained, k)
			closeTo(t, fmt.Sprintf("%s: maj@%d", test.reason, k), maj, wantMaj, 3e-15)
			closeTo(t, fmt.Sprintf("%s: majority_share@%d", test.reason, k), share, wantShare, 3e-15)
		}
	}
}

// TestMajorityIsUnbiased: the estimates of all pools of 5, weighed with their
// probabilities, average to the distribution's value.
func TestMajorityIsUnbiased(t *testing.T) {
	answers := []answerShare{{0.5, 0.5}, {0.25, 0}, {0.125, 0}}
	chance := []float64{0.125, 0.5, 0.25, 0.125}
	const n = 5
	for k := 1; k <= n; k++ {
		meanMaj, meanShare := 0.0, 0.0
		for code := range 1 << (2 * n) {
			p, abstained, counts := 1.0, 0, make([]answerCount, 3)
			for i := range n {
				vote := code >> (2 * i) & 3
				p *= chance[vote]
				if vote == 0 {
					abstained++
				} else {
					counts[vote-1].Count++
				}
			}
			counts[0].Correct = counts[0].Count
			maj, share, err := majorityAtK(counts, abstained, k)
			if err != nil {
				t.Fatal(err)
			}
			meanMaj += p * maj
			meanShare += p * share
		}
		maj, share := held(t, answers, 0.125, k)
		near(t, fmt.Sprint("maj@", k), meanMaj, maj, 1e-14)
		near(t, fmt.Sprint("majority_share@", k), meanShare, share, 1e-14)
	}
}

// TestPoolsTendToTheirDistribution: among very many rollouts, drawing without
// replacement differs from independent draws by about k^2/n.
func TestPoolsTendToTheirDistribution(t *testing.T) {
	answers := []answerShare{{0.375, 0.375}, {0.25, 0}, {0.25, 0.125}}
	for _, k := range []int{2, 5, 16, 33} {
		maj, share := held(t, answers, 0.125, k)
		previous := 1.0
		for _, n := range []int{1 << 10, 1 << 14, 1 << 18} {
			var counts []answerCount
			for _, a := range answers {
				counts = append(counts, answerCount{int(a.p * float64(n)), int(a.correct * float64(n))})
			}
			pooled, pooledShare, err := majorityAtK(counts, n/8, k)
			if err != nil {
				t.Fatal(err)
			}
			far := math.Abs(pooled-maj) + math.Abs(pooledShare-share)
			if far > float64(k*k)/float64(n) || far > previous {
				t.Errorf("k %d, n %d: %v and %v, in the limit %v and %v", k, n, pooled, pooledShare, maj, share)
			}
			previous = far
		}
	}
}

// slowDistribution is held by truncated exponentials of 300 bits, an answer at a time,
// with nothing lumped together.
func slowDistribution(answers []answerShare, k int) (maj, share float64) {
	const bits = 300
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	row := func(p float64, m int) []*big.Float { // (k p)^j / j!
		out := []*big.Float{number(1)}
		for j := 1; j <= m; j++ {
			next := new(big.Float).Mul(out[j-1], number(p))
			next.Mul(next, number(float64(k)))
			out = append(out, next.Quo(next, number(float64(j))))
		}
		return out
	}
	total := number(0)
	for _, a := range answers {
		total.Add(total, number(a.p))
	}
	kk, all := number(float64(k)), number(1) // (k total)^k / k!
	for j := 1; j <= k; j++ {
		all.Mul(all, total).Mul(all, kk).Quo(all, number(float64(j)))
	}
	win, most := number(0), number(0)
	for m := 1; m <= k; m++ {
		// ways[ties][votes] of all answers, and the same times the sum of right.
		ways := make([][2][]*big.Float, k/m+1)
		for t := range ways {
			for i := range ways[t] {
				ways[t][i] = make([]*big.Float, k+1)
				for d := range ways[t][i] {
					ways[t][i][d] = number(0)
				}
			}
		}
		ways[0][0][0].SetInt64(1)
		for _, a := range answers {
			factors := row(a.p, m)
			right := number(a.correct / a.p)
			for t := len(ways) - 1; t >= 0; t-- {
				for d := k; d >= 0; d-- {
					for i := range 2 {
						sum := number(0)
						for j := 0; j < min(m, d+1); j++ {
							if w := ways[t][i][d-j]; w.Sign() != 0 {
								sum.Add(sum, new(big.Float).Mul(w, factors[j]))
							}
						}
						if t > 0 && d >= m {
							sum.Add(sum, new(big.Float).Mul(ways[t-1][i][d-m], factors[m]))
							if i == 1 && a.correct > 0 {
								extra := new(big.Float).Mul(ways[t-1][0][d-m], factors[m])
								sum.Add(sum, extra.Mul(extra, right))
							}
						}
						ways[t][i][d] = sum
					}
				}
			}
		}
		for t := 1; t < len(ways); t++ {
			win.Add(win, new(big.Float).Quo(ways[t][1][k], number(float64(t))))
			most.Add(most, new(big.Float).Mul(ways[t][0][k], number(float64(m))))
		}
	}
	maj, _ = win.Quo(win, all).Float64()
	share, _ = most.Quo(most, all.Mul(all, kk)).Float64()
	return maj, share
}

// zipf is n answers with probabilities in proportion to 1/rank, those of the given
// ranks correct.
func zipf(n int, correct ...int) []answerShare {
	answers, sum := make([]answerShare, n), 0.0
	for i := range answers {
		sum += 1 / float64(i+1)
	}
	for i := range answers {
		answers[i].p = 1 / float64(i+1) / sum
	}
	for _, i := range correct {
		answers[i].correct = answers[i].p
	}
	return answers
}

func TestMajorityAmongManyAnswers(t *testing.T) {
	for _, test := range []struct {
		reason  string
		answers []answerShare
		k       int
	}{
		{"a head and a long tail", zipf(60, 1), 16},
		{"several correct ones, tail included", zipf(20, 0, 7, 19), 24},
		{"answers that hardly anyone gives", append(zipf(3, 2), answerShare{1e-9, 1e-9}, answerShare{1e-4, 0}), 21},
		{"equal answers", slices.Repeat([]answerShare{{0.03125, 0}, {0.03125, 0.03125}}, 16), 20},
	} {
		maj, share := held(t, test.answers, 0, test.k)
		wantMaj, wantShare := slowDistribution(test.answers, test.k)
		closeTo(t, test.reason+": maj", maj, wantMaj, 1e-13)
		closeTo(t, test.reason+": majority_share", share, wantShare, 1e-13)
	}
}

// TestMajorityAmongThousands: the chance that two draws agree is a short formula, and of three all,
// two or no draws agree.
func TestMajorityAmongThousands(t *testing.T) {
	answers := zipf(5000, 3)
	square, cube := 0.0, 0.0
	for _, a := range answers {
		square += a.p * a.p
		cube += a.p * a.p * a.p
	}
	p := answers[3].p
	maj, share := held(t, answers, 0, 2)
	closeTo(t, "maj@2", maj, p, 1e-12) // a tie goes to the one or the other
	closeTo(t, "majority_share@2", share, (1+square)/2, 1e-12)
	maj, share = held(t, answers, 0, 3)
	two := square - cube // and a third that differs: 3 orders
	closeTo(t, "majority_share@3", share, (1+3*two+2*cube)/3, 1e-12)
	// Correct: all three, two of them, or one of three different ones, drawn.
	withIt := 3 * p * (1 - 2*p + 2*p*p - square)
	closeTo(t, "maj@3", maj, p*p*p+3*p*p*(1-p)+withIt/3, 1e-12)
}

// TestTooManyAnswersForTheWorkBound: metrics that take too much work are left out at that k alone.
func TestTooManyAnswersForTheWorkBound(t *testing.T) {
	var d Distribution
	for i := range 256 {
		v := &envs.Verdict{Answer: fmt.Sprint(i), Correct: i == 0, Reward: []float64{0}}
		d.Outcomes = append(d.Outcomes, Outcome{P: 1. / 256, Chain: []*envs.Verdict{v}})
	}
	d.Modes = -1
	o := Options{Weights: []float64{1}, K: []int{4, 4096}, Samples: 1, Answers: true, Measure: []string{MeasureVotes}}
	values, err := measure(o, func(t *Table) error { return t.AddExact(d) })
	got := byName(t, values, err)
	for name, want := range map[string]bool{"maj@4": true, "majority_share@4": true, "pass@4096": true, "maj@4096": false, "majority_share@4096": false} {
		if _, has := got[name]; has != want {
			t.Errorf("%s: measured is %t", name, has)
		}
	}
}

// TestMajorityBits pins the bits of votes in pools and distributions through a hash:
// they must not depend on GOAMD64 or on the architecture.
func TestMajorityBits(t *testing.T) {
	h := fnv.New64a()
	for i := range 20 {
		counts := []answerCount{{20 + i, 20 + i}, {30 - i, 0}, {7, i % 8}, {5, 0}, {2, 1}}
		maj, share, err := majorityAtKs(counts, i%3, []int{1, 2, 4, 8, 16, 32, 48})
		if err != nil {
			t.Fatal(err)
		}
		for j := range maj {
			fmt.Fprintf(h, "%x %x\n", math.Float64bits(maj[j]), math.Float64bits(share[j]))
		}
	}
	for _, k := range []int{1, 2, 3, 8, 31, 64} {
		maj, share := held(t, zipf(60, 1, 5), 0.0625, k)
		fmt.Fprintf(h, "%x %x\n", math.Float64bits(maj), math.Float64bits(share))
	}
	if got, want := h.Sum64(), uint64(0xd4d2c5df8c1fe4bf); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}
