package all_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	_ "modebench/estimators/all"
	"modebench/estimators/loss"
	"modebench/internal/params"
)

func bitsBatch(seed uint64, chains bool, d int) *estimators.Batch {
	r := rand.New(rand.NewPCG(seed, 77))
	b := &estimators.Batch{Seed: seed, Step: 3, Weights: envs.UniformWeights(d), CandidateFields: envs.HasAll, RolloutFields: estimators.AllRolloutFields | estimators.AllTokenFields}
	for g := range 4 {
		grp := estimators.Group{Problem: fmt.Sprint("p", g), Greedy: float64(r.IntN(2))}
		if g == 2 && d > 1 {
			w := make([]float64, d)
			for i := range w {
				w[i] = r.Float64()
			}
			grp.Weights = w
		}
		n := 8
		if g == 3 {
			n = 5
		}
		for i := range n {
			ro := estimators.Rollout{Tokens: 1 + r.IntN(4), Train: !(g == 1 && i == 3), Penalty: 0, PerToken: &estimators.PerToken{}}
			m := 1
			if chains {
				m = 1 + r.IntN(3)
			}
			for range m {
				v := &envs.Verdict{Correct: r.IntN(2) == 0, Mode: envs.Mode(string(rune('A' + r.IntN(4)))), Answer: fmt.Sprint(r.IntN(4))}
				if r.IntN(7) == 0 {
					v.Mode = envs.Degenerate
				}
				for range d {
					x := float64(r.IntN(2))
					if seed%2 == 1 {
						x = math.Round(r.Float64()*1000) / 1000 * float64(1+r.IntN(3))
					}
					v.Reward = append(v.Reward, x)
				}
				e := make([]float32, 5)
				for k := range e {
					e[k] = float32(r.NormFloat64())
				}
				if r.IntN(9) > 0 {
					v.Embedding = e
				}
				ro.Candidates = append(ro.Candidates, v)
			}
			if r.IntN(3) > 0 {
				ro.Final = ro.Candidates[0].Answer
			}
			for range ro.Tokens {
				p := 0.05 + 0.9*r.Float64()
				ro.PerToken.Logprob = append(ro.PerToken.Logprob, math.Log(p))
				ro.PerToken.Reference = append(ro.PerToken.Reference, math.Log(p)-0.2*r.Float64())
				ro.PerToken.Entropy = append(ro.PerToken.Entropy, r.Float64())
				ro.PerToken.Squares = append(ro.PerToken.Squares, p*p+(1-p)*(1-p))
				ro.PerToken.Legal = append(ro.PerToken.Legal, []float64{p, 1 - p})
				ro.Logprob += math.Log(p)
				ro.Entropy += r.Float64()
			}
			grp.Rollouts = append(grp.Rollouts, ro)
		}
		b.Groups = append(b.Groups, grp)
	}
	return b
}

func sumBits(all [][]float64) string {
	h := fnv.New64a()
	for _, g := range all {
		for _, x := range g {
			fmt.Fprintf(h, "%x,", math.Float64bits(x))
		}
		fmt.Fprint(h, ";")
	}
	return fmt.Sprintf("%x", h.Sum64())
}

func TestBits(t *testing.T) {
	out, _ := os.Create(os.Getenv("BITS"))
	defer out.Close()
	for _, m := range estimators.Methods() {
		settings := []string{""}
		for _, f := range m.New().Fields() {
			vals := []string{}
			switch {
			case len(f.Choices) > 0:
				vals = f.Choices
			case f.Type == "int":
				vals = []string{"0", "1", "2", "5"}
			case f.Type == "float":
				vals = []string{"0", "0.3", "1", "2.5"}
			case f.Type == "bool":
				vals = []string{"true", "false"}
			}
			for _, v := range vals {
				settings = append(settings, f.Name+"="+v)
				if f.Name != "scale" && m.New().Estimator != nil {
					settings = append(settings, f.Name+"="+v+" scale=none", f.Name+"="+v+" singleton=raw")
				}
			}
		}
		fmt.Fprintf(out, "%s %+v %q %q %v %v %v %v %+v %+v\n", m.Name, m.Properties, m.Summary, m.Source, m.Trains, m.Candidates, m.Stops, m.Goals, m.Loss, m.Protocol)
		for _, s := range settings {
			i := m.New()
			bad := ""
			for _, pair := range strings.Fields(s) {
				if err := i.SetText(pair); err != nil {
					bad = "x"
				}
			}
			if bad != "" {
				continue
			}
			if err := i.Check(); err != nil {
				fmt.Fprintf(out, "%s %s CHECK %v\n", m.Name, s, err)
				continue
			}
			fmt.Fprintf(out, "%s %s REQ %+v\n", m.Name, s, i.Requirements())
			for _, f := range i.Fields() {
				if u := i.Unmet(f.Name, bitsParts()); u != "" {
					fmt.Fprintf(out, "%s %s UNMET %s %s\n", m.Name, s, f.Name, u)
				}
			}
			for seed := range uint64(2) {
				for _, d := range []int{1, 3} {
					b := bitsBatch(seed, i.Requirements().Chains, d)
					dst := estimators.NewAdvantages(b)
					err := i.Requirements().Check(b)
					if err == nil {
						err = i.Advantages(dst, b)
					}
					if err != nil {
						fmt.Fprintf(out, "%s %s %d %d ERR %v\n", m.Name, s, seed, d, err)
						continue
					}
					fmt.Fprintf(out, "%s %s %d %d %s\n", m.Name, s, seed, d, sumBits(dst))
					if i.PerToken() {
						tok, err := i.AllTokenAdvantages(b)
						for _, g := range tok {
							fmt.Fprintf(out, "tok %s %v\n", sumBits(g), err)
						}
					}
					i.Remember(b)
				}
			}
			b := bitsBatch(0, false, 1)
			var answers []*envs.Verdict
			for _, r := range b.Groups[0].Rollouts[:4] {
				answers = append(answers, r.Candidates[0])
			}
			for _, grp := range []int{1, 6} {
				tg, err := i.Target(estimators.TargetSetting{Group: grp, Candidates: 2, Weights: []float64{1}, Answers: answers})
				fmt.Fprintf(out, "%s %s TARGET %q %q %v", m.Name, s, tg.Name, tg.Why, err)
				for _, term := range tg.Terms {
					fmt.Fprintf(out, " %v %d %v", term.Weight, term.Draws, term.Scores)
					if term.Worth != nil {
						counts := []int{term.Draws, 0, 0, 0}
						if term.Draws > 2 {
							counts = []int{term.Draws - 2, 1, 1, 0}
						}
						w, err := term.Worth(counts)
						fmt.Fprintf(out, " worth %x %v", math.Float64bits(w), err)
					}
				}
				fmt.Fprintln(out)
			}
		}
	}
	// losses
	r := rand.New(rand.NewPCG(5, 5))
	known := map[loss.Function]bool{}
	for _, m := range estimators.Methods() {
		if known[m.Loss] {
			continue
		}
		known[m.Loss] = true
		i := m.New()
		for _, f := range loss0(i) {
			for _, v := range append([]string{"0", "0.2", "1.5", "3", "true"}, f.Choices...) {
				i := m.New()
				if i.SetText(f.Name+"="+v) != nil || i.Check() != nil {
					continue
				}
				o := i.Loss
				o.MaxTokens = 6
				tk := bitsTokens(r)
				for range 2 {
					err := o.Learn(tk)
					fmt.Fprintf(out, "LOSS %s %s=%s %x %d %d %v %s\n", m.Name, f.Name, v, math.Float64bits(tk.Loss), tk.Clipped, tk.Corrected, err, sumBits([][]float64{tk.DLogp, tk.DEntropy, tk.DKL, tk.DTop}))
					o.EndStep()
				}
				w, ok := o.Penalises()
				fmt.Fprintf(out, "%+v %v %+v %v %+v %x\n", w, ok, o.Want(), o.Unmoved(), o.State(), math.Float64bits(o.Penalty(tk, 1)))
				tk.TokenAdvantage = nil
				if o.CheckTokens() == nil {
					for range tk.Logp {
						tk.TokenAdvantage = append(tk.TokenAdvantage, r.NormFloat64())
					}
					err := o.Evaluate(tk)
					fmt.Fprintf(out, "TOKLOSS %x %d %v %s\n", math.Float64bits(tk.Loss), tk.Clipped, err, sumBits([][]float64{tk.DLogp}))
				}
			}
		}
	}
}

func bitsTokens(r *rand.Rand) *loss.Tokens {
	t := &loss.Tokens{}
	t.Start = []int{0}
	for s := range 6 {
		n := 1 + r.IntN(5)
		if s == 4 {
			n = 0
		}
		t.Start = append(t.Start, t.Start[s]+n)
		t.Advantage = append(t.Advantage, r.NormFloat64())
		t.Correct = append(t.Correct, n > 0 && r.IntN(2) == 0)
		t.Stored = append(t.Stored, r.IntN(3) == 0)
	}
	t.Groups = []int{0, 3, 6}
	n := t.Start[6]
	for range n {
		l := -3 * r.Float64()
		t.Logp = append(t.Logp, l)
		t.Old = append(t.Old, l+0.4*r.NormFloat64())
		t.Ref = append(t.Ref, l+0.4*r.NormFloat64())
		t.Sampler = append(t.Sampler, l+0.2*r.NormFloat64())
		t.Entropy = append(t.Entropy, r.Float64())
		t.KL = append(t.KL, r.Float64())
		t.Likeliest = append(t.Likeliest, r.IntN(2) == 0)
	}
	t.DLogp, t.DEntropy, t.DKL, t.DTop = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	return t
}

type trainPart struct {
	Group      int `param:"group" doc:"x"`
	Candidates int `param:"candidates" doc:"x"`
}
type rewardPart struct {
	Components int `param:"components" doc:"x"`
}

func bitsParts() map[string]any {
	return map[string]any{"train": &trainPart{1, 1}, "reward": &rewardPart{1}}
}

func loss0(i *estimators.Instance) []params.Field { return params.Fields(&i.Loss) }
