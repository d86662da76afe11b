package experiments_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"modebench/estimators"
	"modebench/internal/params"
	"modebench/internal/testkit"
)

// TestIdleFieldsOfMethods: a spec that changes a field of an estimator changes a record, or has a
// note that the field makes no difference. Some value of each field changes a record in one of the
// runs.
func TestIdleFieldsOfMethods(t *testing.T) {
	testkit.Long(t, "runs a cell for every value of every field")
	type set = map[string]any
	two, three := set{"env.components": 2}, set{"env.components": 3}
	lone := set{"train.group": 1, "train.batch": 3} // so that batches are of several
	raw := set{"train.group": 1, "train.batch": 3, "method.singleton": "raw"}
	off := func(fields ...string) set {
		out := set{}
		for _, f := range fields {
			out["method."+f] = 0.0
		}
		return out
	}
	// The form of single answers is always in order, so the weights of form have no effect.
	single := set{"train.candidates": 1, skip: []string{"gamma_s", "gamma_a", "gamma_c", "w_fa"}}
	letters := "polynomial" // answers of several tokens
	// A particular holds a method's environment, the settings of all its runs, the settings of further
	// runs, and fields that cannot move a record in any of them.
	type particular struct {
		env   string
		base  set
		more  []set
		leave []string
	}
	often := set{"env.rewarded": 6, "train.group": 3} // groups are all correct
	cases := map[string]particular{
		"grpo": {more: []set{{"method.scale": "none"}, lone, raw, {"method.scale": "none", "method.singleton": "raw", "train.group": 1}}},
		"gdpo": {more: []set{lone, two}}, "rloo": {more: []set{lone, raw}}, "opo": {more: []set{lone, raw}},
		"gpg": {more: []set{lone, raw}}, "reinforce++-baseline": {more: []set{lone, raw}},
		"maxrl":                  {more: []set{lone, raw, {"method.fidelity": "paper"}}},
		"maxrl-clipped":          {more: []set{lone, raw}},
		"dra-grpo":               {more: []set{lone, raw, {"method.over": "batch"}}},
		"mmr-grpo":               {more: []set{lone, raw, {"method.rule": "fixed"}, {"method.over": "batch", "method.rule": "averaged"}}},
		"grpo-length":            {more: []set{lone, raw, {"method.scale": "group"}}},
		"gdpo@verl":              {more: []set{lone, raw, two}},
		"reinforce++@openrlhf":   {more: []set{lone, {"method.scale": "none"}}},
		"grpo-div":               {more: []set{lone, raw, {"method.scale": "group"}}},
		"evol-rl":                {more: []set{lone, raw}},
		"evol-rl@code":           {more: []set{{"method.fidelity": "paper"}}, leave: []string{"singleton"}},
		"evol-rl-novelty":        {more: []set{raw}},
		"self-consistency":       {more: []set{raw}},
		"em-rl-token":            {env: letters, more: []set{raw}},
		"em-rl-sequence":         {env: letters, more: []set{raw}},
		"differential-smoothing": {env: letters, more: []set{off("gamma_p", "gamma_n"), off("gamma_p"), lone, raw}},
		"rs-grpo":                {more: []set{lone, raw, {"method.beta": 0.0}}},
		"ucpo":                   {env: letters, more: []set{lone, raw, {"method.tau": 0.0}, {"method.scale": "none"}}},
		"f-grpo":                 {more: []set{lone, raw, {"method.scale": "none"}}},
		"uniqueness-aware":       {more: []set{lone, raw, {"method.scale": "none"}}},
		"darling":                {more: []set{lone, raw, {"method.scale": "group"}}},
		"unlikeliness":           {base: set{"env.rewarded": 7}, more: []set{lone, raw, {"method.beta": 0.0}, {"method.scale": "none"}}},
		"mara":                   {env: letters, more: []set{lone, raw, off("beta"), {"method.scale": "none"}}},
		"self-paper":             {base: set{"train.reward_noise": 0.5}, more: []set{lone, raw, {"method.scale": "none"}}},
		"outcome-ucb":            {base: often, more: []set{{"method.baseline": "constant"}, off("c"), lone, raw}},
		"outcome-batch":          {base: often, more: []set{off("c"), lone, raw}},
		"entropy-shaped":         {env: letters, more: []set{off("alpha"), {"method.scale": "none"}, lone, raw}},
		"stare":                  {env: letters, base: set{"method.gate": 9.0}, more: []set{off("gate"), off("share"), {"method.scale": "none"}, lone, {"train.group": 1, "train.batch": 3, "method.singleton": "raw", skip: []string{"attenuate"}}}}, // no advantage is below 0
		"token-baseline":         {env: letters, more: []set{lone, raw}},
		// Copies change no maximum of rewards of 0 or more; the exact expectation of two components is not in the code.
		"vpo": {base: two, more: []set{
			{"env.components": 3, skip: []string{"fidelity"}}, {"env.components": 1, skip: []string{"fidelity"}}, {"method.alpha": 2.0, skip: []string{"fidelity"}}, raw,
		}},
		"random-w":   {more: []set{two, three, raw}},
		"multi-rlvr": {more: []set{{"train.group": 1, "train.batch": 3, "method.singleton": "raw", skip: []string{"fidelity"}}}}, // no chain has two right answers
		"sd-e2":      {more: []set{off("w_sd"), off("beta"), off("rho"), off("bonus", "beta"), off("bonus", "rho"), off("w_oc"), off("lambda_oc"), off("w_re"), off("lambda_re"), off("w_fa"), {"method.scale": "none"}, single, lone, raw}},
		"grpo-cfee":  {more: []set{off("w_rd"), off("beta"), off("rho"), off("bonus", "beta"), raw}},
		"grpo-cfl":   {base: set{"method.length": 2.0}, more: []set{off("w_l"), raw}},
		"set-rl":     {more: []set{{"method.sets": 3}}, leave: []string{"objective"}}, // a text, of which no other is tried
		"poly-epo":   {more: []set{{"method.sets": 3}}},
		// They take no groups of one.
		"setpo+grpo": {leave: []string{"singleton"}}, "max-at-k": {leave: []string{"singleton"}},
	}
	seen := map[string]bool{} // kinds of estimators
	for _, m := range estimators.Methods() {
		c := cases[m.Name]
		kind := fmt.Sprintf("%T", m.New().Estimator)
		if !m.Trains || len(params.Fields(m.New().Estimator)) == 0 || seen[kind] && len(c.more) == 0 || strings.Contains(kind, "plugin") {
			continue
		}
		seen[kind] = true
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			env := "bandit"
			if c.env != "" {
				env = c.env
			}
			doc := tiny(env, "tabular", m.Name)
			base := set{"train.group": 6, "train.batch": 3}
			if env == "bandit" { // of which a vote may err, and arms are of several embeddings
				maps.Copy(base, set{"env.modes": 8, "env.rewarded": 2, "env.correct_answers": 2, "env.wrong_answers": 2, "env.arms_per_mode": 2, "env.dim": 4, "env.jitter": 0.5})
			}
			maps.Copy(base, c.base)
			matters := map[string]bool{}
			for _, more := range append([]set{nil}, c.more...) {
				doc := doc
				for path, value := range base {
					doc = at(doc, path, value)
				}
				skipped, _ := more[skip].([]string)
				for path, value := range more {
					if path == skip {
						continue
					}
					doc = at(doc, path, value)
				}
				r, err := runOf(t, doc, nil)
				if err != nil {
					t.Fatalf("with %v: %v", more, err)
				}
				for _, f := range params.Fields(r.setup.Method.Estimator) {
					if slices.Contains(skipped, f.Name) {
						continue
					}
					moved := r.check(t, "method", f)
					matters[f.Name] = matters[f.Name] || moved
				}
				if t.Failed() {
					t.Fatalf("with %v", more)
				}
				if testing.Short() {
					return
				}
			}
			for name, does := range matters {
				if does == slices.Contains(c.leave, name) {
					t.Errorf("%s moves a record: %v", name, does)
				}
			}
		})
	}
}

// skip is the key of the fields that a run leaves out.
const skip = "skip"

// at sets PART.FIELD of a spec.
func at(doc map[string]any, path string, value any) map[string]any {
	part, field, _ := strings.Cut(path, ".")
	return with(doc, part, field, value)
}
