package coins

import (
	"slices"
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/rng"
)

// TestBase: the demonstrator is competent and diverse. Its pass@1 lies between 0.05 and
// 0.5, 64 of its answers nearly always hold a correct one, and they find most modes.
// The split ood is harder.
func TestBase(t *testing.T) {
	const problems, answers = 100, 64
	e := build(t, nil)
	before := 1.0
	for _, split := range []envs.Split{envs.Train, envs.OOD} {
		pass1, pass64, coverage := 0.0, 0.0, 0.0
		for i := range problems {
			p := envtest.Problem[*Problem](t, e, split, i)
			r, hits, found := rng.New(1).Int(uint64(i)).Rand(), 0, map[envs.Mode]bool{}
			for range answers {
				if v := p.Judge(p.Demonstrate(r)); v.Correct {
					hits++
					found[v.Mode] = true
				}
			}
			pass1 += float64(hits) / answers / problems
			pass64 += float64(min(hits, 1)) / problems
			coverage += float64(len(found)) / float64(len(p.Truth().Modes)) / problems
		}
		if pass1 < 0.05 || pass1 > 0.5 || pass1 >= before || pass64 < 0.95 || coverage < 0.3 || coverage > 0.9 {
			t.Errorf("%s: pass@1 %.3f, pass@64 %.3f, modes found %.3f", split, pass1, pass64, coverage)
		}
		before = pass1
	}
}

// TestLessons: each correct payment is drawn, about as often as any other.
func TestLessons(t *testing.T) {
	p := made(t)
	const draws = 9000
	counts, r := map[string]int{}, rng.New(2).Rand()
	for range draws {
		v := p.Judge(envs.DrawCorrect(nil, p.begin(), p.appendCounts, r.Int64N))
		if !v.Correct {
			t.Fatalf("a lesson is %+v", v)
		}
		counts[v.Variant]++
	}
	if len(counts) != 9 {
		t.Errorf("lessons are %v, want all of the 9 correct payments", counts)
	}
	for variant, n := range counts {
		if n < draws/9-150 || n > draws/9+150 {
			t.Errorf("%s is drawn %d times of %d, want about a ninth", variant, n, draws)
		}
	}
	if _, _, err := build(t, nil).Lesson(-1, 1, r); err == nil {
		t.Error("a lesson about no problem is no error")
	}
}

// TestPriorOfNoPrefix: there is no prior after illegal tokens, nor at the end.
func TestPriorOfNoPrefix(t *testing.T) {
	p := made(t)
	ten := p.currency.coin(p.coins[3])
	for _, prefix := range [][]envs.Token{{endToken}, {-1}, {ten, endToken}} {
		if got := p.AppendPrior([]float64{7}, prefix); !slices.Equal(got, []float64{7}) {
			t.Errorf("the prior after %v appends %v", prefix, got[1:])
		}
	}
}
