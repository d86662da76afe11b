package train

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// lacks names what an environment does not offer a method, in the words of the refusal; "" for a
// method that fits. The entropy of an answer's other tokens is missing if answers have one token.
func lacks(info envs.Info, method string, needs envs.Fields) string {
	if method == "em-rl-token" && info.MaxAnswer < 2 {
		return "at least 2 tokens"
	}
	for _, field := range (needs &^ info.Provides()).Names() {
		return "needs " + field + " of every candidate"
	}
	return ""
}

// TestEveryMethodOnEveryEnvironment: it trains and moves the policy, or the spec is
// refused when it is loaded, with the reason; "*" represents those that fit.
func TestEveryMethodOnEveryEnvironment(t *testing.T) {
	for _, env := range envs.Names() {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && !slices.Contains([]string{"bandit", "coins", "polynomial"}, env) {
				t.Skip("with -short three environments are enough")
			}
			loaded := exptest.Load(t, "everywhere.toml", exptest.Everywhere(env, 8))
			info := infoOf(t, env)
			fits := map[string]*spec.Variant{}
			for _, v := range loaded.Variants {
				fits[v.Method] = v
			}
			why := map[string]string{}
			for _, l := range loaded.LeftOut {
				why[l.Method] = l.Why
			}
			for _, m := range estimators.Methods() {
				lacks := lacks(info, m.Name, m.New().Requirements().CandidateFields)
				v := fits[m.Name]
				switch {
				case (v == nil) != (lacks != "") || v == nil && !strings.Contains(why[m.Name], lacks):
					t.Errorf("%s: runs: %v, refused for %q; want a reason with %q", m.Name, v != nil, why[m.Name], lacks)
				case v == nil:
					text := strings.Replace(exptest.Everywhere(env, 8), `"*"`, fmt.Sprintf("%q", m.Name), 1)
					if _, err := exptest.TryLoad(t, "one.toml", text); err == nil || !strings.Contains(err.Error(), "one.toml:") || !strings.Contains(err.Error(), lacks) {
						t.Errorf("%s: a spec of it is refused with %v", m.Name, err)
					}
				case rests[m.Name]:
					text := strings.Replace(exptest.Everywhere(env, 2), `"*"`, fmt.Sprintf("%q", m.Name), 1)
					text = strings.Replace(text, "[train]", "[train]\nreward_noise = 0.5", 1)
					trains(t, exptest.Load(t, "unsure.toml", text).Variants[0])
				default:
					trains(t, v)
				}
			}
		})
	}
}

// rests has the methods that learn nothing from a solved problem: when the greedy answer is right,
// or more than one rollout of a group. Here they get pairs, and a verifier that errs every other
// time.
var rests = map[string]bool{"self-paper": true, "grpo-passk": true}

// infoOf describes an environment with its default parameters.
func infoOf(t *testing.T, env string) envs.Info {
	t.Helper()
	d, err := envs.Lookup(env)
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	return e.Info()
}

// trains runs a few steps of a variant by itself.
func trains(t *testing.T, v *spec.Variant) {
	t.Helper()
	p, err := v.Setup()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTrainer(t.Context(), p, policyOf(t, p), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Method.Method.Trains {
		return
	}
	advantage, gradient := 0.0, 0.0
	for step := range p.Train.Steps {
		var rec record.Train
		if err := tr.step(step, &rec); err != nil {
			t.Fatalf("%s, step %d: %v", v.Method, step, err)
		}
		advantage += rec.Advantage
		gradient += rec.GradNorm
	}
	if advantage == 0 || gradient == 0 {
		t.Errorf("%s: mean |A| sums to %v over %d steps, the gradient's norm to %v: it learns nothing", v.Method, advantage, p.Train.Steps, gradient)
	}
	e, err := newEvaluator(t.Context(), &tr.Setup, tr.policy, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := e.evaluate(p.Train.Steps)
	if err != nil {
		t.Errorf("%s: evaluation: %v", v.Method, err)
	}
	if pass, ok := rec.Metrics["pass@2"]; !ok || pass < 0 || pass > 1 {
		t.Errorf("%s: pass@2 is %v", v.Method, pass)
	}
}

// TestStar: it represents the methods that the spec does not name, once.
func TestStar(t *testing.T) {
	text := exptest.Everywhere("bandit", 8)
	multi := exptest.Everywhere("multiplication", 8)
	loaded := exptest.Load(t, "star.toml", multi+"[[method]]\nname = \"grpo\"\nkl_coef = 0.1\n")
	seen := map[string]int{}
	for _, v := range loaded.Variants {
		seen[v.Method]++
	}
	for _, m := range estimators.Methods() {
		if seen[m.Name] != 1 {
			t.Errorf("%s is there %d times", m.Name, seen[m.Name])
		}
	}
	for text, says := range map[string]string{
		text + "[[method]]\nname = \"*\"\n":       "twice",
		strings.TrimSpace(text) + "\nn = 3\n":     "unknown field",
		strings.TrimSpace(text) + "\nlabel = 1\n": "label",
	} {
		if _, err := exptest.TryLoad(t, "star.toml", text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s\nis refused with %v, want %q", text, err, says)
		}
	}
	// A group too small for some methods leaves those out.
	loaded = exptest.Load(t, "star.toml", exptest.Everywhere("bandit", 3))
	left := map[string]string{}
	for _, l := range loaded.LeftOut {
		left[l.Method] = l.Why
	}
	if !strings.Contains(left["poly-epo"], "at least 5 rollouts, got 3") {
		t.Errorf("groups of 3 leave out %v, want poly-epo among them", left)
	}
}
