package tabular_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/tabular"
)

// saved is a policy's checkpoint.
func saved(t testing.TB, p *tabular.Policy) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := p.Save(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// interpolated returns what a look at a policy finds while it is interpolated.
func interpolated[T any](t testing.TB, p *tabular.Policy, base policies.Reference, share float64, look func() T) T {
	t.Helper()
	undo, err := p.Interpolate(base, share)
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	return look()
}

// TestInterpolate: with share 0 a policy is the base to the bit, with share 1 itself, and afterwards it is
// itself and learns as if nothing had been. This holds from any reference, and after a load.
func TestInterpolate(t *testing.T) {
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	problems := []envs.Task{one, two}
	for _, sharing := range []string{"problem", "shared"} {
		for _, from := range []int{0, 5} {
			for _, load := range []bool{false, true} {
				learned := func(measure bool) []byte {
					p := tabular.New(tabular.Config{Sharing: sharing, Smoothing: 0.3}, sgd(1))
					train(t, p, problems, 0, from)
					look := func() [][]policies.Answer {
						return [][]policies.Answer{enumerate(t, p, one, plain(1)), enumerate(t, p, two, plain(1))}
					}
					base, then := p.Freeze(), look()
					train(t, p, problems, 50, 20)
					if load {
						if err := p.Load(bytes.NewReader(saved(t, p))); err != nil {
							t.Fatal(err)
						}
					}
					if measure {
						now := look()
						for share, want := range map[float64][][]policies.Answer{0: then, 1: now} {
							if got := interpolated(t, p, base, share, look); !cmp.Equal(got, want) {
								t.Errorf("sharing %s, share %v, from step %d, loaded %v: other probabilities", sharing, share, from, load)
							}
						}
						if got := interpolated(t, p, base, 0.5, look); cmp.Equal(got, then) || cmp.Equal(got, now) {
							t.Error("halfway it is one of the ends")
						}
						if got := look(); !cmp.Equal(got, now) {
							t.Errorf("sharing %s, from step %d, loaded %v: afterwards it is another", sharing, from, load)
						}
					}
					train(t, p, problems, 100, 5)
					return saved(t, p)
				}
				if !bytes.Equal(learned(true), learned(false)) {
					t.Errorf("sharing %s, from step %d, loaded %v: it learns otherwise after it was interpolated", sharing, from, load)
				}
			}
		}
	}
}

// TestInterpolateLogits: the distribution of a first token is the softmax of logits between those of the
// two policies: p is proportional to p0^(1-a) p1^a.
func TestInterpolateLogits(t *testing.T) {
	one := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", one)
	base := p.Freeze()
	first := func() []float64 {
		mass := make([]float64, 16)
		for _, a := range enumerate(t, p, one, plain(1)) {
			mass[a.Tokens[0]] += a.P
		}
		return mass
	}
	p0 := first()
	train(t, p, []envs.Task{one}, 100, 30)
	p1 := first()
	for i := range 20 {
		share := rng.New(8).Int(uint64(i)).Rand().Float64()
		got, sum := interpolated(t, p, base, share, first), 0.0
		var want []float64
		for j := range p0 {
			w := 0.0
			if p0[j] > 0 {
				w = math.Pow(p0[j], 1-share) * math.Pow(p1[j], share)
			}
			want, sum = append(want, w), sum+w
		}
		for j := range want {
			if math.Abs(got[j]-want[j]/sum) > 1e-12 {
				t.Fatalf("share %v: token %d has probability %v, want %v", share, j, got[j], want[j]/sum)
			}
		}
	}
	if slices.Equal(p0, p1) {
		t.Error("nothing was learned")
	}
}

// TestInterpolateForeign: another policy's reference is refused.
func TestInterpolateForeign(t *testing.T) {
	one := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", one)
	other, _ := grown(t, "problem", one)
	if _, err := p.Interpolate(other.Freeze(), 0.5); err == nil {
		t.Error("interpolated from what another policy has frozen")
	}
}
