package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/estimators"
	"modebench/experiments/record"
	"modebench/internal/nearest"
)

// minimal is a spec that loads; the tables below change it.
const minimal = `seeds = 2
[env]
name = "bandit"
[train]
steps = 20
[eval]
every = 10
k = [1, 4]
samples = 8
modes = true
[[method]]
name = "grpo"
`

func TestBuiltinSpecsLoad(t *testing.T) {
	specs, err := Builtins()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range specs {
		names[s.Name] = true
		if s.Title == "" {
			t.Errorf("spec %s has no title", s.Name)
		}
	}
	for _, want := range []string{"quick", "bandit-collapse", "maze-bestk", "maze-bestk-slack11", "maze-diversity", "compute-matched", "goal-conditioned"} {
		if !names[want] {
			t.Errorf("spec %s is not built in", want)
		}
	}
}

// TestNamesOfFrameworks: each name leads to fields of a spec, and is no field itself.
func TestNamesOfFrameworks(t *testing.T) {
	fields := map[string][]string{"method": {"name"}}
	for _, table := range []string{"train", "eval"} {
		list, err := PolicyFields(table, policyTabular)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			fields[table] = append(fields[table], f.Name)
		}
	}
	dapo, err := estimators.Lookup("dapo")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range dapo.New().Fields() {
		fields["method"] = append(fields["method"], f.Name)
	}
	for _, name := range nearest.Elsewhere() {
		ours, _ := nearest.Ours(name)
		for field := range strings.SplitSeq(ours.Fields, " and ") {
			if !slices.Contains(fields[ours.Table], field) {
				t.Errorf("%s: a spec has no %s in %s", name, field, ours.Table)
			}
		}
		if slices.Contains(fields[ours.Table], name) && name != "epsilon" { // GRPO's is of its deviation
			t.Errorf("%s is a field of %s itself", name, ours.Table)
		}
	}
}

func TestSpecErrorsNameFileAndLine(t *testing.T) {
	for _, c := range []struct{ reason, old, new, want string }{
		{"unknown method", `"grpo"`, `"grop"`, `my.toml:12: unknown method "grop"; did you mean grpo? known methods: base, `},
		{"unknown field of a method", `name = "grpo"`, "name = \"grpo\"\nlamda = 1", `my.toml:13: unknown field "lamda" of method; known fields: scale, `},
		{"a base has no fields", `name = "grpo"`, "name = \"base\"\nddof = 1", `my.toml:13: unknown field "ddof" of method`},
		{"unknown top-level key", "seeds = 2", "seed = 2", `my.toml:1: unknown key "seed"; did you mean seeds? known keys: title, `},
		{"a table's name that is misspelt", "[train]", "[trian]", `my.toml:4: unknown key "trian"; did you mean train? known keys: title, `},
		{"a list's name that is misspelt", "[[method]]", "[[methods]]", `my.toml:11: unknown key "methods"; did you mean method? known keys: title, `},
		{"an overlay's name that is misspelt", "[train]", "[tansformer.train]", `my.toml:4: unknown key "tansformer"; did you mean transformer? known keys: title, `},
		{"a name that is near to none", "[train]", "[quiet]", `my.toml:4: unknown key "quiet"; known keys: title, `},
		{"another framework's name for what this method has not", `name = "grpo"`, "name = \"base\"\nkl_loss_coef = 8", `my.toml:13: unknown field "kl_loss_coef" of method; known fields: `},
		{"another framework's name of a field", "steps = 20", "group_size = 8", `my.toml:5: unknown field "group_size" of train; did you mean group? known fields: steps, `},
		{"in a table that has another such field", "steps = 20", "learning_rate = 1", `my.toml:5: unknown field "learning_rate" of train; did you mean lr? known fields: steps, `},
		{"in another table than ours", `name = "grpo"`, "name = \"grpo\"\nnum_generations = 8", `my.toml:13: unknown field "num_generations" of method; did you mean group in [train]? known fields: scale, `},
		{"of a method", `name = "grpo"`, "name = \"grpo\"\nkl_loss_coef = 8", `my.toml:13: unknown field "kl_loss_coef" of method; did you mean kl_coef? known fields: scale, `},
		{"of a method, in training", "steps = 20", "beta = 0.1", `my.toml:5: unknown field "beta" of train; did you mean kl_coef in [[method]]? known fields: steps, `},
		{"above all tables", "seeds = 2", "learning_rate = 2", `my.toml:1: unknown key "learning_rate"; did you mean lr in [train]? known keys: title, `},
		{"in a method's own training", `name = "grpo"`, "name = \"grpo\"\ntrain = { learning_rate = 1 }", `my.toml:13: unknown field "learning_rate" of train; did you mean lr? known fields: `},
		{"unknown environment", `"bandit"`, `"bandits"`, `my.toml:3: unknown environment "bandits"; did you mean bandit? known environments: bandit`},
		{"unknown field of an environment", `name = "bandit"`, "name = \"bandit\"\narms = 3", `my.toml:4: unknown field "arms" of env; known fields: modes, `},
		{"value out of range", "steps = 20", "steps = 0", `my.toml:5: field "steps": got 0, want int from 1 to 1000000000`},
		{"value of another type", "steps = 20", `steps = "20"`, `my.toml:5: field "steps": got "20", want int from 1 to 1000000000`},
		{"a bad value in a grid", "steps = 20", "steps = 20\nlr = [0.1, -1]", `my.toml:6: field "lr": got -1, want a number >= 0`},
		{"a grid value twice", "steps = 20", "steps = 20\nlr = [1, 1.0]", `my.toml:6: field "lr": the value 1 is listed twice`},
		{"an empty grid", "steps = 20", "steps = 20\nlr = []", `my.toml:6: field "lr": an empty list`},
		{"not TOML", "steps = 20", "steps 20", `my.toml:5:`},
		{"fields that contradict each other", "steps = 20", "steps = 20\nbatch = 2", `my.toml:6: field "batch": got 2, want at most the number of problems, 1`},
		{"parameters the environment refuses", `name = "bandit"`, "name = \"bandit\"\nrewarded = 13", `my.toml:4: field "rewarded": got 13, want at most the number of modes, 12`},
		{"k above the pool", "k = [1, 4]", "k = [1, 16]", `my.toml:8: field "k": entry 1: got 16, want at most samples, 8`},
		{"k not ascending", "k = [1, 4]", "k = [4, 1]", `my.toml:8: field "k": entry 1: got 1 after 4`},
		{"an unknown column", "seeds = 2", `columns = ["rewards"]`, `my.toml:1: unknown metric "rewards"; did you mean reward? known metrics: accuracy, `},
		{"an unknown family in a column", "seeds = 2", `columns = ["bets@4"]`, `my.toml:1: unknown metric "bets@4"; did you mean best@4? known metrics: accuracy, `},
		{"a column of a family without its k", "seeds = 2", `columns = ["best"]`, `my.toml:1: unknown metric "best"; did you mean best@k? known metrics: accuracy, `},
		{"a column that is near to none", "seeds = 2", `columns = ["x"]`, `my.toml:1: unknown metric "x"; known metrics: accuracy, `},
		{"a column at a k that is not evaluated", "seeds = 2", `columns = ["pass@2"]`, `my.toml:1: metric "pass@2": the spec evaluates k = 1 4`},
		{"a column of reward vectors", "seeds = 2", `columns = ["rho_bar"]`, `my.toml:1: metric "rho_bar" is of reward vectors`},
		{"unknown policy", `[train]`, "[policy]\nname = \"mlp\"\n[train]", `my.toml:5: unknown policy "mlp"; known policies: tabular`},
		{"a policy that is near to one", `[train]`, "[policy]\nname = \"tabluar\"\n[train]", `my.toml:5: unknown policy "tabluar"; did you mean tabular? known policies: tabular`},
		{"no method", "[[method]]\nname = \"grpo\"\n", "", `my.toml: no method`},
		{"a method without a name", `name = "grpo"`, "ddof = 1", `my.toml:11: method[0]: the name of the method is missing`},
		{"the same table of a method twice", `name = "grpo"`, "name = \"grpo\"\n[[method]]\nname = \"grpo\"", `my.toml:13: "grpo" is given twice, with the same values`},
		{"twice with a default written out", `name = "grpo"`, "name = \"grpo\"\n[[method]]\nname = \"grpo\"\nddof = 0", `my.toml:13: "grpo" is given twice`},
		{"a method without training twice", `name = "grpo"`, "name = \"base\"\n[[method]]\nname = \"base\"", `my.toml:13: "base" is given twice`},
		{"the same variant twice", `name = "grpo"`, "name = \"grpo\"\n[[method]]\nname = \"grpo\"\nddof = 1", `my.toml:13: two variants are labelled "grpo"`},
		{"eval takes no grid", "every = 10", "every = [10, 20]", `my.toml:7: field "every" of eval takes one value`},
		{"an override of training", `name = "grpo"`, "name = \"grpo\"\ntrain = { lrr = 1 }", `my.toml:13: unknown field "lrr" of train`},
		{"an override that contradicts", `name = "grpo"`, "name = \"grpo\"\ntrain = { batch = 3 }", `my.toml:13: field "batch": got 3, want at most the number of problems, 1`},
		{"chains under an estimator of single answers", "steps = 20", "steps = 20\ncandidates = 3", `my.toml:6: method grpo on bandit: field "candidates": takes rollouts of exactly one candidate, got 3: it does not know chains`},
		{"likewise in an override", `name = "grpo"`, "name = \"grpo\"\ntrain = { candidates = 3 }", `my.toml:13: method grpo on bandit: field "candidates": takes rollouts of exactly one candidate, got 3: it does not know chains`},
		{"held-out problems under tables of their own", "every = 10", "every = 10\nsplit = \"test\"", `my.toml:8: field "split": got "test", but each problem trains a table of its own`},
		{"an axis that base would not follow", "steps = 20", "steps = 20\ncandidates = [1, 3]", `my.toml:6: field "candidates" of train takes one value: the base policy`},
		{"a label that is another method", `name = "grpo"`, "name = \"grpo\"\nlabel = \"vpo\"", `my.toml:13: the label "vpo" is the name of another method`},
		{"a goal for a method that is asked for none", `name = "grpo"`, "name = \"grpo\"\neval = { goals = \"random\" }", `my.toml:13: method grpo is asked for no goal`},
		{"a label that is no text", `name = "grpo"`, "name = \"grpo\"\nlabel = 3", `my.toml:13: the label of a method must be a text`},
		{"an override of how answers are measured", `name = "grpo"`, "name = \"grpo\"\neval = { samples = 3 }", `my.toml:13: unknown field "samples" of eval; known fields: temperature, top_p, interpolate, goals`},
		{"an override of evaluation out of range", `name = "grpo"`, "name = \"grpo\"\neval = { interpolate = 1.5 }", `my.toml:13: field "interpolate": got 1.5, want a number from 0 to 1`},
		{"likewise in a list", `name = "grpo"`, "name = \"grpo\"\neval.temperature = [1, 0]", `my.toml:13: field "temperature": got 0, want a number >= 0.001`},
		{"an override that is no table of evaluation", `name = "grpo"`, "name = \"grpo\"\neval = 1.5", `my.toml:13: eval of a method must be a table: eval = { temperature = ... }`},
		{"an override of what [eval] lists", "[[method]]\nname = \"grpo\"", "temperature = [1, 2]\n[[method]]\nname = \"grpo\"\neval = { temperature = 3 }", `my.toml:14: field "temperature" of eval: [eval] lists several values, so no method may set another`},
		{"values that make no difference", `name = "grpo"`, "name = \"base\"\neval = { interpolate = [0, 1] }", `my.toml:13: field "interpolate": several values make no difference: method base does not train`},
		{"parameters that leave no problem", `name = "bandit"`, "name = \"maze\"\nslack = 100", `my.toml:2: maze train/0: none of`},
		{"an override that is no table", `name = "grpo"`, "name = \"grpo\"\ntrain = 3", `my.toml:13: train of a method must be a table`},
		{"a dual clip below one", `name = "grpo"`, "name = \"grpo\"\ndual_clip = 0.5", `my.toml:13: method grpo: field "dual_clip": got 0.5, want above 1`},
	} {
		text := strings.Replace(minimal, c.old, c.new, 1)
		_, err := parseText("my.toml", []byte(text))
		if err == nil {
			t.Errorf("%s: no error", c.reason)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant %s...", c.reason, err, c.want)
		}
	}
}

func TestMetricsAreCheckedAgainstTheEvaluation(t *testing.T) {
	for _, c := range []struct{ reason, columns, eval, want string }{
		{"random weights need draws", "ew_best@4", "k = [4]\ndraws = 0", `my.toml:1: metric "ew_best@4" averages over scalarisations, and draws = 0 in [eval]`},
		{"a gain over one answer needs k = 1", "headroom", "k = [4]", `my.toml:1: metric "headroom" is the gain over one answer, and k of [eval] does not list 1`},
		{"with both all is well", "headroom\", \"ew_best@4\", \"rho_bar", "k = [1, 4]", ""},
	} {
		_, err := parseText("my.toml", []byte("columns = [\""+c.columns+"\"]\n[env]\nname = \"bandit\"\ncomponents = 2\n[eval]\n"+c.eval+"\n[[method]]\nname = \"grpo\"\n"))
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
}

func TestNeedsAreCheckedWhenLoading(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{
			"no embeddings on a bandit of dimension 0",
			strings.NewReplacer(`name = "bandit"`, "name = \"bandit\"\ndim = 0", `"grpo"`, `"setpo+grpo"`).Replace(minimal),
			`my.toml:12: method setpo+grpo on bandit: needs embedding of every candidate, which this environment does not give`,
		},
		{
			"SetPO is undefined below three rollouts",
			strings.NewReplacer("steps = 20", "steps = 20\ngroup = 2", `"grpo"`, `"setpo+grpo"`).Replace(minimal),
			`my.toml:12: method setpo+grpo on bandit: needs groups of at least 3 rollouts, got 2`,
		},
		{
			"with a set as large as the group every advantage is zero",
			strings.NewReplacer("steps = 20", "steps = 20\ngroup = 4", `"grpo"`, `"poly-epo"`).Replace(minimal),
			`my.toml:12: method poly-epo on bandit: needs groups of at least 5 rollouts, got 4`,
		},
	} {
		_, err := parseText("my.toml", []byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
}

func TestFigureAndClaimErrors(t *testing.T) {
	for _, c := range []struct{ reason, add, want string }{
		{"a figure of an unknown kind", "[[figure]]\nname = \"a\"\nkind = \"pie\"\n", `my.toml:15: field "kind": got "pie", want one of curve, modes, k-curve, grid, bars, `},
		{"a figure without a name", "[[figure]]\nkind = \"curve\"\n", `my.toml:13: a figure has a name and a kind`},
		{"a figure of an unknown metric", "[[figure]]\nname = \"a\"\nkind = \"curve\"\nmetrics = [\"x\"]\n", `my.toml:16: figure "a": unknown metric "x"`},
		{"a figure of a metric that is near to one", "[[figure]]\nname = \"a\"\nkind = \"curve\"\nmetrics = [\"rewrad\"]\n", `my.toml:16: figure "a": unknown metric "rewrad"; did you mean reward? known metrics: accuracy, `},
		{"a k-curve of no family", "[[figure]]\nname = \"a\"\nkind = \"k-curve\"\nmetrics = [\"reward\"]\n", `my.toml:16: figure "a": a k-curve has no metric "reward"; it draws `},
		{"a k-curve of what is near to a family", "[[figure]]\nname = \"a\"\nkind = \"k-curve\"\nmetrics = [\"best\", \"pas\"]\n", `my.toml:16: figure "a": a k-curve has no metric "pas"; did you mean pass? it draws `},
		{"a figure of what one reward component does not have", "[[figure]]\nname = \"a\"\nkind = \"curve\"\nmetrics = [\"reward_l1\"]\n", `my.toml:16: figure "a": metric "reward_l1" is of reward vectors, and this environment's reward is one number`},
		{"likewise a k-curve", "[[figure]]\nname = \"a\"\nkind = \"k-curve\"\nmetrics = [\"best\", \"ew_best\"]\n", `my.toml:16: figure "a": metric "ew_best@1" is of reward vectors`},
		{"a filter that selects nothing", "[[figure]]\nname = \"a\"\nkind = \"curve\"\nmetrics = [\"reward\"]\nwhere = { method = \"dapo\" }\n", `my.toml:17: figure "a": no variant has method = dapo; values: grpo`},
		{"a filter on a field that nothing varies", "[[figure]]\nname = \"a\"\nkind = \"curve\"\nmetrics = [\"reward\"]\nwhere = { lamda = 3 }\n", `my.toml:17: figure "a": no variant has a field "lamda"; fields: method`},
		{"a grid whose rows are no field", "[[figure]]\nname = \"a\"\nkind = \"grid\"\nmetrics = [\"reward\"]\nrows = [\"methd\"]\ncols = [\"method\"]\n", `my.toml:17: figure "a": no variant has a field "methd"; fields: method`},
		{"two variants in one cell", "[[method]]\nname = \"poly-epo\"\nn = [2, 4]\n[[figure]]\nname = \"a\"\nkind = \"grid\"\nmetrics = [\"reward\"]\nrows = [\"method\"]\ncols = [\"method\"]\n", `my.toml:16: figure "a": "poly-epo n=2" and "poly-epo n=4" fall into one cell`},
		{"the name of the manifest", "[[figure]]\nname = \"RUN\"\nkind = \"curve\"\nmetrics = [\"reward\"]\n", `my.toml:14: the name "RUN" becomes a file name`},
		{"the name of the plan", "[[figure]]\nname = \"plan\"\nkind = \"curve\"\nmetrics = [\"reward\"]\n", `my.toml:14: the name "plan" becomes a file name`},
		{"names of one file on some systems", "[[figure]]\nname = \"a\"\nkind = \"curve\"\nmetrics = [\"reward\"]\n[[figure]]\nname = \"A\"\nkind = \"curve\"\nmetrics = [\"reward\"]\n", `my.toml:18: two figures are named "A"`},
		{"a name that is no file name", "[[figure]]\nname = \"a b/c\"\nkind = \"curve\"\nmetrics = [\"reward\"]\n", `my.toml:14: the name "a b/c" becomes a file name`},
		{"a claim that does not say what it says", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\n", `my.toml:13: a claim has a name, a text and says =`},
		{"a gate alone, as specs had it", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\ngate = \"a.low > b.high\"\n", `my.toml:13: a claim has a name, a text and says = "above", "below" or "same"; gate decides nothing`},
		{"it says something else", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"more\"\n", `my.toml:19: field "says": `},
		{"the same, and not within what", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"same\"\n", `my.toml:13: claim "c": "same" takes by`},
		{"the same, of a multiple", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"same\"\nby = 1\ntimes = 2\n", `my.toml:13: claim "c": "same" is of a and b themselves`},
		{"a alone, the same", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"same\"\nby = 1\n", `my.toml:13: claim "c" is about a alone`},
		{"a alone, a multiple", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\ntimes = 2\n", `my.toml:13: claim "c" is about a alone`},
		{"no times", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"above\"\ntimes = 0\n", `my.toml:20: times is 0`},
		{"a deviation by more than a bound", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"above\"\nof = \"deviation\"\nby = 1\n", `my.toml:13: claim "c": a deviation is above or below another`},
		{"a alone, at equal reward", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"entropy_mode\"\na = \"grpo\"\nsays = \"above\"\nequal = \"reward\"\n", `my.toml:19: claim "c" is about a alone: equal compares a with b`},
		{"a metric at equal values of itself", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"above\"\nequal = \"reward\"\n", `my.toml:20: claim "c" compares reward at equal values of itself: want another metric`},
		{"at equal values, of the base policy", "[[method]]\nname = \"base\"\n[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"entropy_mode\"\na = \"grpo\"\nb = \"base\"\nsays = \"above\"\nequal = \"reward\"\n", `my.toml:20: claim "c" compares with "base" at equal reward during training, and it does not train`},
		{"at equal values of a metric of the whole run", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"above\"\nequal = \"collapse_step\"\n", `my.toml:20: claim "c": equal takes metrics that every evaluation has`},
		{"at equal values of a metric that is not measured", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"above\"\nequal = \"nosuch\"\n", `my.toml:20: unknown metric "nosuch"`},
		{"a delta without its reason", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"above\"\ndelta = 1\n", `my.toml:13: claim "c" gives a delta of its own, and delta_why, its reason, is missing`},
		{"a reason without its delta", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"grpo\"\nsays = \"above\"\ndelta_why = \"x\"\n", `my.toml:13: claim "c": delta_why is the reason of a delta`},
		{"a grid without rows", "[[figure]]\nname = \"a\"\nkind = \"grid\"\nmetrics = [\"reward\"]\n", `my.toml:13: figure "a" is a grid: it names the fields of its rows and cols`},
		{"a claim against a method that is not run", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nb = \"rloo\"\nsays = \"above\"\n", `my.toml:18: claim "c" compares with the method "rloo", which is not in the spec; it has grpo`},
		{"a claim about a method that is not run", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"rloo\"\nsays = \"above\"\n", `my.toml:17: claim "c" is about the method "rloo", which is not in the spec; it has grpo`},
		{"a claim about a label that is not run, of a method that is", "[[method]]\nname = \"rloo\"\ntrain = { lr = [0.1, 0.2] }\n[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"rloo lr=0.3\"\nsays = \"above\"\n", `my.toml:20: claim "c" is about the method "rloo lr=0.3", which is not in the spec; it has rloo lr=0.1; rloo lr=0.2`},
		{"a claim without a metric", "[[claim]]\nname = \"c\"\ntext = \"t\"\na = \"grpo\"\nsays = \"above\"\n", `my.toml:13: claim "c" names no metric`},
		{"a null comparison that is no table", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\nnull = \"base\"\n", `my.toml:19: null of a claim must be a table`},
		{"a null comparison of a method that is not run", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\nnull = { a = \"rloo\" }\n", `my.toml:19: claim "c" is about the method "rloo", which is not in the spec`},
		{"a null comparison that is the claim", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\nnull = { a = \"grpo\" }\n", `my.toml:19: claim "c": null is the comparison of the claim itself`},
		{"a null comparison of another form", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\nnull = { b = \"grpo\" }\n", `my.toml:19: claim "c" is about a alone, and so is its null comparison`},
		{"a null comparison of an unknown metric", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\nnull = { metric = \"x\" }\n", `my.toml:19: unknown metric "x"`},
		{"a null comparison with another field", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"reward\"\na = \"grpo\"\nsays = \"above\"\nnull = { a = \"grpo\", says = \"below\" }\n", `my.toml:19: null of a claim has a, b and metric, and no says`},
		{"one metric of several is unknown", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = [\"reward\", \"x\"]\na = \"grpo\"\nsays = \"above\"\n", `my.toml:16: unknown metric "x"`},
		{"a metric twice", "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = [\"reward\", \"reward\"]\na = \"grpo\"\nsays = \"above\"\n", `my.toml:16: metric: want a text, or a list of different texts`},
	} {
		_, err := parseText("my.toml", []byte(minimal+c.add))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant %s...", c.reason, err, c.want)
		}
	}
}

func TestSpecNamesAreFileNames(t *testing.T) {
	for _, file := range []string{".toml", "cells.toml", "a b.toml", "x/.hidden.toml"} {
		if _, err := parseText(file, []byte(minimal)); err == nil || !strings.Contains(err.Error(), "a spec is named after its file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestErrorsInInlineTables(t *testing.T) {
	text := "seeds = 2\nmethod = [\n  { name = \"grpo\" },\n  { name = \"grpo\",\n    lambd = 3 },\n]\n[env]\nname = \"bandit\"\n"
	_, err := parseText("my.toml", []byte(text))
	if err == nil || !strings.HasPrefix(err.Error(), `my.toml:5: unknown field "lambd"`) {
		t.Errorf("got %v, want line 5", err)
	}
}

func TestGridOfVariants(t *testing.T) {
	spec, err := parseText("my.toml", []byte(`
[env]
name = "bandit"
start = ["uniform", "zipf"]
[train]
lr = [0.1, 1]
[[method]]
name = "base"
[[method]]
name = "setpo+grpo"
lambda = [0.5, 5]
[[method]]
name = "grpo"
train = { lr = 0.3 }
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"base start=uniform", // once per environment: it does not train, so no rates
		"setpo+grpo lambda=0.5 start=uniform lr=0.1",
		"setpo+grpo lambda=5 start=uniform lr=0.1",
		"grpo start=uniform lr=0.3", // its own rate replaces the grid's
		"setpo+grpo lambda=0.5 start=uniform lr=1",
		"setpo+grpo lambda=5 start=uniform lr=1",
		"base start=zipf",
		"setpo+grpo lambda=0.5 start=zipf lr=0.1",
		"setpo+grpo lambda=5 start=zipf lr=0.1",
		"grpo start=zipf lr=0.3",
		"setpo+grpo lambda=0.5 start=zipf lr=1",
		"setpo+grpo lambda=5 start=zipf lr=1",
	}
	if d := cmp.Diff(want, spec.labels()); d != "" {
		t.Errorf("variants (-want +got):\n%s", d)
	}
	for _, v := range spec.Variants {
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		if v.Method == "grpo" && p.Train.LR != 0.3 {
			t.Errorf("%s: rate %v, want the method's own, 0.3", v.Label, p.Train.LR)
		}
		for _, a := range v.Axes {
			if a.Field == "train.lr" && valueText(p.Train.LR) != a.Value {
				t.Errorf("%s: rate %v, its axis says %s", v.Label, p.Train.LR, a.Value)
			}
		}
	}
}

// TestSeveralEnvironments: a spec of several has every method on each, and labels
// them apart by the axis env.
func TestSeveralEnvironments(t *testing.T) {
	spec, err := parseText("my.toml", []byte(`
columns = ["reward", "reward_l1"]
[[env]]
name = "bandit"
modes = [8, 12]
[[env]]
name = "maze"
slack = 11
[train]
steps = 5
problems = 2
lr = [0.1, 1]
[[method]]
name = "base"
[[method]]
name = "grpo"
[[figure]]
name = "f"
kind = "curve"
metrics = ["reward_l1"]
where = { env = "maze" }
[[claim]]
name = "c"
text = "t"
metric = "reward"
a = "grpo"
b = "base"
says = "above"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"base env=bandit modes=8", "grpo env=bandit modes=8 lr=0.1", "grpo env=bandit modes=8 lr=1",
		"base env=bandit modes=12", "grpo env=bandit modes=12 lr=0.1", "grpo env=bandit modes=12 lr=1",
		"base env=maze", "grpo env=maze lr=0.1", "grpo env=maze lr=1",
	}
	if d := cmp.Diff(want, spec.labels()); d != "" {
		t.Errorf("variants (-want +got):\n%s", d)
	}
	for _, v := range spec.Variants {
		if name, _ := v.Record().Value("env"); name != v.Env {
			t.Errorf("%s runs on %s", v.Label, v.Env)
		}
	}
	if pairs := claimPairs(spec, spec.Claims[0]); len(pairs) != 6 {
		t.Errorf("the claim compares %q, want one pair per trained variant, 6", pairs)
	}
}

// claimPairs lists the variants that a claim compares: those that agree on every axis.
func claimPairs(spec *Spec, c record.Claim) []string {
	var pairs []string
	for _, p := range record.Pairs(spec.records(), c.A, c.B...) {
		pairs = append(pairs, p.A.Label+" / "+p.B.Label)
	}
	return pairs
}

func TestSeveralEnvironmentsErrors(t *testing.T) {
	const rest = "[[method]]\nname = \"grpo\"\n"
	const both = "columns = [\"reward\"]\n[[env]]\nname = \"countdown\"\n[[env]]\nname = \"bandit\"\n[eval]\nenumerate = 0\n" + rest
	for _, c := range []struct{ reason, text, want string }{
		{"none", "env = []\n" + rest, `my.toml:1: no environment: want [env], or one [[env]] at least`},
		{"no table", "env = [3]\n" + rest, `my.toml:1: "env" must be an array of tables: [[env]]`},
		{"one of them with single brackets", "[env]\nname = \"maze\"\n[[env]]\nname = \"bandit\"\n" + rest, `my.toml:3:3: several tables of one name are written [[env]] each, the first one too`},
		{"the same twice", "[[env]]\nname = \"maze\"\n[[env]]\nname = \"maze\"\nslack = 3\n" + rest, `my.toml:3: env[1] and env[0] are the same environment; give one of them lists of values instead`},
		{"a list for a name", "[[env]]\nname = [\"maze\"]\n[[env]]\nname = [\"maze\"]\n" + rest, `my.toml:2: the name of the environment must be a text`},
		{"names forgotten", "[[env]]\n[[env]]\n" + rest, `my.toml:1: env[0]: the name of the environment is missing`},
		{"an unknown one", "[[env]]\nname = \"maze\"\n[[env]]\nname = \"moze\"\n" + rest, `my.toml:4: unknown environment "moze"`},
		{"a field of another one", "[[env]]\nname = \"bandit\"\n[[env]]\nname = \"maze\"\nmodes = 3\n" + rest, `my.toml:5: unknown field "modes" of env`},
		{"a value that the second refuses", "[[env]]\nname = \"bandit\"\n[[env]]\nname = \"maze\"\nsize = 8\n" + rest, `my.toml:5: field "size": got 8`},
		{"what does not fit the second", "[[env]]\nname = \"bandit\"\n[[env]]\nname = \"maze\"\nlava_max = 2\n" + rest, `my.toml:3: field "lava_min": got 3, want 0 to lava_max, 2`},
		{"a figure of what its environment does not have", both + "[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"reward_l1\"]\nwhere = { env = \"bandit\" }\n", `my.toml:13: figure "f": metric "reward_l1" is of reward vectors`},
		{"variants that its environment does not have", both + "[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"distinct_variants\"]\nwhere = { env = \"bandit\" }\n", `my.toml:13: figure "f": metric "distinct_variants" is of variants`},
		{"a claim of what its environment does not have", both + "[[claim]]\nname = \"c\"\ntext = \"t\"\nmetric = \"distinct_variants\"\na = \"grpo env=bandit\"\nsays = \"above\"\n", `my.toml:13: metric "distinct_variants" is of variants`},
		{"pools where answers are listed", strings.Replace(both, "enumerate = 0", "enumerate = 10", 1) + "[[figure]]\nname = \"f\"\nkind = \"curve\"\nmetrics = [\"diversity_width\"]\n", `my.toml:13: figure "f": metric "diversity_width" is of sampled pools alone`},
		{"a grid of too many", "[[env]]\nname = \"bandit\"\n[[env]]\nname = \"maze\"\nslack = [" + strings.TrimSuffix(manyNumbers(9999), ",") + "]\n[train]\nlr = [1, 2]\n" + rest, `my.toml: the grid has more than 10000 variants`},
	} {
		_, err := parseText("my.toml", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.reason, err, c.want)
		}
	}
}

func manyNumbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,", i)
	}
	return b.String()
}

// TestOwnEvaluation: a method's own values of [eval] are its alone, those of a list make variants, and the
// references keep those of [eval]. Neither base nor optimum has a row for each share of a listed interpolate.
func TestOwnEvaluation(t *testing.T) {
	spec, err := parseText("my.toml", []byte(`
[env]
name = "bandit"
[eval]
temperature = 0.7
interpolate = [1, 0.5]
[[method]]
name = "base"
[[method]]
name = "optimum"
[[method]]
name = "grpo"
[[method]]
name = "grpo"
label = "hot"
eval = { temperature = [1.5, 2], top_p = 0.9 }
[[method]]
name = "base"
label = "hot base"
eval.temperature = 1.5
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range spec.Variants {
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s: %v %v %v", v.Label, p.Eval.Temperature, p.Eval.TopP, p.Eval.Interpolate))
	}
	want := []string{
		"base: 0.7 1 1", "optimum: 0.7 1 1", "grpo interpolate=1: 0.7 1 1",
		"hot interpolate=1 temperature=1.5: 1.5 0.9 1", "hot interpolate=1 temperature=2: 2 0.9 1", "hot base: 1.5 1 1",
		"grpo interpolate=0.5: 0.7 1 0.5", "hot interpolate=0.5 temperature=1.5: 1.5 0.9 0.5", "hot interpolate=0.5 temperature=2: 2 0.9 0.5",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("variants (-want +got):\n%s", d)
	}
}

// TestLabels: a method that is there twice is distinguished by the label it is given, and
// claims find it by either name.
func TestLabels(t *testing.T) {
	spec, err := parseText("my.toml", []byte(`
[env]
name = "bandit"
components = 2
[train]
lr = [0.1, 1]
[[method]]
name = "base"
[[method]]
name = "base"
label = "base, three answers"
train = { candidates = 3 }
[[method]]
name = "vpo"
label = "VPO"
[[method]]
name = "goal-conditioned"
eval = { goals = ["fixed", "random"] }
[[claim]]
name = "c"
text = "t"
metric = ["reward", "best@1"]
a = "VPO"
b = ["base", "base, three answers"]
says = "above"
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"base", "base, three answers", "VPO lr=0.1", "goal-conditioned lr=0.1 goals=fixed", "goal-conditioned lr=0.1 goals=random",
		"VPO lr=1", "goal-conditioned lr=1 goals=fixed", "goal-conditioned lr=1 goals=random",
	}
	if d := cmp.Diff(want, spec.labels()); d != "" {
		t.Fatalf("variants (-want +got):\n%s", d)
	}
	for i, candidates := range []int{1, 3, 3, 1} {
		p, err := spec.Variants[i].Setup()
		if err != nil {
			t.Fatal(err)
		}
		if p.Train.Candidates != candidates {
			t.Errorf("%s: %d answers a rollout, want %d", spec.Variants[i].Label, p.Train.Candidates, candidates)
		}
	}
	pairs := claimPairs(spec, spec.Claims[0])
	want = []string{
		"VPO lr=0.1 / base", "VPO lr=0.1 / base, three answers",
		"VPO lr=1 / base", "VPO lr=1 / base, three answers",
	}
	if d := cmp.Diff(want, pairs); d != "" {
		t.Errorf("pairs of the claim (-want +got):\n%s", d)
	}
}

// TestCellsAreContentAddressed: a field that can change a record changes the identity, and
// other fields do not.
func TestCellsAreContentAddressed(t *testing.T) {
	id := func(text string, seed int) string {
		t.Helper()
		spec, err := parseText("my.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := spec.Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		name, err := p.Cell(seed).ID()
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	same := id(minimal, 0)
	for _, c := range []struct {
		reason, old, new string
		equal            bool
	}{
		{"a title changes no record", "seeds = 2", "title = \"x\"\nseeds = 3", true},
		{"a default written out is the default", `name = "grpo"`, "name = \"grpo\"\nddof = 0", true},
		{"an environment's default written out", `name = "bandit"`, "name = \"bandit\"\nmodes = 12", true},
		{"another rate", "steps = 20", "steps = 20\nlr = 0.2", false},
		{"another environment", `name = "bandit"`, "name = \"bandit\"\nmodes = 13", false},
		{"another evaluation", "every = 10", "every = 5", false},
		{"another objective", `name = "grpo"`, "name = \"grpo\"\nkl_coef = 0.1", false},
	} {
		got := id(strings.Replace(minimal, c.old, c.new, 1), 0)
		if (got == same) != c.equal {
			t.Errorf("%s: %s and %s", c.reason, same, got)
		}
	}
	if id(minimal, 1) == same {
		t.Error("another seed has the same identity")
	}
}

func TestFilters(t *testing.T) {
	v := record.Variant{Name: "grpo", Method: "grpo", Axes: []record.Axis{{Field: "train.lr", Value: "0.1"}}}
	for _, c := range []struct {
		reason string
		where  []record.Filter
		want   bool
	}{
		{"no filter shows all", nil, true},
		{"one of the values", []record.Filter{{Field: "train.lr", Values: []string{"1", "0.1"}}}, true},
		{"none of the values", []record.Filter{{Field: "train.lr", Values: []string{"1"}}}, false},
		{"a field it does not have", []record.Filter{{Field: "lambda", Values: []string{"1"}}}, true},
		{"the method is a field", []record.Filter{{Field: "method", Values: []string{"base"}}}, false},
	} {
		if got := (record.Figure{Where: c.where}).Shows(v); got != c.want {
			t.Errorf("%s: got %v", c.reason, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(minimal)
	for _, name := range BuiltinNames() {
		text, err := BuiltinText(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("[env]\nname = \"bandit\"\n[[method]]\nname = \"poly-epo\"\nn = [1, 2]\n[train]\ngroup = [2, 4]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return // grids of grids take long without telling more
		}
		spec, err := parseText("fuzz.toml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.toml") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if len(spec.Variants) == 0 || len(spec.Columns) == 0 {
			t.Errorf("accepted, and nothing to run or show: %q", text)
		}
	})
}

// TestNoteOfOneProblem: it is for those who did not choose one problem.
func TestNoteOfOneProblem(t *testing.T) {
	const grpo = "[[method]]\nname = \"grpo\"\n"
	for _, c := range []struct {
		why, text string
		want      []string
	}{
		{"the default", "[env]\nname = \"countdown\"\n" + grpo, []string{"countdown: trains on one problem alone; problems in [train] sets their number, batch the number of a step"}},
		{"one problem is asked for", "[env]\nname = \"countdown\"\n[train]\nproblems = 1\n" + grpo, nil},
		{"several numbers are", "[env]\nname = \"countdown\"\n[train]\nproblems = [1, 20]\n" + grpo, nil},
		{"a bandit is one problem", "[env]\nname = \"bandit\"\n" + grpo, nil},
		{"one bandit and mazes", "[[env]]\nname = \"bandit\"\n[[env]]\nname = \"maze\"\n" + grpo, []string{"maze: trains on one problem alone; problems in [train] sets their number, batch the number of a step"}},
		{"nothing trains", "[env]\nname = \"countdown\"\n[[method]]\nname = \"base\"\n", nil},
	} {
		spec, err := parseText("mine.toml", []byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		if d := cmp.Diff(c.want, otherNotes(spec.Notes)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, d)
		}
	}
}

// TestBudgetInTheManifest: a trained variant has the budget of tokens that ends its training,
// and an untrained variant has no budget.
func TestBudgetInTheManifest(t *testing.T) {
	s, err := Load("fronts")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.Variants {
		want := 0
		if v.Trains {
			want = 1_000_000
		}
		if got := v.Record().Tokens; got != want {
			t.Errorf("%s: a budget of %d tokens, want %d", v.Label, got, want)
		}
	}
}
