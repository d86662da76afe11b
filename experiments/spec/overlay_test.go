package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/internal/params"
)

// overlaid is a spec written for tables, with the changes under a transformer.
const overlaid = `title = "tables"
seeds = 10
columns = ["reward"]
[env]
name = "maze"
slack = 9
[policy]
sharing = "problem"
[train]
steps = 600
lr = [0.1, 1]
group = 6
[eval]
every = 50
temperature = 0.7
k = [1, 4]
samples = 8
[transformer]
title = "held out"
seeds = 3
[transformer.env]
braids = 1
[transformer.policy]
width = 32
heads = 2
[transformer.train]
steps = 20
[transformer.eval]
every = 10
[[transformer.method]]
name = "base"
[[transformer.method]]
name = "grpo"
train = { lr = 0.001 }
[[transformer.figure]]
name = "f"
kind = "curve"
metrics = ["reward"]
[[method]]
name = "grpo"
train = { optimizer = "sgd" }
[[method]]
name = "rloo"
[[figure]]
name = "grid"
kind = "grid"
metrics = ["reward"]
rows = ["method"]
cols = ["train.lr"]
`

func parseOverlaid(t *testing.T, policy string) *Spec {
	t.Helper()
	spec, err := Parse("my.toml", []byte(strings.Replace(overlaid, "braids = 1", "slack = 11", 1)), LoadOptions{Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// TestOverlay: under its own policy a spec is as if the overlay were not there; under the
// overlay's, fields replace those of the spec, lists of tables replace others, and fields that
// suit tables alone have the transformer's defaults.
func TestOverlay(t *testing.T) {
	own, plain := parseOverlaid(t, ""), parseOverlaid(t, "tabular")
	if own.Name != "my" || own.Policy != "tabular" || own.Seeds != 10 || own.Title != "tables" || len(own.Variants) != 4 || len(own.Figures) != 1 {
		t.Errorf("its own: %+v", own)
	}
	if d := cmp.Diff([]string{"transformer"}, own.Overlays); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(own.labels(), plain.labels()); d != "" || plain.Name != own.Name {
		t.Errorf("its own policy by name is another spec:\n%s", d)
	}
	spec := parseOverlaid(t, "transformer")
	if d := cmp.Diff([]string{"base", "grpo"}, spec.labels()); d != "" {
		t.Errorf("variants (-want +got):\n%s", d)
	}
	if spec.Name != "my-transformer" || spec.Seeds != 3 || spec.Title != "held out" || len(spec.Figures) != 1 || spec.Figures[0].Name != "f" {
		t.Errorf("under the transformer: %+v", spec)
	}
	notes := []string{"[transformer] replaces title, seeds, env.slack, train.steps, eval.every, method, figure; left to the defaults under policy transformer (bench list train transformer, bench list eval transformer): policy.sharing, train.lr"}
	if d := cmp.Diff(notes, otherNotes(spec.Notes)); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	v := spec.Variants[1]
	p, err := v.Setup()
	if err != nil {
		t.Fatal(err)
	}
	cell := p.Cell(0)
	defaults := transformerTrain()
	type picked struct{ Slack, Width, Heads, Steps, LR, Group, ClipNorm, Problems, Every, Temperature, Split any }
	want := picked{11, 32, 2, 20, 0.001, 6, 1.0, defaults.Problems, 10, 0.7, "test"}
	got := picked{
		cell.Env.Params["slack"], cell.Policy.Params["width"], cell.Policy.Params["heads"],
		cell.Train["steps"], cell.Train["lr"], cell.Train["group"], cell.Train["clip_norm"], cell.Train["problems"],
		cell.Eval["every"], cell.Eval["temperature"], cell.Eval["split"],
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the cell (-want +got):\n%s", d)
	}
	if cell.Train["optimizer"] != "adam" || cell.Policy.Params["version"] == nil {
		t.Errorf("optimiser %v, version %v", cell.Train["optimizer"], cell.Policy.Params["version"])
	}
}

// TestOverlayErrors: a mistake in an overlay is found whichever policy is asked for, at
// its line of the file.
func TestOverlayErrors(t *testing.T) {
	good := strings.Replace(overlaid, "braids = 1", "slack = 11", 1)
	for _, c := range []struct{ reason, old, new, want string }{
		{"an unknown field", "slack = 11", "braids = 1", `my.toml:22: unknown field "braids" of env`},
		{"an unknown table", "[transformer.env]", "[transformer.envs]", `my.toml:21: unknown key "envs" of [transformer]; did you mean env? known keys: title, `},
		{"a bad value", "steps = 20", "steps = 0", `my.toml:27: field "steps": got 0`},
		{"a bad value of a policy", "width = 32", "width = -3", `my.toml:24: field "width": got -3`},
		{"another policy in it", "width = 32", "name = \"tabular\"", `my.toml:24: the policy of [transformer] is transformer`},
		{"a method that is unknown", "name = \"base\"", "name = \"bass\"", `my.toml:31: unknown method "bass"`},
		{"a field of a method", "train = { lr = 0.001 }", "train = { lrr = 1 }", `my.toml:34: unknown field "lrr" of train`},
		{"a figure of nothing", "name = \"f\"\nkind = \"curve\"\nmetrics = [\"reward\"]", "name = \"f\"\nkind = \"curve\"\nmetrics = [\"x\"]", `my.toml:38: figure "f": unknown metric "x"`},
		{"seeds of another type", "seeds = 3", "seeds = \"3\"", `my.toml:20: field "seeds": got "3"`},
		{"no table", "[transformer]\ntitle = \"held out\"\nseeds = 3\n[transformer.env]\nslack = 11", "[env.transformer]\n", `my.toml:`},
		{"one for its own policy", "[policy]\n", "[policy]\nname = \"transformer\"\n", `my.toml:19: [transformer] changes the spec under that policy, and the spec's own is transformer already`},
		{"one of no such policy", "[transformer]", "[mlp]", `my.toml:18: unknown key "mlp"`},
		{"one environment over several", "[env]\n", "[[env]]\n", `my.toml:21: [transformer.env] replaces several of the spec`},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%s: nothing is changed", c.reason)
		}
		for _, policy := range []string{"", "transformer"} {
			_, err := Parse("my.toml", []byte(text), LoadOptions{Policy: policy})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, policy %q:\n got %v\nwant %s...", c.reason, policy, err, c.want)
			}
		}
	}
	if _, err := Parse("my.toml", []byte(good), LoadOptions{Policy: "mlp"}); err == nil || !strings.Contains(err.Error(), `unknown policy "mlp"; known policies: tabular, transformer`) {
		t.Errorf("an unknown policy: %v", err)
	}
	if _, err := Parse("my.toml", []byte(good), LoadOptions{Policy: "baseline"}); err == nil || !strings.HasPrefix(err.Error(), "my.toml:39: policy baseline does not learn, and method grpo trains") {
		t.Errorf("methods that train under the baseline: %v", err)
	}
}

// TestOverlayNotes: a run lists the fields of the spec that its overlay takes away, and only
// those.
func TestOverlayNotes(t *testing.T) {
	const defaults = "left to the defaults under policy transformer (bench list train transformer, bench list eval transformer): "
	for _, c := range []struct {
		reason, overlay string
		want            []string
	}{
		{"the spec's methods stand, less what suits tables", "[transformer.train]\ngroup = 2\n", []string{`[transformer] replaces train.group; ` + defaults + `train.lr, train.optimizer of "mine"`}},
		{"they are replaced, and their fields with them", "[[transformer.method]]\nname = \"rloo\"\n", []string{"[transformer] replaces method; " + defaults + "train.lr"}},
		{"a field that would fall back is set", "[transformer.train]\nlr = 0.1\n[[transformer.method]]\nname = \"rloo\"\n", []string{"[transformer] replaces train.lr, method"}},
		{"what it sets stands nowhere in the spec", "[transformer]\ntitle = \"t\"\n[transformer.env]\nslack = 5\n[transformer.train]\nepochs = 2\n[transformer.eval]\nk = [1]\n", []string{defaults + `train.lr, train.optimizer of "mine"`}},
	} {
		spec, err := Parse("my.toml", []byte("[env]\nname = \"maze\"\n[train]\nlr = 0.5\ngroup = 4\n[[method]]\nname = \"grpo\"\nlabel = \"mine\"\ntrain = { optimizer = \"sgd\" }\n"+c.overlay), LoadOptions{Policy: "transformer"})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if d := cmp.Diff(c.want, otherNotes(spec.Notes)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

// TestOverlayErrorsElsewhere: an error under the overlay alone mentions the overlay if its line
// is in the spec itself, and no other error does.
func TestOverlayErrorsElsewhere(t *testing.T) {
	good := strings.Replace(overlaid, "braids = 1", "slack = 11", 1)
	const figure = "[[transformer.figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"reward\"]\n"
	const methods = "[[transformer.method]]\nname = \"base\"\n[[transformer.method]]\nname = \"grpo\"\ntrain = { lr = 0.001 }\n"
	for _, c := range []struct {
		reason  string
		changes []string // old, new, ...
		want    string
	}{
		{"a figure of the spec has an axis no more", []string{figure, ""}, `my.toml:45: figure "grid": no variant has a field "train.lr"; fields: method (under [transformer])`},
		{"a method of the spec has smaller groups", []string{methods, "", "steps = 20", "group = 2\nbatch = 2", `optimizer = "sgd"`, "minibatches = 6"}, `my.toml:37: field "minibatches": got 6, want at most the rollouts of a step, 4 (under [transformer])`},
		{"no method is left", []string{methods, "", "title = \"held out\"", "method = []"}, `my.toml: no method: a spec has at least one [[method]] (under [transformer])`},
		{"a mistake in the overlay", []string{"steps = 20", "steps = 0"}, `my.toml:27: field "steps": got 0, want int from 1 to 1000000000`},
		{"an array where there is one table", []string{"[transformer.train]", "[[transformer.train]]"}, `my.toml:26: "train" must be a table: [transformer.train]`},
		{"a value where there is a list of tables", []string{methods, "", "title = \"held out\"", "method = \"grpo\""}, `my.toml:19: "method" must be an array of tables: [[transformer.method]]`},
		{"a mistake of the spec is one without the overlay too", []string{"group = 6", "group = 0"}, `my.toml:12: field "group": got 0, want int from 1 to 65536`},
	} {
		text := strings.NewReplacer(c.changes...).Replace(good)
		for i := 0; i < len(c.changes); i += 2 {
			if !strings.Contains(good, c.changes[i]) {
				t.Fatalf("%s: there is no %q to change", c.reason, c.changes[i])
			}
		}
		for _, policy := range []string{"", "transformer"} {
			if _, err := Parse("my.toml", []byte(text), LoadOptions{Policy: policy}); err == nil || err.Error() != c.want {
				t.Errorf("%s, policy %q:\n got %v\nwant %s", c.reason, policy, err, c.want)
			}
		}
	}
}

// TestWithoutOverlay: a spec without a word about transformers runs under one at defaults,
// notes it, and leaves out the figures that are then impossible.
func TestWithoutOverlay(t *testing.T) {
	spec, err := Parse("my.toml", []byte(`
columns = ["reward"]
[env]
name = "bandit"
[policy]
context = "blind"
[train]
lr = [0.1, 1]
problems = 2
group = 4
[eval]
enumerate = 5
samples = 8
k = [2]
[[method]]
name = "base"
[[method]]
name = "grpo"
[[method]]
name = "grpo"
label = "plain descent"
train = { optimizer = "sgd", batch = 2, epochs = 2 }
[[method]]
name = "grpo"
label = "fast"
train = { lr = 3 }
[[figure]]
name = "a"
kind = "curve"
metrics = ["reward"]
where = { "train.lr" = 1 }
[[claim]]
name = "c"
text = "t"
metric = "reward"
a = "fast"
says = "above"
`), LoadOptions{Policy: "transformer"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`written for policy tabular: left to the defaults under policy transformer (bench list train transformer, bench list eval transformer): policy.context, train.lr, train.problems, eval.enumerate, train.batch of "plain descent", train.optimizer of "plain descent", train.lr of "fast"`,
		`"fast" is left out: here it is the same as "grpo"`,
		`left out: my.toml:36: claim "c" is about the method "fast", which is not in the spec; it has base; grpo; plain descent`,
		`left out: my.toml:31: figure "a": no variant has a field "train.lr"; fields: method`,
	}
	if d := cmp.Diff(want, otherNotes(spec.Notes)); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"base", "grpo", "plain descent"}, spec.labels()); d != "" {
		t.Errorf("variants (-want +got):\n%s", d)
	}
	p, err := spec.Variants[2].Setup()
	if err != nil {
		t.Fatal(err)
	}
	if p.Train.Epochs != 2 || p.Train.Group != 4 || p.Train.LR != transformerTrain().LR || p.Eval.Samples != 8 || p.Eval.Enumerate != 0 {
		t.Errorf("train %+v, eval %+v: want the method's fields, and not those that suit a table", p.Train, p.Eval)
	}
}

// TestBuiltinsUnderTransformer: every spec loads under a transformer, those with an overlay as
// written there, and on held-out problems. All but those written for it have another name, a
// note on the fields that do not apply, and the transformer's defaults.
func TestBuiltinsUnderTransformer(t *testing.T) {
	var with, written []string
	for _, name := range BuiltinNames() {
		spec, err := LoadWith(name, LoadOptions{Policy: policyTransformer})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(spec.Overlays) > 0 {
			with = append(with, name)
		}
		own, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if own.Policy == policyTransformer {
			written = append(written, name)
			if spec.Name != name || spec.Policy != policyTransformer || !slices.Equal(spec.Notes, own.Notes) {
				t.Errorf("%s is %s under its own policy, %s, with the notes %q and not %q", name, spec.Name, spec.Policy, spec.Notes, own.Notes)
			}
			continue
		}
		wantName, noted := name+"-transformer", "written for policy tabular: "
		if len(spec.Overlays) > 0 {
			noted = "[transformer] replaces "
		}
		if spec.Name != wantName || !noteBegins(spec.Notes, noted) {
			t.Errorf("%s is %s under it, with the notes %q; want %s and %q first", name, spec.Name, spec.Notes, wantName, noted)
		}
		for _, v := range spec.Variants {
			p, err := v.Setup()
			if err != nil {
				t.Fatal(err)
			}
			split := "test"
			if asked := slices.IndexFunc(v.Axes, func(a record.Axis) bool { return a.Field == "eval.split" }); asked >= 0 {
				split = v.Axes[asked].Value
			}
			if p.Eval.Split != split || p.Train.LR != 2e-4 || p.Train.ClipNorm != 1 {
				t.Errorf("%s, %s: split %s, rate %v", name, v.Label, p.Eval.Split, p.Train.LR)
			}
		}
	}
	if d := cmp.Diff([]string{"base-overtakes", "branching", "countdown-modes", "countdown-passk", "label-free-multiplication", "maze-bestk", "synthetic-strategies"}, with); d != "" {
		t.Errorf("specs with an overlay (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"above-path-polynomial", "above-path", "boundary-five", "boundary-long", "boundary-maze", "boundary-multiplication", "boundary", "dose", "entropy-law-widths", "entropy-law", "evolrl-ablation-held-out", "fronts", "label-free-room", "length", "majority-held-out", "maze-bestk-released", "off-policy-held-out", "ood", "polyepo-dynamics-held-out", "scale", "sd-e2-held-out", "setpo-plugin-held-out", "temperature", "transformer-base", "when-votes-teach"}, written); d != "" {
		t.Errorf("specs that are written for it (-want +got):\n%s", d)
	}
}

// noteBegins reports that the first note begins with a text.
func noteBegins(notes []string, with string) bool {
	return len(notes) > 0 && strings.HasPrefix(notes[0], with)
}

// TestOverlayOfTables: an overlay may be of tables, over a spec of a transformer.
func TestOverlayOfTables(t *testing.T) {
	spec, err := Parse("my.toml", []byte("[env]\nname = \"bandit\"\n[policy]\nname = \"transformer\"\nwidth = 64\n[train]\nlr = 0.01\n[tabular.policy]\nsharing = \"shared\"\n[tabular.eval]\nsplit = \"ood\"\n[[method]]\nname = \"grpo\"\n"), LoadOptions{Policy: "tabular"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Variants[0].Setup()
	if err != nil {
		t.Fatal(err)
	}
	cell := p.Cell(0)
	if d := cmp.Diff(record.Component{Name: "tabular", Params: params.Values(p.Policy)}, cell.Policy); d != "" {
		t.Error(d)
	}
	if p.Train.LR != tabularTrain().LR || cell.Eval["split"] != "ood" || cell.Policy.Params["sharing"] != "shared" || spec.Name != "my-tabular" {
		t.Errorf("%s: rate %v, split %v, policy %v", spec.Name, p.Train.LR, cell.Eval["split"], cell.Policy.Params)
	}
}
