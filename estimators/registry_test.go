package estimators

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

func TestEveryMethodIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods() {
		if seen[m.Name] {
			t.Errorf("two methods are named %s", m.Name)
		}
		seen[m.Name] = true
		if m.Summary == "" || m.Source == "" || strings.Contains(m.Summary, "\n") {
			t.Errorf("%s: summary %q, source %q, want one line and a source", m.Name, m.Summary, m.Source)
		}
		found, err := Lookup(m.Name)
		if err != nil || found.Name != m.Name {
			t.Errorf("Lookup(%q) = %q, %v", m.Name, found.Name, err)
		}
		instance := m.New()
		if err := instance.Loss.Check(); err != nil {
			t.Errorf("%s: its own defaults contradict: %v", m.Name, err)
		}
		if instance.Estimator.Requirements().MinGroup < 1 {
			t.Errorf("%s: groups of %d", m.Name, instance.Estimator.Requirements().MinGroup)
		}
		if takes := instance.Estimator.Requirements().CheckEnv(envs.HasAll, 16, 1000, m.Candidates); m.Candidates < 1 || takes != nil {
			t.Errorf("%s: %d candidates: %v", m.Name, m.Candidates, takes)
		}
		if found.Candidates != m.Candidates || (m.Trains || m.Name == "base") == m.Optimum || m.Goals && !m.Trains {
			t.Errorf("%s: optimum %v, goals %v, trains %v; found with %d candidates, want %d", m.Name, m.Optimum, m.Goals, m.Trains, found.Candidates, m.Candidates)
		}
		if m.Trains == (len(instance.Fields()) == 0) {
			t.Errorf("%s: %d fields, trains: %v", m.Name, len(instance.Fields()), m.Trains)
		}
		for _, f := range instance.Fields() {
			if f.Doc == "" {
				t.Errorf("%s: field %s has no description", m.Name, f.Name)
			}
			// Defaults have to be values one could set.
			if err := instance.SetText(fmt.Sprintf("%s=%v", f.Name, f.Value)); err != nil {
				t.Errorf("%s: its own default is refused: %v", m.Name, err)
			}
		}
	}
}

// TestInstancesShareNothing: setting a field of one must not reach the registry
// or another instance.
func TestInstancesShareNothing(t *testing.T) {
	for _, m := range Methods() {
		if !m.Trains {
			continue
		}
		before := m.New().Fields()
		changed := m.New()
		if err := changed.SetText("kl_coef=0.123"); err != nil {
			t.Fatal(err)
		}
		if _, ok := changed.Field("n"); ok {
			if err := changed.Set("n", int64(7)); err != nil {
				t.Fatal(err)
			}
		}
		if cmp.Equal(changed.Fields(), before) {
			t.Errorf("%s: setting a field changed nothing", m.Name)
		}
		if d := cmp.Diff(before, m.New().Fields()); d != "" {
			t.Errorf("%s: setting one instance changed the defaults:\n%s", m.Name, d)
		}
	}
}

// usualFields are the values of a method's fields that defaultRows do not name.
var usualFields = map[string]any{
	"clip_low": .2, "clip_high": .2, "dual_clip": 0., "ratio": "token", "aggregation": "seq-mean-token-mean",
	"kl": "k3", "kl_coef": 0., "entropy_coef": 0., "entropy_target": 0., "entropy_delta": 0., "entropy_max": 0., "kl_in_reward": false, "div_coef": 0.,
	"tis": 0., "icepop_low": 0., "icepop_high": 0., "bound_low": 0., "bound_high": 0., "by_sequence": false, "veto": 0.,
	"clip_cov": 0., "clip_cov_low": 0., "clip_cov_high": 0., "kl_cov": 0., "kl_cov_coef": 0.,
	"tau_pos": 0., "tau_neg": 0., "log_ratio_coef": 0., "off_policy_mask": 0., "repo": 0., "repo_target": 0., "repo_min": 0., "repo_max": 0., "forking": 0., "simko": 0., "simko_top": 0, "simko_quantile": 0., "dph_forward": 0., "dph_js": 0., "dph_alpha": 0., "dph_rollouts": 0, "flow_beta": 0., "eta": 0.,
	"votes": 0, "generations": 0, "scalarisation": "", "shaping": "",
	"scale": "group", "ddof": 0, "epsilon": 1e-6, "singleton": "zero",
}

type set = map[string]any

// A defaultRow holds the settings of a paper or framework; nil: there is no such field.
type defaultRow struct {
	method string
	with   set
	reason string
}

// defaultRows has every method that trains; each family's tests add theirs.
var defaultRows []defaultRow

func init() {
	vpo := func(with set) set {
		with = maps.Clone(with)
		if with == nil {
			with = set{}
		}
		maps.Copy(with, set{"dual_clip": 3., "aggregation": "token-mean", "kl_coef": 1e-3})
		return with
	}
	defaultRows = append(defaultRows, []defaultRow{
		{"grpo", nil, "group z-score of VPO app. B: ddof 0, 1e-6"},
		{"grpo@poly-epo", set{"scale": "none", "clip_high": .28}, "app. A: no deviation, mean over each sequence, 0.2/0.28, KL 0"},
		{"grpo@setpo", set{"kl": "exact", "kl_coef": 1e-4}, "table 4: clip 0.2, KL 1e-4"},
		{"grpo@vpo", set{"dual_clip": 3., "aggregation": "token-mean", "kl_coef": 1e-3}, "app. B: dual clip 3, token mean, k3 1e-3"},
		{"grpo@sd-e2", set{"ratio": "sequence", "aggregation": "seq-mean-token-sum", "kl": "exact", "kl_coef": .02}, "eqs. 31-37: sequence ratio, exact KL"},
		{"grpo@evol-rl", set{"kl_coef": 1e-3}, "app. A.5: KL 0.001"},
		{"grpo@verl", set{"ddof": 1, "singleton": "raw", "dual_clip": 3., "aggregation": "token-mean"}, "sample deviation, 1e-6, raw singletons, clip_ratio_c 3, token-mean"},
		{"grpo@trl", set{"ddof": 1, "epsilon": 1e-4, "aggregation": "token-mean"}, "nanstd, 1e-4, loss type dapo, beta 0"},
		{"grpo@openrlhf", set{"ddof": 1, "epsilon": 1e-9, "aggregation": "token-mean"}, "sample deviation, 1e-9, no dual clip"},
		{"grpo@prime", set{"scale": "none", "aggregation": "token-mean"}, "r - mean"},
		{"dr-grpo", set{"scale": "none", "aggregation": "seq-mean-token-sum-norm"}, "no deviation, constant length"},
		{"grpo-div", set{"scale": "none", "clip_high": .28, "lambda": .5}, "app. A's GRPO plus the bonus"},
		{"poly-epo", set{"scale": nil, "ddof": nil, "epsilon": nil, "singleton": nil, "n": 4, "sets": 0, "clip_high": .28, "aggregation": "seq-mean-token-sum-norm"}, "app. A: n = 4, all sets, token sum over T_max, KL 0"},
		{"setpo+grpo", set{"lambda": .05, "kl": "exact", "kl_coef": 1e-4}, "table 4: lambda 0.05 with GRPO"},
		{"vpo", vpo(set{"draws": 64, "alpha": 1., "sampler": "uniform", "fidelity": "paper"}), "sec. 3.2: alpha = 1; app. B; the paper gives no K"},
		{"vpo@code", vpo(set{"draws": 100, "alpha": 1., "sampler": "uniform", "fidelity": "code"}), "vpo_advantage: n_selections 100, sampler naive"},
		{"multi-rlvr", vpo(set{"fidelity": "paper"}), "app. B: one backbone for all"},
		{"multi-rlvr@code", vpo(set{"fidelity": "code", "ddof": 1, "singleton": "raw"}), "verl's GRPO"},
		{"max-at-k@code", vpo(set{"k": 0, "ddof": 1}), "max(2, n//2), the sample deviation"},
		{"gdpo@code", vpo(set{"scale": nil, "ddof": nil, "singleton": "raw", "weights": "ones"}), "train.sh sets no weights"},
		{"random-w", vpo(set{"alpha": 1.}), "app. B: one backbone for all"},
		{"goal-conditioned", vpo(nil), "app. B: one backbone for all"},
		{"max-at-k", vpo(set{"k": 4}), "app. B: one backbone for all"},
		{"maxrl", vpo(set{"scale": nil, "ddof": nil, "fidelity": "code"}), "epsilon 1e-6 as in the published code"},
		{"gdpo", vpo(set{"scale": nil, "singleton": nil, "ddof": 1}), "torch's sample deviation, 1e-6 as in verl"},
		{"rloo", set{"scale": nil, "ddof": nil, "epsilon": nil, "clip_low": 0., "clip_high": 0., "aggregation": "seq-mean-token-sum"}, "plain policy gradient"},
		{"reinforce", set{"scale": nil, "ddof": nil, "epsilon": nil, "singleton": nil, "clip_low": 0., "clip_high": 0., "aggregation": "seq-mean-token-sum"}, "plain policy gradient"},
	}...)
}

// A shown lists the effects that the conformance vectors of a method show, so that a new method needs no
// row in the tables of these tests.
type shown struct {
	defaults     set  // as in a defaultRow; nil: they do not
	right, wrong bool // groups of several rollouts that are all correct, or all wrong
}

// shownBy reads the conformance vectors, by method.
func shownBy(t *testing.T) map[string]shown {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]shown{}
	for _, file := range files {
		var cases []struct {
			Method, Error string
			Defaults      set
			Batch         struct {
				Groups []struct {
					Rollouts []struct{ Candidates []struct{ Correct *bool } }
				}
			}
		}
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &cases)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			s := out[c.Method]
			if c.Defaults != nil {
				s.defaults = c.Defaults
			}
			for _, g := range c.Batch.Groups {
				said, correct := 0, 0
				for _, r := range g.Rollouts {
					if len(r.Candidates) == 1 && r.Candidates[0].Correct != nil {
						said++
						correct += int(Indicator(*r.Candidates[0].Correct))
					}
				}
				if c.Error == "" && said == len(g.Rollouts) && said > 1 {
					s.right = s.right || correct == said
					s.wrong = s.wrong || correct == 0
				}
			}
			out[c.Method] = s
		}
	}
	return out
}

// TestDefaults is the table of the variants: the settings of each paper or framework.
func TestDefaults(t *testing.T) {
	covered := map[string]bool{}
	rows := slices.Clone(defaultRows)
	byVectors := shownBy(t)
	for _, method := range slices.Sorted(maps.Keys(byVectors)) {
		if with := byVectors[method].defaults; with != nil {
			rows = append(rows, defaultRow{method, with, "its conformance vectors"})
		}
	}
	for _, c := range rows {
		covered[c.method] = true
		want := maps.Clone(usualFields)
		for name, value := range c.with {
			want[name] = value
			if value == nil {
				delete(want, name)
			}
		}
		got := map[string]any{}
		for _, f := range build(t, c.method).Fields() {
			got[f.Name] = f.Value
			if n, ok := want[f.Name].(float64); ok && f.Type == "int" {
				want[f.Name] = int(n) // as JSON has it
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (%s): -want +got\n%s", c.method, c.reason, d)
		}
	}
	for _, m := range Methods() {
		if m.Trains && !covered[m.Name] {
			t.Errorf("method %s: no conformance vector and no row here says its defaults", m.Name)
		}
	}
}

func TestLookupErrors(t *testing.T) {
	_, err := Lookup("GRPO")
	wantError(t, err, `unknown method "GRPO"`)
	for _, m := range Methods() {
		wantError(t, err, m.Name)
	}
	for _, c := range []struct{ name, hint, reason string }{
		{"grop", "did you mean grpo? ", "two letters have changed places"},
		{"max-rl", "did you mean maxrl? ", "a hyphen too many"},
		{"polyepo", "did you mean poly-epo? ", "a hyphen is missing"},
		{"setpo-grpo", "did you mean setpo+grpo? ", "a hyphen for a plus"},
		{"ppo-ewma", "", "nothing is near"},
	} {
		_, err := Lookup(c.name)
		wantError(t, err, fmt.Sprintf("unknown method %q; %sknown methods: base, ", c.name, c.hint))
	}
}

func TestSetErrors(t *testing.T) {
	for _, c := range []struct {
		method, pair string
		says         []string
	}{
		{"grpo", "lambda=1", []string{"method grpo", `unknown field "lambda"`, "scale, ddof, epsilon, singleton, clip_low, clip_high, dual_clip, ratio, aggregation, kl, kl_coef, entropy_coef, kl_in_reward"}},
		{"grpo", "kl_loss_coef=1", []string{`unknown field "kl_loss_coef"; did you mean kl_coef? known fields: scale`}},
		{"poly-epo", "k=2", []string{"method poly-epo", `"k"`, "known fields: n, sets, clip_low"}},
		{"setpo+grpo", "", []string{"method setpo+grpo", `""`, "known fields: lambda, scale"}},
		{"base", "ddof=1", []string{"method base", `"ddof"`, "it has no fields"}},
		{"base", "kl_coef=1", []string{"method base", `"kl_coef"`, "it has no fields"}},
		{"grpo", "ddof", []string{"method grpo", `"ddof"`, "key=value"}},
		{"grpo", "ddof=2", []string{`"ddof"`, "got 2", "from 0 to 1"}},
		{"grpo", "ddof=0.5", []string{`"ddof"`, `"0.5" is not valid`, "int"}},
		{"grpo", "epsilon=-1", []string{`"epsilon"`, "got -1", ">= 0"}},
		{"grpo", "epsilon=NaN", []string{`"epsilon"`, "got NaN"}},
		{"grpo", "scale=batch", []string{`"scale"`, `"batch"`, "group, none"}},
		{"grpo", "singleton=error", []string{`"singleton"`, "zero, raw"}},
		{"grpo", "clip_low=1", []string{"method grpo", `"clip_low"`, "below 1"}},
		{"grpo@vpo", "dual_clip=0.9", []string{"method grpo@vpo", `"dual_clip"`, "above 1"}},
		{"poly-epo", "n=0", []string{`"n"`, "got 0", ">= 1"}},
		{"poly-epo", "n=2.5", []string{`"n"`, "not valid", "int"}},
		{"vpo", "draws=0", []string{`"draws"`, "got 0", "from 1 to 65536"}},
		{"vpo", "alpha=0", []string{`"alpha"`, "got 0", "from 0.05 to 1000000000000"}},
		{"random-w", "draws=8", []string{`"draws"`, "known fields: alpha, scale"}},
		{"max-at-k", "k=-1", []string{`"k"`, "got -1", ">= 0"}},
		{"maxrl", "fidelity=both", []string{`"fidelity"`, "code, paper"}},
		{"optimum", "ddof=1", []string{"method optimum", `"ddof"`, "it has no fields"}},
	} {
		t.Run(c.method+" "+c.pair, func(t *testing.T) {
			instance := build(t, c.method)
			before := instance.Fields()
			refused := instance.SetText(c.pair)
			if refused == nil {
				wantError(t, instance.Check(), c.says...)
				return
			}
			wantError(t, refused, c.says...)
			if d := cmp.Diff(before, instance.Fields()); d != "" {
				t.Errorf("a refused value changed a field:\n%s", d)
			}
		})
	}
	wantError(t, build(t, "poly-epo").Set("n", "4"), "method poly-epo", `"n"`, `got "4"`)
	wantError(t, change(build(t, "grpo"), "dual_clip=0.9"), "method grpo", `"dual_clip"`, "above 1")
}

func TestSetReachesTheMethod(t *testing.T) {
	instance := build(t, "setpo+grpo", "lambda=0.5", " scale = none", "kl=k3", "kl_coef=2e-3")
	e, ok := instance.Estimator.(*SetPO)
	if !ok || e.Lambda != .5 || e.Scale != "none" || instance.Loss.KL != "k3" || instance.Loss.KLCoef != 2e-3 {
		t.Errorf("got %+v and %+v", e, instance.Loss)
	}
	if f, ok := instance.Field("lambda"); !ok || f.Value != .5 {
		t.Errorf("Field(lambda) = %+v, %v", f, ok)
	}
	if f, ok := instance.Field("kl"); !ok || !slices.Contains(f.Choices, "exact") {
		t.Errorf("Field(kl) = %+v, %v", f, ok)
	}
	if _, ok := instance.Field("n"); ok {
		t.Error("SetPO has no set size")
	}
	if err := instance.Set("entropy_coef", int64(1)); err != nil || instance.Loss.EntropyCoef != 1 {
		t.Errorf("an integer where a number is wanted: %v", err)
	}
}

// TestMethodsIsACopy: callers may sort or cut the list.
func TestMethodsIsACopy(t *testing.T) {
	list := Methods()
	list[0].Name = "gone"
	if Methods()[0].Name == "gone" {
		t.Error("writing to the list of methods reaches the registry")
	}
}
