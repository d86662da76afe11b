package train

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"testing"

	"modebench/estimators/loss"
	"modebench/experiments/internal/exptest"
	"modebench/policies"
)

// copyOf is a second policy with the state of the trainer's.
func copyOf(t *testing.T, tr *trainer) policies.Policy {
	t.Helper()
	var file bytes.Buffer
	if err := tr.policy.Save(&file); err != nil {
		t.Fatal(err)
	}
	p := policyOf(t, &tr.Setup)
	if err := p.Load(&file); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSamplerTemperature: rollouts are drawn at another temperature, and the policy learns at its
// own.
func TestSamplerTemperature(t *testing.T) {
	learned, off := 0.8, 1.5
	tr := trainerOf(t, "grpo", exptest.Set("train", "temperature", learned), exptest.Set("train", "sampler_temperature", off), exptest.Set("train", "lr", 0.5))
	for step := range 5 {
		before := copyOf(t, tr)
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			temperature float64
			drawn       bool
		}{{learned, false}, {learned * off, true}} {
			tokens, err := before.Flatten(policies.Batch{Groups: tr.groups, Temperature: c.temperature})
			if err != nil {
				t.Fatal(err)
			}
			if step > 0 && slices.Equal(tokens.Logp, tokens.Old) != c.drawn {
				t.Errorf("step %d: drawn at temperature %v: %v, want %v", step, c.temperature, !c.drawn, c.drawn)
			}
		}
	}
}

// TestSamplerBits: a bandit's rollouts are drawn by log-probabilities that are rounded and
// normalised again, and as often as these state.
func TestSamplerBits(t *testing.T) {
	for _, bits := range []int{1, 3, 7, 52} {
		tr := trainerOf(t, "grpo", exptest.Set("env", "start", "zipf"), exptest.Set("train", "group", int64(4000)), exptest.Set("train", "sampler_bits", int64(bits)), exptest.Set("train", "lr", 0.3))
		for step := range 3 {
			answers, _, err := copyOf(t, tr).(policies.Enumerator).Enumerate(tr.prompts[0].tasks[0], policies.SampleOptions{Temperature: 1, TopP: 1}, 100)
			if err != nil {
				t.Fatal(err)
			}
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
			rounded, total := map[int]float64{}, 0.0
			for _, a := range answers {
				z := math.Log(a.P)
				unit := math.Exp2(float64(math.Ilogb(z) - bits))
				p := math.Exp(math.RoundToEven(z/unit) * unit)
				rounded[int(a.Tokens[0])] = p
				total += p
			}
			count, rollouts := map[int]float64{}, tr.groups[0].Rollouts
			for _, r := range rollouts {
				arm := int(r.Tokens[0])
				count[arm]++
				if want := math.Log(rounded[arm] / total); math.Abs(r.Logp[0]-want) > 1e-11 {
					t.Fatalf("%d bits, step %d: arm %d is drawn at log-probability %v, want %v", bits, step, arm, r.Logp[0], want)
				}
			}
			n := float64(len(rollouts))
			for arm, p := range rounded {
				p /= total
				if off := math.Abs(count[arm] - n*p); off > 6*math.Sqrt(n*p*(1-p))+1 {
					t.Errorf("%d bits, step %d: arm %d was drawn %v times of %v, at probability %v", bits, step, arm, count[arm], n, p)
				}
			}
		}
	}
}

// TestTrainingNucleus: rollouts of training are drawn from the nucleus, at its frequencies. Old
// log-probabilities are of the whole distribution, so that ratios begin at 1, and those of the
// sampler are of the nucleus: so they come to the objective, also of an older policy, through the
// buffer of dynamic sampling, and with the learner's computed anew.
func TestTrainingNucleus(t *testing.T) {
	const topP, n = 0.6, 3000
	for _, c := range []struct {
		method string
		sets   []exptest.Setting
	}{
		{"grpo", nil},
		{"dapo", nil},
		{"grpo", []exptest.Setting{exptest.Set("train", "lag", int64(1)), exptest.Set("train", "old", "learner")}},
		{"grpo", []exptest.Setting{exptest.Set("train", "sampler_temperature", 1.3), exptest.Set("train", "old", "learner")}},
	} {
		sets := append([]exptest.Setting{exptest.Set("env", "start", "zipf"), exptest.Set("train", "group", int64(n)), exptest.Set("train", "top_p", topP), exptest.Set("train", "lr", 0.05)}, c.sets...)
		tr := trainerOf(t, c.method, sets...)
		tr.update.Want.Sampler = true
		inner, learned := tr.update.Loss, 0
		var before []policies.Policy
		for step := range 4 {
			before = append(before, copyOf(t, tr))
			by := before[max(0, step-tr.Train.Lag)]
			answers, _, err := by.(policies.Enumerator).Enumerate(tr.prompts[0].tasks[0], policies.SampleOptions{Temperature: tr.Train.SamplerTemperature, TopP: 1}, 100)
			if err != nil {
				t.Fatal(err)
			}
			slices.SortStableFunc(answers, func(a, b policies.Answer) int { return cmp.Compare(b.P, a.P) })
			mass, inside := 0.0, map[int]float64{}
			for _, a := range answers {
				if mass < topP {
					inside[int(a.Tokens[0])] = a.P
					mass += a.P
				}
			}
			if len(inside) == len(answers) {
				t.Fatal("the nucleus leaves nothing out")
			}
			tr.update.Loss = func(l *loss.Tokens) error {
				learned++
				if !slices.Equal(l.Logp, l.Old) {
					t.Errorf("%s, step %d: ratios do not begin at 1", c.method, step)
				}
				at := 0
				for _, r := range tr.groups[0].Rollouts {
					if want := math.Log(inside[int(r.Tokens[0])] / mass); math.Abs(l.Sampler[at]-want) > 1e-11 {
						t.Fatalf("%s, step %d: drawn with the log-probability %v, want %v", c.method, step, l.Sampler[at], want)
					}
					at++
				}
				return inner(l)
			}
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
			count := map[int]float64{}
			for _, r := range tr.groups[0].Rollouts {
				count[int(r.Tokens[0])]++
			}
			for arm, drawn := range count {
				p := inside[arm] / mass
				if off := math.Abs(drawn - n*p); off > 6*math.Sqrt(n*p*(1-p))+1 {
					t.Errorf("%s, step %d: arm %d was drawn %v times of %v, at probability %v", c.method, step, arm, drawn, n, p)
				}
			}
		}
		if learned == 0 {
			t.Errorf("%s: nothing was learned", c.method)
		}
	}
}

// TestNucleusIsCorrected: beside truncated importance sampling the policy term of a token has the
// weight pi / pi_nucleus, which is the mass of the nucleus.
func TestNucleusIsCorrected(t *testing.T) {
	slopes := func(sets ...exptest.Setting) (out, sampler, old []float64) {
		sets = append(sets, exptest.Set("env", "start", "zipf"), exptest.Set("train", "top_p", 0.6))
		tr := trainerOf(t, "grpo", sets...)
		tr.update.Want.Sampler = true
		inner := tr.update.Loss
		for step := 0; out == nil && step < 50; step++ {
			tr.update.Loss = func(l *loss.Tokens) error {
				err := inner(l)
				if slices.ContainsFunc(l.DLogp, func(x float64) bool { return x != 0 }) {
					out, sampler, old = slices.Clone(l.DLogp), slices.Clone(l.Sampler), slices.Clone(l.Old)
				}
				return err
			}
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
		}
		return out, sampler, old
	}
	plain, sampler, old := slopes()
	corrected, _, _ := slopes(exptest.Set("method", "tis", 5.0))
	if plain == nil || len(plain) != len(corrected) {
		t.Fatalf("slopes %v and, corrected, %v", plain, corrected)
	}
	for k := range plain {
		weight := math.Exp(old[k] - sampler[k])
		if !(weight < 1) || math.Abs(corrected[k]-weight*plain[k]) > 1e-14 {
			t.Errorf("token %d: slope %v, without the correction %v, want %v of it, which is below 1", k, corrected[k], plain[k], weight)
		}
	}
}

// TestOldOfLearner: with old = learner the ratios of a step are to the policy as the step begins,
// and the sampler's log-probabilities are beside them; with old = sampler the two are the same.
func TestOldOfLearner(t *testing.T) {
	for _, old := range []string{"sampler", "learner"} {
		for _, method := range []string{"grpo", "dapo"} {
			tr := trainerOf(t, method, exptest.Set("train", "old", old), exptest.Set("train", "lag", int64(2)), exptest.Set("train", "sampler_bits", int64(4)),
				exptest.Set("train", "minibatches", int64(2)), exptest.Set("train", "lr", 0.3), exptest.Set("env", "start", "zipf"))
			tr.update.Want.Sampler = true
			inner := tr.update.Loss
			for step := range 6 {
				before := copyOf(t, tr)
				updates, moved := 0, false
				tr.update.Loss = func(l *loss.Tokens) error {
					if updates == 0 && old == "learner" && !slices.Equal(l.Logp, l.Old) {
						t.Errorf("%s, step %d: in the first update the ratios are not 1", method, step)
					}
					if old == "sampler" && !slices.Equal(l.Old, l.Sampler) {
						t.Errorf("%s, step %d: the old log-probabilities are not the sampler's", method, step)
					}
					moved = moved || !slices.Equal(l.Old, l.Sampler)
					updates++
					return inner(l)
				}
				if err := tr.step(step, nil); err != nil {
					t.Fatal(err)
				}
				tokens, err := before.Flatten(policies.Batch{Groups: tr.groups, Temperature: 1})
				if err != nil {
					t.Fatal(err)
				}
				if old == "learner" && !slices.Equal(tokens.Logp, tokens.Old) {
					t.Errorf("%s, step %d: the old log-probabilities are %v, want the learner's %v", method, step, tokens.Old, tokens.Logp)
				}
				if updates > 0 && moved != (old == "learner") {
					t.Errorf("%s, step %d, old = %s: the sampler's differ from the old ones: %v", method, step, old, moved)
				}
			}
		}
	}
}

// TestUpdatesAreCounted: the metrics of updates equal the counts over the minibatches.
func TestUpdatesAreCounted(t *testing.T) {
	tr := trainerOf(t, "grpo", exptest.Set("train", "lag", int64(3)), exptest.Set("train", "minibatches", int64(2)), exptest.Set("train", "old", "learner"), exptest.Set("train", "lr", 0.7),
		exptest.Set("method", "tis", 1.1), exptest.Set("eval", "measure", []string{"updates"}))
	e := evaluatorOf(t, tr)
	e.updates = &tr.updates
	inner, tokens, clipped, corrected, moved := tr.update.Loss, 0.0, 0.0, 0.0, 0.0
	tr.update.Loss = func(l *loss.Tokens) error {
		err := inner(l)
		for k := range l.Logp {
			tokens++
			moved += math.Abs(l.Logp[k] - l.Old[k])
			if l.DLogp[k] == 0 && l.Advantage[k] != 0 { // answers are of one token
				clipped++
			}
			if l.Old[k]-l.Sampler[k] > math.Log(1.1) {
				corrected++
			}
		}
		return err
	}
	for step := range 20 {
		rec, err := e.evaluate(step)
		if err != nil {
			t.Fatal(err)
		}
		n := max(tokens, 1)
		for name, want := range map[string]float64{"clipped": clipped / n, "corrected": corrected / n, "log_ratio": moved / n} {
			if got := rec.Metrics[name]; math.Abs(got-want) > 1e-12 {
				t.Errorf("step %d: %s is %v, want %v", step, name, got, want)
			}
		}
		if err := tr.step(step, nil); err != nil {
			t.Fatal(err)
		}
	}
	if clipped == 0 || corrected == 0 {
		t.Errorf("%v tokens were clipped and %v corrected, want some", clipped, corrected)
	}
}
