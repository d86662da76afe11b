package metrics

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/envs"
	"modebench/internal/rng"
)

// embedded is a verdict with that embedding.
func embedded(entries ...float32) *envs.Verdict {
	return &envs.Verdict{Mode: "some", Reward: []float64{0}, Embedding: entries}
}

func embeddingOptions(delta float64) Options {
	return Options{Weights: []float64{1}, Samples: 1, Measure: []string{MeasureEmbeddings}, Delta: delta}
}

// embeddingMetrics returns the metrics of embeddings alone.
func embeddingMetrics(t testing.TB, o Options, add func(t *Table) error) map[string]float64 {
	t.Helper()
	values, err := measure(o, add)
	all, out := byName(t, values, err), map[string]float64{}
	for _, d := range All() {
		if x, ok := all[d.Name]; ok && d.Measure == MeasureEmbeddings {
			out[d.Name] = x
		}
	}
	return out
}

// sameMetrics compares two sets of metrics by name.
func sameMetrics(t reporter, what string, got, want map[string]float64, tolerance float64) {
	t.Helper()
	for _, d := range All() {
		g, given := got[d.Name]
		w, wanted := want[d.Name]
		if given != wanted {
			t.Errorf("%s: %s: given is %v, want %v", what, d.Name, given, wanted)
			continue
		}
		near(t, what+": "+d.Name, g, w, tolerance)
	}
}

func TestEmbeddingsByHand(t *testing.T) {
	x, y, half := embedded(1, 0), embedded(0, 1), embedded(1, 1)
	none, zero := embedded(), embedded(0, 0)
	degenerate := &envs.Verdict{Mode: envs.Degenerate, Reward: []float64{0}, Embedding: []float32{0, 1}}
	root := math.Sqrt(0.5) // cosine of half with the others
	log2 := math.Log(2)
	for _, test := range []struct {
		reason string
		chains [][]*envs.Verdict
		delta  float64
		want   map[string]float64
	}{
		{"two orthogonal answers", chainsOfOne(x, y), 0.8,
			map[string]float64{"div": 1, "uniq": 2, "redundancy": 0, "setpo_diversity": 0, "vendi": 2}},
		{"copies: as alike as can be", chainsOfOne(x, x, x), 0.8,
			map[string]float64{"div": 0, "uniq": 1, "redundancy": 1, "setpo_diversity": -log2, "vendi": 1}},
		{"a copy of -0 and another length of the same direction", chainsOfOne(x, embedded(1, float32(math.Copysign(0, -1))), embedded(4, 0)), 0.8,
			map[string]float64{"div": 0, "uniq": 1, "redundancy": 1, "setpo_diversity": -log2, "vendi": 1}},
		{"opposite answers: Div is clamped at 1, k at 0, and Vendi sees one direction", chainsOfOne(x, embedded(-1, 0)), 0.8,
			map[string]float64{"div": 1, "uniq": 2, "redundancy": 0, "setpo_diversity": 0, "vendi": 1}},
		{"what has no direction is left out", chainsOfOne(none, x, zero, y, degenerate), 0.8,
			map[string]float64{"div": 1, "uniq": 2, "redundancy": 0, "setpo_diversity": 0, "vendi": 2}},
		{"one answer: below SD-E2 eq. 14", chainsOfOne(x, zero), 0.8, map[string]float64{"div": 1, "uniq": 1, "vendi": 1}},
		{"none", chainsOfOne(zero, none, degenerate), 0.8, map[string]float64{"div": 0, "uniq": 0}},
		{"a cosine of delta is no repetition, one above is", chainsOfOne(x, half, y), 0,
			map[string]float64{"div": 1 - 2*root/3, "uniq": 2, "redundancy": 2. / 3,
				"setpo_diversity": -(2*math.Log1p(root/2) + math.Log1p(root)) / 3,
				// The outer products have sum (3/2, 1/2; 1/2, 3/2): eigenvalues 2/3 and 1/3.
				"vendi": math.Exp(2./3*math.Log(3./2) + 1./3*math.Log(3))}},
		{"with delta 1 nothing repeats, not even a copy", chainsOfOne(x, x, y), 1,
			map[string]float64{"div": 2. / 3, "uniq": 3, "redundancy": 0,
				"setpo_diversity": -2. / 3 * math.Log1p(0.5), "vendi": math.Exp(2./3*math.Log(3./2) + 1./3*math.Log(3))}},
		{"within rollouts: two apart, copies, one and none", [][]*envs.Verdict{{x, y}, {x, x}, {zero, x}, {none, zero}}, 0.8,
			map[string]float64{"div": 4. / 10, "uniq": 2, "redundancy": 6. / 10, "setpo_diversity": -4. / 5 * math.Log1p(3./4),
				"vendi":     math.Exp(4./5*math.Log(5./4) + 1./5*math.Log(5)),
				"chain_div": (1 + 0 + 1 + 0) / 4., "chain_uniq": (2 + 1 + 1 + 0) / 4., "chain_redundancy": (0 + 1) / 2.}},
		{"no rollout has a pair", [][]*envs.Verdict{{x, zero}, {none, y}}, 0.8,
			map[string]float64{"div": 1, "uniq": 2, "redundancy": 0, "setpo_diversity": 0, "vendi": 2, "chain_div": 1, "chain_uniq": 1}},
	} {
		got := embeddingMetrics(t, embeddingOptions(test.delta), func(t *Table) error { return t.Add(Pool{Modes: -1, Chains: test.chains}) })
		sameMetrics(t, test.reason, got, test.want, 2e-15)
	}
}

// TestDistinctEmbeddings: embeddings with the same bits are one vector, wherever they lie, and 0
// has one sign.
func TestDistinctEmbeddings(t *testing.T) {
	shared, minus := embedded(1, 0, 2), float32(math.Copysign(0, -1))
	var a answersOf
	a.set(t, []*envs.Verdict{shared, embedded(2, 0, 4), embedded(), shared, embedded(1, 0, 2), embedded(minus, 0, 0), embedded(1, minus, 2)})
	if diff := cmp.Diff([]int32{0, 1, -1, 0, 0, -1, 0}, a.embedded.number); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

// TestUniqGoesByDrawOrder: the second of three directions repeats both others, which
// are apart, so that it depends on who comes first.
func TestUniqGoesByDrawOrder(t *testing.T) {
	a, b, c := embedded(1, 0), embedded(1, 1), embedded(0, 1)
	for _, test := range []struct {
		order []*envs.Verdict
		want  float64
	}{{[]*envs.Verdict{a, b, c}, 2}, {[]*envs.Verdict{b, a, c}, 1}, {[]*envs.Verdict{c, c, b, a, b}, 2}, {[]*envs.Verdict{b, b, c, a}, 1}} {
		got := embeddingMetrics(t, embeddingOptions(0.5), func(t *Table) error { return t.Add(Pool{Modes: -1, Chains: chainsOfOne(test.order...)}) })
		near(t, "uniq", got["uniq"], test.want, 0)
	}
}

// TestSetPOVectors: D of two groups worked out for the estimator, within what float32
// keeps of embeddings with those cosines.
func TestSetPOVectors(t *testing.T) {
	// Rows of the Cholesky factor of (1, .9, .1; .9, 1, .2; .1, .2, 1).
	second := math.Sqrt(1 - 0.9*0.9)
	cross := (0.2 - 0.9*0.1) / second
	for _, test := range []struct {
		reason string
		chains [][]*envs.Verdict
		want   float64
	}{
		{"three with cosines .9, .1, .2", chainsOfOne(embedded(1, 0, 0), embedded(0.9, float32(second), 0),
			embedded(0.1, float32(cross), float32(math.Sqrt(1-0.01-cross*cross)))), -0.327827327},
		{"two copies beside two with cosine .5", chainsOfOne(embedded(1, 0, 0), embedded(1, 0, 0), embedded(0, 1, 0),
			embedded(0, 0.5, float32(math.Sqrt(0.75)))), -0.220916376},
	} {
		got := embeddingMetrics(t, embeddingOptions(0.8), func(t *Table) error { return t.Add(Pool{Modes: -1, Chains: test.chains}) })
		near(t, test.reason, got["setpo_diversity"], test.want, 5e-8)
	}
}

// TestPublishedVendi: the matrix (1, .9, 0; .9, 1, 0; 0, 0, 1) has the score 2.1573
// (readme of the authors' package).
func TestPublishedVendi(t *testing.T) {
	pool := Pool{Modes: -1, Chains: chainsOfOne(embedded(1, 0, 0), embedded(0.9, float32(math.Sqrt(0.19)), 0), embedded(0, 0, 1))}
	got := embeddingMetrics(t, embeddingOptions(0.8), func(t *Table) error { return t.Add(pool) })
	near(t, "vendi", got["vendi"], 2.1573, 5e-5)
}

// cosines computes all cosines of embedded candidates one by one.
func cosines(h []*envs.Verdict) [][]float64 {
	k := make([][]float64, len(h))
	for i, u := range h {
		k[i] = make([]float64, len(h))
		for j, v := range h {
			uv, uu, vv := 0.0, 0.0, 0.0
			for c, x := range u.Embedding {
				uv += float64(x) * float64(v.Embedding[c])
				uu += float64(x) * float64(x)
				vv += float64(v.Embedding[c]) * float64(v.Embedding[c])
			}
			k[i][j] = uv / math.Sqrt(uu*vv)
			if slices.Equal(u.Embedding, v.Embedding) {
				k[i][j] = 1
			}
		}
	}
	return k
}

// embeddedOf returns H.
func embeddedOf(candidates []*envs.Verdict) (h []*envs.Verdict) {
	for _, v := range candidates {
		if v.Mode != envs.Degenerate && slices.ContainsFunc(v.Embedding, func(x float32) bool { return x != 0 }) {
			h = append(h, v)
		}
	}
	return h
}

// bySDE2 computes Div, Uniq and RR as SD-E2 writes them.
func bySDE2(h []*envs.Verdict, delta float64) (div, uniq, redundancy float64) {
	k, pairs := cosines(h), 0.0
	var chosen []int
	for i := range h {
		highest := math.Inf(-1)
		for _, j := range chosen {
			highest = max(highest, k[i][j])
		}
		if highest <= delta {
			chosen = append(chosen, i)
		}
		for j := range i {
			div -= k[i][j]
			if pairs++; k[i][j] > delta {
				redundancy++
			}
		}
	}
	switch len(h) {
	case 0:
		return 0, 0, 0
	case 1:
		return 1, 1, 0
	}
	return max(0, min(1, 1+div/pairs)), float64(len(chosen)), redundancy / pairs
}

// vendiByGonum computes the score of an n x n matrix with gonum's eigenvalues.
func vendiByGonum(n int, entry func(i, j int) float64) float64 {
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = entry(i, j)
		}
	}
	h := 0.0
	for _, l := range gonumSpectrum(a, n) {
		if l > 0 {
			h -= l * math.Log(l)
		}
	}
	return math.Exp(h)
}

// embeddedPool draws a pool with copies, candidates without an embedding and few or many
// dimensions.
func embeddedPool(t *rapid.T) Pool {
	d, m := rapid.SampledFrom([]int{1, 2, 3, 5, 9}).Draw(t, "d"), rapid.IntRange(1, 4).Draw(t, "m")
	entry := rapid.OneOf(rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1, -1, 3}), rapid.Float32Range(-2, 2))
	var vectors []*envs.Verdict
	for range rapid.IntRange(1, 8).Draw(t, "distinct") {
		vectors = append(vectors, embedded(rapid.SliceOfN(entry, d, d).Draw(t, "embedding")...))
	}
	vectors = append(vectors, embedded(), &envs.Verdict{Mode: envs.Degenerate, Reward: []float64{0}, Embedding: vectors[0].Embedding})
	p := Pool{Modes: -1}
	for range rapid.IntRange(1, 12).Draw(t, "n") {
		p.Chains = append(p.Chains, rapid.SliceOfN(rapid.SampledFrom(vectors), m, m).Draw(t, "chain"))
	}
	return p
}

// TestPoolsAgainstAllPairs holds pools against the definitions, candidate by candidate.
func TestPoolsAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := embeddedPool(t)
		delta := rapid.SampledFrom([]float64{-0.3, 0.123, 0.8, 1}).Draw(t, "delta")
		want := map[string]float64{}
		h := embeddedOf(flatten(p.Chains))
		k, n := cosines(h), float64(len(h))
		redundancy := 0.0
		want["div"], want["uniq"], redundancy = bySDE2(h, delta)
		if len(h) > 1 {
			d := 0.0
			for i := range h {
				m := 0.0
				for j := range h {
					if i != j {
						m += max(0, min(1, k[i][j])) / (n - 1)
					}
				}
				d -= math.Log(1+m) / n
			}
			want["redundancy"], want["setpo_diversity"] = redundancy, d
		}
		if len(h) > 0 {
			want["vendi"] = vendiByGonum(len(h), func(i, j int) float64 { return k[i][j] / n })
		}
		if m := len(p.Chains[0]); m > 1 {
			chains, with := float64(len(p.Chains)), 0.0
			for _, chain := range p.Chains {
				h := embeddedOf(chain)
				div, uniq, redundancy := bySDE2(h, delta)
				want["chain_div"] += div / chains
				want["chain_uniq"] += uniq / chains
				if len(h) > 1 {
					want["chain_redundancy"] += redundancy
					with++
				}
			}
			if with > 0 {
				want["chain_redundancy"] /= with
			}
		}
		options := embeddingOptions(delta)
		run := func(p Pool) map[string]float64 {
			values, err := measure(options, func(t *Table) error { return t.Add(p) })
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{}
			for _, v := range values {
				if _, plain := want[v.Name]; plain || strings.HasPrefix(v.Name, "chain_") {
					got[v.Name] = v.Mean
				}
			}
			return got
		}
		got := run(p)
		sameMetrics(t, "pool", got, want, 1e-12)

		// No bit depends on the order of the chains, but for the greedy count.
		p.Chains = rapid.Permutation(p.Chains).Draw(t, "order")
		again := run(p)
		delete(got, "uniq")
		for name, x := range got {
			if again[name] != x {
				t.Errorf("another order changes %s from %v to %v", name, x, again[name])
			}
		}
	})
}

// TestDistributionsAgainstAllPairs holds distributions against the definitions, outcome
// by outcome.
func TestDistributionsAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := embeddedPool(t)
		delta := rapid.SampledFrom([]float64{-0.3, 0.123, 0.8, 1}).Draw(t, "delta")
		d, sum := Distribution{Modes: -1}, 0.0
		for range p.Chains {
			w := rapid.Float64Range(0.01, 1).Draw(t, "weight")
			d.Outcomes = append(d.Outcomes, Outcome{P: w})
			sum += w
		}
		var mass []float64 // of each embedded candidate
		var h []*envs.Verdict
		want := map[string]float64{}
		with := 0.0
		for i, chain := range p.Chains {
			d.Outcomes[i].P /= sum
			d.Outcomes[i].Chain = chain
			own := embeddedOf(chain)
			for _, v := range own {
				h, mass = append(h, v), append(mass, d.Outcomes[i].P)
			}
			if len(chain) > 1 {
				div, uniq, redundancy := bySDE2(own, delta)
				want["chain_div"] += d.Outcomes[i].P * div
				want["chain_uniq"] += d.Outcomes[i].P * uniq
				if len(own) > 1 {
					want["chain_redundancy"] += d.Outcomes[i].P * redundancy
					with += d.Outcomes[i].P
				}
			}
		}
		if with > 0 {
			want["chain_redundancy"] /= with
		}
		want["div"] = 0
		if w := total(mass); len(h) > 0 {
			k, cos := cosines(h), 0.0
			want["redundancy"], want["setpo_diversity"] = 0, 0
			for i := range h {
				m := 0.0
				for j := range h {
					both := mass[i] / w * mass[j] / w
					cos += both * k[i][j]
					if k[i][j] > delta {
						want["redundancy"] += both
					}
					m += mass[j] / w * max(0, min(1, k[i][j]))
				}
				want["setpo_diversity"] -= mass[i] / w * math.Log(1+m)
			}
			want["div"] = max(0, min(1, 1-cos))
			want["vendi"] = vendiByGonum(len(h), func(i, j int) float64 { return math.Sqrt(mass[i]/w*mass[j]/w) * k[i][j] })
		}
		values, err := measure(embeddingOptions(delta), func(t *Table) error { return t.AddExact(d) })
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, v := range values {
			got[v.Name] = v.Mean
		}
		for _, name := range []string{"div", "uniq", "redundancy", "setpo_diversity", "vendi", "chain_div", "chain_uniq", "chain_redundancy"} {
			w, wanted := want[name]
			g, given := got[name]
			if given != wanted {
				t.Errorf("%s: given is %v, want %v", name, given, wanted)
			}
			near(t, name, g, w, 1e-12)
		}
	})
}

// TestPoolsAreUnbiased averages over all pools of three independent answers: the mean
// cosine and the share of repetitions are those of the distribution, and D is too high.
func TestPoolsAreUnbiased(t *testing.T) {
	answers := []*envs.Verdict{embedded(1, 0), embedded(1, 0.5), embedded(0.1, 1)}
	p := []float64{0.5, 0.3, 0.2}
	d := Distribution{Modes: -1}
	for i, v := range answers {
		d.Outcomes = append(d.Outcomes, Outcome{P: p[i], Chain: []*envs.Verdict{v}})
	}
	want := embeddingMetrics(t, embeddingOptions(0.8), func(t *Table) error { return t.AddExact(d) })
	mean := map[string]float64{}
	for i := range 27 {
		a, b, c := i/9, i/3%3, i%3
		pool := Pool{Modes: -1, Chains: chainsOfOne(answers[a], answers[b], answers[c])}
		got := embeddingMetrics(t, embeddingOptions(0.8), func(t *Table) error { return t.Add(pool) })
		for name := range want {
			mean[name] += p[a] * p[b] * p[c] * got[name]
		}
	}
	near(t, "div", mean["div"], want["div"], 1e-15)
	near(t, "redundancy", mean["redundancy"], want["redundancy"], 1e-15)
	if !(mean["setpo_diversity"] > want["setpo_diversity"]) || !(mean["vendi"] < want["vendi"]) {
		t.Errorf("means of D %v and vendi %v, want them above %v and below %v", mean["setpo_diversity"], mean["vendi"], want["setpo_diversity"], want["vendi"])
	}
}

func TestImpossibleEmbeddings(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := embedded(1, 0)
	for _, test := range []struct {
		reason string
		chains [][]*envs.Verdict
		want   string
	}{
		{"two lengths", [][]*envs.Verdict{{embedded(), x}, {embedded(1), x}}, "chains[1][0]: embedding: 1 entries, want 2 as in chains[0][1]"},
		{"two lengths, one of them without a direction", chainsOfOne(x, embedded(0)), "chains[1][0]: embedding: 1 entries, want 2 as in chains[0][0]"},
		{"not a number", chainsOfOne(x, embedded(0, nan)), "chains[1][0]: embedding[1]: got NaN, want a finite number"},
		{"infinite", chainsOfOne(embedded(inf, 0)), "chains[0][0]: embedding[0]: got +Inf, want a finite number"},
	} {
		table, err := NewTable(embeddingOptions(0.8))
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Add(Pool{Modes: -1, Chains: test.chains}); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %q", test.reason, err, test.want)
		}
		if len(table.Values()) != 0 {
			t.Errorf("%s: the table has changed", test.reason)
		}
		d := Distribution{Modes: -1, Outcomes: []Outcome{{P: 0.5, Chain: []*envs.Verdict{x}}, {P: 0.5, Chain: []*envs.Verdict{embedded(1)}}}}
		if err := table.AddExact(d); err == nil || err.Error() != "outcome 1: candidate 0: embedding: 1 entries, want 2 as in outcome 0: candidate 0" {
			t.Errorf("distribution: error %v", err)
		}
		// A table goes on after an error.
		if err := table.Add(Pool{Modes: -1, Chains: chainsOfOne(x)}); err != nil {
			t.Error(err)
		}
	}
}

// TestWithoutEmbeddings: a table without the group has no metric of it, and does not check lengths
// of embeddings.
func TestWithoutEmbeddings(t *testing.T) {
	values, err := measure(Options{Weights: []float64{1}}, func(t *Table) error {
		return t.Add(Pool{Modes: -1, Chains: chainsOfOne(embedded(1), embedded(1, 0))})
	})
	got := byName(t, values, err)
	for _, d := range All() {
		if _, given := got[d.Name]; given && d.Measure == MeasureEmbeddings {
			t.Errorf("%s is given", d.Name)
		}
	}
}

// randomEmbeddings returns n distinct embeddings of d entries.
func randomEmbeddings(n, d int) []*envs.Verdict {
	r := rng.New(7).Str("embeddings").Rand()
	out := make([]*envs.Verdict, n)
	for i := range out {
		v := make([]float32, d)
		for j := range v {
			v[j] = 2*r.Float32() - 1
		}
		out[i] = embedded(v...)
	}
	return out
}

// TestManyDistinctEmbeddings: beyond the kept kernel the cosines are the same bits.
func TestManyDistinctEmbeddings(t *testing.T) {
	if testing.Short() {
		t.Skip("a second")
	}
	answers := randomEmbeddings(maxKernel, 3)
	var a answersOf
	a.set(t, answers)
	kept := slices.Clone(a.embedded.kernel)
	a.set(t, append(answers, embedded(10, 10, 10))) // the last one in their order
	if len(kept) != maxKernel*(maxKernel-1)/2 || len(a.embedded.kernel) != 0 {
		t.Fatalf("kernels of %d and %d entries", len(kept), len(a.embedded.kernel))
	}
	for at, want := range kept {
		i := int((1 + math.Sqrt(float64(1+8*at))) / 2)
		if got := a.embedded.cosine(i, at-i*(i-1)/2); got != want {
			t.Fatalf("cosine %d: got %v, want %v", at, got, want)
		}
	}
	// The spectrum of three dimensions is no trouble, that of too many is left out.
	a.embedded.weigh(&a.answers)
	if score, ok := a.embedded.vendi(); !ok || !(score > 1 && score <= 3) {
		t.Errorf("vendi is %v, %v", score, ok)
	}
	a.set(t, randomEmbeddings(maxKernel+1, maxKernel+1))
	if _, ok := a.embedded.vendi(); ok {
		t.Error("a spectrum beyond the limit")
	}
}

// answersOf is answers of one candidate each.
type answersOf struct{ answers }

func (a *answersOf) set(t *testing.T, verdicts []*envs.Verdict) {
	t.Helper()
	a.reset()
	for i, v := range verdicts {
		if err := a.push(i, 1, []*envs.Verdict{v}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.numberEmbeddings(); err != nil {
		t.Fatal(err)
	}
}

// TestEmbeddingBits pins the bits of the metrics, with more and fewer embeddings than
// entries, as TestMetricBits does those of the others.
func TestEmbeddingBits(t *testing.T) {
	for _, test := range []struct {
		n, d int
		want uint64
	}{{20, 7, 0xe1f417d02967977b}, {9, 30, 0xfb1d9ca66fdd1854}} {
		answers := randomEmbeddings(test.n, test.d)
		p, d := Pool{Modes: -1}, Distribution{Modes: -1}
		for i := range answers {
			chain := []*envs.Verdict{answers[i], answers[i*i%test.n], answers[(i+1)%test.n]}
			p.Chains = append(p.Chains, chain)
			d.Outcomes = append(d.Outcomes, Outcome{P: float64(2*i+1) / float64(test.n*test.n), Chain: chain})
		}
		got := embeddingMetrics(t, embeddingOptions(0.2), func(t *Table) error {
			if err := t.Add(p); err != nil {
				return err
			}
			return t.AddExact(d)
		})
		h := fnv.New64a()
		for _, d := range All()[:Place(HeadroomMetric)] {
			fmt.Fprintf(h, "%s %x\n", d.Name, math.Float64bits(got[d.Name]))
		}
		if got := h.Sum64(); got != test.want {
			t.Errorf("%d of %d entries: hash %#x, want %#x", test.n, test.d, got, test.want)
		}
	}
}

// BenchmarkEmbeddings measures the metrics of embeddings of a pool of 64 answers with 50
// entries each (one operation is Table.Add with the group Embeddings), all distinct and,
// as after collapse, four different ones.
func BenchmarkEmbeddings(b *testing.B) {
	for _, distinct := range []int{64, 4} {
		answers := randomEmbeddings(distinct, 50)
		p := Pool{Modes: -1}
		for i := range 64 {
			p.Chains = append(p.Chains, []*envs.Verdict{answers[i%distinct]})
		}
		b.Run(fmt.Sprint(distinct, " distinct"), func(b *testing.B) {
			benchmarkTable(b, embeddingOptions(0.8), func(t *Table) error { return t.Add(p) })
		})
	}
}
