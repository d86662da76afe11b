package estimators

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
)

// A strategyDraw and a chainDraw are a chain as drawn: integers, from which the
// definition is computed without a rounding before the roots.
type strategyDraw struct {
	reasoned, correct bool
	outcome           string
	vector            [3]int
}

type chainDraw struct {
	strategies []strategyDraw
	final      string
	tokens     int
	train      bool
}

// drawChains draws a group whose gold answer is "1".
func drawChains(t *rapid.T) []chainDraw {
	draw := rapid.Custom(func(t *rapid.T) strategyDraw {
		s := strategyDraw{
			reasoned: rapid.IntRange(0, 4).Draw(t, "reasoned") > 0,
			outcome:  rapid.SampledFrom([]string{"1", "2", "3", ""}).Draw(t, "outcome"),
		}
		s.correct = s.outcome == "1"
		for i := range s.vector {
			s.vector[i] = rapid.IntRange(-2, 4).Draw(t, "entry")
		}
		return s
	})
	var out []chainDraw
	for range rapid.IntRange(1, 6).Draw(t, "rollouts") {
		out = append(out, chainDraw{
			strategies: withSomeCopies(t, rapid.SliceOfN(draw, 1, 5).Draw(t, "strategies")),
			final:      rapid.SampledFrom([]string{"1", "2", ""}).Draw(t, "final"),
			tokens:     rapid.IntRange(0, 300).Draw(t, "tokens"),
			train:      rapid.IntRange(0, 4).Draw(t, "train") > 0,
		})
	}
	return out
}

// withSomeCopies puts copies of earlier strategies in the place of some.
func withSomeCopies(t *rapid.T, strategies []strategyDraw) []strategyDraw {
	for i := 1; i < len(strategies); i++ {
		if rapid.IntRange(0, 3).Draw(t, "copy") == 0 {
			strategies[i] = strategies[rapid.IntRange(0, i-1).Draw(t, "of")]
		}
	}
	return strategies
}

// distinctOf leaves out copies of earlier entries.
func distinctOf(strategies []strategyDraw) []strategyDraw {
	var out []strategyDraw
	for _, s := range strategies {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// groupOfChains is the group as the estimators see it.
func groupOfChains(chains []chainDraw) Group {
	g := Group{Problem: "p"}
	for _, c := range chains {
		r := Rollout{Train: c.train, Final: c.final, Tokens: c.tokens}
		for _, s := range c.strategies {
			v := &envs.Verdict{Reward: []float64{0.5}, Correct: s.correct, Answer: s.outcome, Mode: envs.Degenerate}
			if s.reasoned {
				v.Mode = "A"
			}
			for _, x := range s.vector {
				v.Embedding = append(v.Embedding, float32(x))
			}
			r.Candidates = append(r.Candidates, v)
		}
		g.Rollouts = append(g.Rollouts, r)
	}
	return g
}

// A fields holds the fields of a scheme that the tests set, by name.
type fields map[string]float64

func (f fields) pairs() []string {
	var out []string
	for name, value := range f {
		out = append(out, fmt.Sprintf("%s=%v", name, value))
	}
	return out
}

// above reports exactly whether the cosine of two integer vectors is above num/den.
func above(u, v [3]int, num, den int) bool {
	dot, uu, vv := 0, 0, 0
	for i := range u {
		dot, uu, vv = dot+u[i]*v[i], uu+u[i]*u[i], vv+v[i]*v[i]
	}
	return dot > 0 && dot*dot*den*den > num*num*uu*vv
}

// noveltyByDefinition is g(H) of eqs. 13-15 and 43, delta = num/den.
func noveltyByDefinition(c chainDraw, num, den int) float64 {
	var h [][3]int
	for _, s := range c.strategies {
		if s.reasoned && s.vector != [3]int{} {
			h = append(h, s.vector)
		}
	}
	if len(h) < 2 {
		return float64(len(h))
	}
	var unique [][3]int
	for _, v := range h {
		if !slices.ContainsFunc(unique, func(u [3]int) bool { return above(u, v, num, den) }) {
			unique = append(unique, v)
		}
	}
	total, pairs := 0.0, 0.0
	for i := range h {
		for j := i + 1; j < len(h); j++ {
			var dot, uu, vv float64
			for k := range h[i] {
				dot += float64(h[i][k] * h[j][k])
				uu += float64(h[i][k] * h[i][k])
				vv += float64(h[j][k] * h[j][k])
			}
			total += dot / math.Sqrt(uu) / math.Sqrt(vv)
			pairs++
		}
	}
	return float64(len(unique)) * math.Max(0, math.Min(1, 1-total/pairs))
}

// rewardsByDefinition are the components of one chain and their weights.
func rewardsByDefinition(method string, f fields, c chainDraw, shown bool, num, den int) (rewards, weights []float64) {
	one := func(holds bool) float64 { return map[bool]float64{true: 1}[holds] }
	n, solved := 0.0, false
	for _, s := range c.strategies {
		if s.reasoned && s.outcome != "" {
			n++
		}
		if s.outcome == "1" {
			solved = true
		}
	}
	final := c.final != ""
	add := func(weight string, reward float64) {
		rewards, weights = append(rewards, reward), append(weights, f[weight])
	}
	add("w_oc", f["lambda_oc"]*one(c.final == "1" && shown))
	add("w_fa", math.Min(1, f["gamma_s"]*n)+f["gamma_a"]*one(final)+f["gamma_c"]*one(final && n > 0))
	explored := func(extent float64) float64 {
		return f["bonus"]*one(solved) + (1-one(solved))*math.Min(f["beta"], f["rho"]*extent)
	}
	switch method {
	case "sd-e2":
		add("w_re", f["lambda_re"]*one(solved))
		add("w_sd", explored(noveltyByDefinition(c, num, den)))
	case "grpo-cfee":
		add("w_re", f["lambda_re"]*one(solved))
		add("w_rd", explored(n))
	case "grpo-cfl":
		add("w_l", -math.Min(1, math.Max(0, float64(c.tokens)-f["length"])/f["length"]))
	}
	return rewards, weights
}

// centredByDefinition is x less the mean, over the deviation and epsilon if that is above least.
func centredByDefinition(xs []float64, least, epsilon float64) []float64 {
	mu, square := sum(xs)/float64(len(xs)), 0.0
	for _, x := range xs {
		square += (x - mu) * (x - mu)
	}
	sd := math.Sqrt(square / float64(len(xs)))
	out := make([]float64, len(xs))
	for i, x := range xs {
		switch {
		case sd < 1e-12:
		case sd > least:
			out[i] = (x - mu) / (sd + epsilon)
		default:
			out[i] = x - mu
		}
	}
	return out
}

// schemeByDefinition is the whole of eqs. 9-32.
func schemeByDefinition(method string, f fields, groups [][]chainDraw, num, den int) [][]float64 {
	var columns [][]float64
	var weights []float64
	for _, chains := range groups {
		shown := slices.ContainsFunc(chains, func(c chainDraw) bool {
			return slices.ContainsFunc(c.strategies, func(s strategyDraw) bool { return s.outcome == "1" })
		})
		for _, c := range chains {
			if c.train {
				var rewards []float64
				rewards, weights = rewardsByDefinition(method, f, c, shown, num, den)
				for k, r := range rewards {
					if len(columns) <= k {
						columns = append(columns, nil)
					}
					columns[k] = append(columns[k], r)
				}
			}
		}
	}
	var total []float64
	for k, column := range columns {
		for i, z := range centredByDefinition(column, f["epsilon"], f["epsilon"]) {
			if k == 0 {
				total = append(total, 0)
			}
			total[i] += weights[k] * z
		}
	}
	var out [][]float64
	for _, chains := range groups {
		var mine []float64
		for _, c := range chains {
			if c.train {
				mine, total = append(mine, total[0]), total[1:]
			}
		}
		mine = centredByDefinition(mine, 0, f["epsilon"])
		var dst []float64
		for _, c := range chains {
			if c.train {
				dst, mine = append(dst, mine[0]), mine[1:]
			} else {
				dst = append(dst, 0)
			}
		}
		out = append(out, dst)
	}
	return out
}

// TestSchemesEqualTheirDefinition on chains of every kind, under fields of every kind.
func TestSchemesEqualTheirDefinition(t *testing.T) {
	for _, method := range sde2Names {
		t.Run(method, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f, known := fields{}, build(t, method)
				for _, name := range []string{"lambda_oc", "lambda_re", "gamma_s", "gamma_a", "gamma_c", "bonus", "beta", "rho", "w_oc", "w_re", "w_fa", "w_sd", "w_rd", "w_l"} {
					if _, ok := known.Field(name); ok {
						f[name] = float64(rapid.IntRange(0, 12).Draw(t, name)) / 8
					}
				}
				// The last is above many deviations: components are only centred.
				f["epsilon"] = rapid.SampledFrom([]float64{1e-6, 0.01, 0.4}).Draw(t, "epsilon")
				num, den := 4, 5
				switch method {
				case "sd-e2":
					num, den = rapid.IntRange(0, 10).Draw(t, "delta"), 10
					f["delta"] = float64(num) / float64(den)
				case "grpo-cfl":
					f["length"] = float64(rapid.IntRange(1, 200).Draw(t, "length"))
				}
				var chains [][]chainDraw
				b := batchOf()
				for range rapid.IntRange(1, 3).Draw(t, "groups") {
					drawn := drawChains(t)
					chains = append(chains, drawn)
					b.Groups = append(b.Groups, groupOfChains(drawn))
				}
				copies := rapid.SampledFrom([]string{"drop", "keep"}).Draw(t, "duplicates")
				got := advantages(t, build(t, method, append(f.pairs(), "duplicates="+copies)...).Estimator, b)
				for g := range chains {
					for i := range chains[g] {
						if copies == "drop" {
							chains[g][i].strategies = distinctOf(chains[g][i].strategies)
						}
					}
				}
				for g, want := range schemeByDefinition(method, f, chains, num, den) {
					near(t, fmt.Sprintf("group %d", g), got[g], want, 1e-9)
				}
			})
		})
	}
}
