package experiments

import (
	"fmt"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/record"
)

// lacks says what a method has to do without in an environment, in the words of the
// refusal; "" for a method that fits. The entropy of an answer's other tokens is
// nothing where answers have one token.
func lacks(info envs.Info, method string, needs envs.Fields) string {
	if method == "em-rl-token" && info.MaxAnswer < 2 {
		return "at least 2 tokens"
	}
	for _, field := range (needs &^ info.Provides()).Names() {
		return "needs " + field + " of every candidate"
	}
	return ""
}

// everywhere is a spec of every method on one environment.
func everywhere(env string, group int) string {
	start := "" // of a uniform policy all answers are equally likely, which is all that EM-RL looks at
	if env == "bandit" {
		start = "start = \"zipf\""
	}
	return fmt.Sprintf(`seeds = 1
[env]
name = %q
%s
[train]
steps = 12
problems = 2
batch = 2
group = %d
[eval]
every = 12
k = [1, 2]
samples = 6
enumerate = 0
draws = 4
[[method]]
name = "*"
`, env, start, group)
}

// TestEveryMethodOnEveryEnvironment: it trains and moves the policy, or the spec is
// refused when it is loaded, with the reason; "*" stands for those that fit.
func TestEveryMethodOnEveryEnvironment(t *testing.T) {
	for _, env := range envs.Names() {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			spec, err := Parse("everywhere.toml", []byte(everywhere(env, 8)))
			if err != nil {
				t.Fatal(err)
			}
			info := infoOf(t, env)
			fits := map[string]*Variant{}
			for _, v := range spec.Variants {
				fits[v.Method] = v
			}
			why := map[string]string{}
			for _, l := range spec.LeftOut {
				why[l.Method] = l.Why
			}
			for _, m := range estimators.Methods() {
				lacks := lacks(info, m.Name, m.New().Requirements().CandidateFields)
				v := fits[m.Name]
				switch {
				case (v == nil) != (lacks != "") || v == nil && !strings.Contains(why[m.Name], lacks):
					t.Errorf("%s: runs: %v, refused for %q; want a reason with %q", m.Name, v != nil, why[m.Name], lacks)
				case v == nil:
					text := strings.Replace(everywhere(env, 8), `"*"`, fmt.Sprintf("%q", m.Name), 1)
					if _, err := Parse("one.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), "one.toml:") || !strings.Contains(err.Error(), lacks) {
						t.Errorf("%s: a spec of it is refused with %v", m.Name, err)
					}
				default:
					trains(t, v)
				}
			}
		})
	}
}

// infoOf is what an environment with its default parameters says of itself.
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
func trains(t *testing.T, v *Variant) {
	t.Helper()
	p, at := v.build()
	if at != nil {
		t.Fatal(at.err)
	}
	tr, err := newTrainer(p, policyOf(t, p), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !p.method.Method.Trains {
		return
	}
	advantage, gradient := 0.0, 0.0
	for step := range p.train.Steps {
		var rec record.Train
		if err := tr.step(step, &rec); err != nil {
			t.Fatalf("%s, step %d: %v", v.Method, step, err)
		}
		advantage += rec.Advantage
		gradient += rec.GradNorm
	}
	if advantage == 0 || gradient == 0 {
		t.Errorf("%s: mean |A| sums to %v over %d steps, the gradient's norm to %v: it learns nothing", v.Method, advantage, p.train.Steps, gradient)
	}
	e, err := newEvaluator(&tr.parts, tr.policy, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := e.evaluate(p.train.Steps)
	if err != nil {
		t.Errorf("%s: evaluation: %v", v.Method, err)
	}
	if pass, ok := rec.Metrics["pass@2"]; !ok || pass < 0 || pass > 1 {
		t.Errorf("%s: pass@2 is %v", v.Method, pass)
	}
}

// TestStar: it stands for the methods that the spec does not name, once.
func TestStar(t *testing.T) {
	text := everywhere("bandit", 8)
	multi := everywhere("multiplication", 8)
	spec, err := Parse("star.toml", []byte(multi+"[[method]]\nname = \"grpo\"\nkl_coef = 0.1\n"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, v := range spec.Variants {
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
		if _, err := Parse("star.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s\nis refused with %v, want %q", text, err, says)
		}
	}
	// A group too small for some methods leaves those out.
	spec, err = Parse("star.toml", []byte(everywhere("bandit", 3)))
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]string{}
	for _, l := range spec.LeftOut {
		left[l.Method] = l.Why
	}
	if !strings.Contains(left["poly-epo"], "at least 5 rollouts, got 3") {
		t.Errorf("groups of 3 leave out %v, want poly-epo among them", left)
	}
}
