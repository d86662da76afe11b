package board

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
	"modebench/internal/params"
)

func publishedGrid(t *testing.T) *Grid {
	t.Helper()
	g, err := Published()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestEveryMethodIsInTheGrid: on the board, or left out with a reason. That no other name is
// there, and none twice, Read sees to.
func TestEveryMethodIsInTheGrid(t *testing.T) {
	g := publishedGrid(t)
	for _, m := range estimators.Methods() {
		left := slices.ContainsFunc(g.LeftOut, func(l LeftOut) bool { return l.Name == m.Name })
		if g.row(m.Name) == nil && !left {
			t.Errorf(`method %s is not in experiments/board/%s. Add a [[method]] with name and reason, and where it has a field that trades accuracy for diversity, with knob = "FIELD" and values = [a third, the source's value, three times it]; or a [[left_out]] with name and reason, and with as = "METHOD" where it has the formula of that row`, m.Name, gridFile)
		}
	}
}

// TestRates: the rates alone are in equal ratios, to two digits. Those beside a knob are in the same range,
// at even steps among them. A row that learns slowly has a rate below all.
func TestRates(t *testing.T) {
	g := publishedGrid(t)
	for board, rates := range g.Rates {
		n := len(rates.Alone)
		low, high := rates.Alone[0], rates.Alone[n-1]
		for i, rate := range rates.Alone {
			want := low * math.Pow(high/low, float64(i)/float64(n-1))
			if math.Abs(rate/want-1) > 0.06 {
				t.Errorf("%s: alone[%d] is %v, want %v", board, i, rate, want)
			}
		}
		for i, rate := range rates.Beside {
			want := low * math.Pow(high/low, float64(i)/float64(len(rates.Beside)-1))
			if step := math.Pow(high/low, 1/float64(n-1)); math.Abs(math.Log(rate/want)) > math.Log(step)/2+.06 {
				t.Errorf("%s: beside[%d] is %v, want the rate next to %v", board, i, rate, want)
			}
		}
		for _, r := range g.Methods {
			settings := rates.settings(&r)
			lowest, highest := settings[0].Set[0].Value.(float64), settings[len(settings)-1].Set[0].Value.(float64)
			if r.Slow {
				if len(settings) != 1 || !(lowest < low) {
					t.Errorf("%s: %s learns slowly at %v, want one rate below %v", board, r.Name, settings, low)
				}
				continue
			}
			if len(settings) != n || len(rates.alone(&r)) != n {
				t.Errorf("%s: %s has %d settings, and %d where its knob makes no difference, want %d", board, r.Name, len(settings), len(rates.alone(&r)), n)
			}
			if lowest != low || highest != high {
				t.Errorf("%s: %s has rates from %v to %v, want the range of all, %v to %v", board, r.Name, lowest, highest, low, high)
			}
		}
	}
}

// TestControls: each runs a method of the board under another name, or is one.
func TestControls(t *testing.T) {
	g := publishedGrid(t)
	controls := 0
	for _, r := range g.Methods {
		if r.Control == "" {
			if r.Method != "" {
				t.Errorf("%s runs %s and is no control", r.Name, r.Method)
			}
			continue
		}
		controls++
		if r.Method != "" && g.row(r.Method) == nil {
			t.Errorf("%s runs %s, which is not on the board", r.Name, r.Method)
		}
	}
	if controls < 5 { // a lower rate, KL, entropy, temperature, weights
		t.Errorf("%d controls", controls)
	}
}

// TestKnobs holds rows to the rule at the head of the grid.
func TestKnobs(t *testing.T) {
	for _, r := range publishedGrid(t).Methods {
		if r.Slow || strings.Contains(r.Knob, ".") { // fields of other tables
			continue
		}
		instance := instance(t, r.estimator())
		if r.Knob == "" {
			if instance.Loss.KLCoef != 0 || instance.Loss.EntropyCoef != 0 {
				t.Errorf("%s has no knob, but kl_coef %v and entropy_coef %v: want one of them", r.Name, instance.Loss.KLCoef, instance.Loss.EntropyCoef)
			}
			continue
		}
		field, ok := instance.Field(r.Knob)
		if !ok {
			t.Fatalf("%s has no field %s", r.Name, r.Knob)
		}
		isDefault := func(value any) bool { return fmt.Sprint(value) == fmt.Sprint(field.Value) }
		if r.Method == "" && !slices.ContainsFunc(r.Values, isDefault) && !strings.Contains(r.Reason, "the default") {
			t.Errorf("%s: the default of %s, %v, is not among %v: want it there, or a reason that says why \"the default\" is not", r.Name, r.Knob, field.Value, r.Values)
		}
	}
}

// environments are those that every method fits one of.
var environments = []string{"name = \"bandit\"\ncomponents = 2", `name = "multiplication"`}

// scalar are the same with a reward of one component.
var scalar = []string{`name = "bandit"`, `name = "polynomial"`}

// variants are settings of a method as variants of a spec on the first environment that it
// fits.
func variants(t *testing.T, method string, settings []Setting, environments []string, train string) []*spec.Variant {
	t.Helper()
	var failed error
	for _, env := range environments {
		text := fmt.Sprintf("seeds = 1\n[env]\n%s\n[train]\noptimizer = \"adam\"\ngroup = 16\n%s\n[eval]\nsamples = 16\nk = [1]\n", env, train)
		for i, s := range settings {
			text += fmt.Sprintf("[[method]]\nname = %q\nlabel = \"%d %s\"\n%s", method, i, s.Label, s.TOML())
		}
		var loaded *spec.Spec
		if loaded, failed = exptest.TryLoad(t, "board.toml", text); failed == nil {
			return loaded.Variants
		}
	}
	t.Fatalf("method %s fits none of the environments of this test: %v", method, failed)
	return nil
}

func settings(g *Grid, method string) []Setting { return g.Rates["tabular"].settings(g.row(method)) }

func setup(t *testing.T, v *spec.Variant) *spec.Setup {
	t.Helper()
	s, err := v.Setup()
	if err != nil {
		t.Fatalf("%s: %v", v.Label, err)
	}
	return s
}

// TestSettingsBuild: all settings of each method build, and no two of them have the same label or are the
// same cell.
func TestSettingsBuild(t *testing.T) {
	g := publishedGrid(t)
	for _, r := range g.Methods {
		all := settings(g, r.Name)
		labels, cells := map[string]bool{}, map[string]string{}
		for i, v := range variants(t, r.estimator(), all, environments, "minibatches = 4") {
			cell, err := json.Marshal(setup(t, v).Cell(0))
			if err != nil {
				t.Fatal(err)
			}
			label := all[i].Label
			if other, twice := cells[string(cell)]; twice || labels[label] {
				t.Errorf("%s: the setting %q is there already, as %q", r.Name, label, other)
			}
			labels[label], cells[string(cell)] = true, label
		}
	}
}

// TestPaper: every field is the method's default, except for the fields that the row pins.
func TestPaper(t *testing.T) {
	g := publishedGrid(t)
	for _, r := range g.Methods {
		if r.Method != "" {
			continue
		}
		paper := setup(t, variants(t, r.estimator(), []Setting{g.Rates["tabular"].paper(&r)}, environments, "")[0])
		for i, f := range instance(t, r.Name).Fields() {
			if pinned, ok := r.Pinned[f.Name]; ok {
				f.Value = pinned
			}
			if got := paper.Method.Fields()[i]; fmt.Sprint(got.Value) != fmt.Sprint(f.Value) {
				t.Errorf("%s: the paper's setting has %s = %v, want %v", r.Name, f.Name, got.Value, f.Value)
			}
		}
		if want := g.Rates["tabular"].Paper; paper.Train.LR != want {
			t.Errorf("%s: the paper's setting has the rate %v, want %v", r.Name, paper.Train.LR, want)
		}
	}
}

// TestReasonsNameIdleKnobs: the reason of a row mentions it if a knob makes no difference at
// one update a batch, or to a reward of one component. In every other case a knob may make a
// difference.
func TestReasonsNameIdleKnobs(t *testing.T) {
	g := publishedGrid(t)
	for _, r := range g.Methods {
		if r.Knob == "" {
			continue
		}
		one := settings(g, r.Name)[:1]
		idle := func(environments []string, train string) string {
			return setup(t, variants(t, r.estimator(), one, environments, train)[0]).Idle(r.Knob)
		}
		if why := idle(environments, "minibatches = 4"); why != "" {
			t.Errorf("%s: %s makes no difference with several updates a batch: %s", r.Name, r.Knob, why)
		}
		offPolicy := idle(environments, "") != ""
		if said := strings.Contains(r.Reason, "acts off-policy alone"); said != offPolicy {
			t.Errorf("%s: at one update a batch %s makes no difference: %v; the reason says \"acts off-policy alone\": %v", r.Name, r.Knob, offPolicy, said)
		}
		vector := idle(scalar, "minibatches = 4") != ""
		if said := strings.Contains(r.Reason, "of several components of reward alone"); said != vector {
			t.Errorf("%s: %s is read of several components alone: %v; the reason says so: %v", r.Name, r.Knob, vector, said)
		}
	}
}

// TestLeftOutFormulas: a method left out as a copy of another method has its advantages up to a
// factor, batch by batch, and the same loss except for clips, divergence and means. Groups have
// no equal rewards, on which conventions differ most.
func TestLeftOutFormulas(t *testing.T) {
	g := publishedGrid(t)
	mayDiffer := []string{"clip_low", "clip_high", "dual_clip", "aggregation", "kl", "kl_coef"}
	for _, l := range g.LeftOut {
		if l.As == "" {
			continue
		}
		own, row := instance(t, l.Name), instance(t, l.As)
		for _, f := range params.Fields(&own.Loss) {
			other, _ := params.Lookup(&row.Loss, f.Name)
			if !slices.Contains(mayDiffer, f.Name) && fmt.Sprint(f.Value) != fmt.Sprint(other.Value) {
				t.Errorf("%s is left out as %s, but its %s is %v and not %v", l.Name, l.As, f.Name, f.Value, other.Value)
			}
		}
		if own.Protocol != row.Protocol {
			t.Errorf("%s is left out as %s, but its rollouts are drawn otherwise: %+v and not %+v", l.Name, l.As, own.Protocol, row.Protocol)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			b := mixedBatch(r)
			if c := cosine(advantages(t, own, b), advantages(t, row, b)); !(c > 1-1e-6) {
				t.Errorf("%s is left out as %s, but the cosine of their advantages is %v", l.Name, l.As, c)
				break
			}
		}
	}
}

func instance(t *testing.T, method string) *estimators.Instance {
	t.Helper()
	m, err := estimators.Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	return m.New()
}

// mixedBatch has three groups of eight rollouts, in each of which some are correct.
func mixedBatch(r *rand.Rand) *estimators.Batch {
	b := &estimators.Batch{
		Weights: []float64{1}, CandidateFields: envs.HasReward | envs.HasCorrect | envs.HasMode | envs.HasAnswer | envs.HasValid,
		RolloutFields: estimators.RolloutTokens, Groups: make([]estimators.Group, 3),
	}
	for g := range b.Groups {
		group := &b.Groups[g]
		group.Problem = fmt.Sprint("problem ", g)
		for i := range 8 {
			v := &envs.Verdict{Reward: []float64{0}, Answer: "a", Mode: envs.Mode(fmt.Sprint("mode ", r.IntN(3)))}
			if i == 0 || i > 1 && r.IntN(2) == 0 { // the second one is never correct
				v.Reward[0], v.Correct = 1, true
			}
			group.Rollouts = append(group.Rollouts, estimators.Rollout{Tokens: 1 + r.IntN(5), Train: true, Candidates: []*envs.Verdict{v}})
		}
	}
	return b
}

func advantages(t *testing.T, m *estimators.Instance, b *estimators.Batch) []float64 {
	t.Helper()
	dst := estimators.NewAdvantages(b)
	if err := m.Advantages(dst, b); err != nil {
		t.Fatalf("%s: %v", m.Method.Name, err)
	}
	return slices.Concat(dst...)
}

func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += a[i] * b[i]
		aa += a[i] * a[i]
		bb += b[i] * b[i]
	}
	return ab / math.Sqrt(aa*bb)
}
