package experiments_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/params"
	"modebench/internal/testkit"
)

// tiny is a run of a moment that measures all it can.
func tiny(env, policy, method string) map[string]any {
	doc := map[string]any{
		"seeds":   1,
		"columns": []string{},
		"env":     map[string]any{"name": env},
		"policy":  map[string]any{"name": policy},
		"train":   map[string]any{"steps": 3, "problems": 3, "batch": 2, "group": 4, "record_every": 1},
		"eval":    map[string]any{"every": 2, "k": []int{1, 2}, "samples": 8, "problems": 3, "draws": 4, "keep": 1, "measure": []string{"votes", "rollouts", "embeddings", "kl"}},
		"method":  []any{map[string]any{"name": method}},
	}
	switch policy {
	case "transformer":
		doc["policy"] = map[string]any{"name": policy, "layers": 1, "width": 32, "heads": 2, "pretrain_steps": 3, "pretrain_batch": 8}
	case "baseline":
		doc["method"] = []any{map[string]any{"name": "base"}}
	}
	return doc
}

// with is the spec with a field of a part set.
func with(doc map[string]any, part, field string, value any) map[string]any {
	out := map[string]any{}
	for key, v := range doc {
		out[key] = v
	}
	table := map[string]any{}
	old, several := doc[part].([]any)
	if several {
		out[part] = []any{table}
	} else {
		old = []any{doc[part]}
		out[part] = table
	}
	for key, v := range old[0].(map[string]any) {
		table[key] = v
	}
	table[field] = value
	return out
}

// parse reads a spec.
func parse(t *testing.T, doc map[string]any) (*spec.Spec, error) {
	t.Helper()
	text, err := toml.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return exptest.TryLoad(t, "tiny.toml", string(text))
}

// recorded returns the records of a run of one cell.
func recorded(t *testing.T, s *spec.Spec) string {
	t.Helper()
	out := t.TempDir()
	runSpec(t, s, out, 1)
	var text strings.Builder
	for name, data := range exptest.Tree(t, out) {
		for _, file := range []string{record.TrainFile, record.EvalFile, record.PoolsFile} {
			if strings.HasSuffix(name, "/"+file) {
				fmt.Fprintf(&text, "%s %x\n", file, data)
			}
		}
	}
	lines := strings.Split(text.String(), "\n")
	if len(lines) < 4 {
		t.Fatalf("a run left %d files of records", len(lines)-1)
	}
	return strings.Join(slices.Sorted(slices.Values(lines)), "\n")
}

// others are values that a field may have in place of its own; some may be refused.
func others(f params.Field) []any {
	switch v := f.Value.(type) {
	case bool:
		return []any{!v}
	case int:
		return []any{v + 1, v - 1, v + 2, v + 3, 2 * v, v / 2, 0, 1, 50 * v, 1000}
	case float64:
		return []any{v / 2, 2 * v, v + 0.3, v - 0.3, 0.9, 0.5, 0.0, 0.01, 1.0, 3.0}
	case string:
		var out []any
		for _, c := range f.Choices {
			if c != v {
				out = append(out, c)
			}
		}
		return out
	case []int:
		return []any{append([]int{}, append(v, 5)...), []int{1}, []int{1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 22, 25}}
	case spec.Measure:
		return []any{[]string{}, []string{"votes"}}
	}
	panic(fmt.Sprintf("field %s is of type %T", f.Name, f.Value))
}

// A run is one cell of a spec.
type run struct {
	doc     map[string]any
	spec    *spec.Spec
	setup   *spec.Setup
	id      string // of the cell
	records string
}

// notes reports whether a note of the spec calls a field idle.
func (r *run) notes(part, field string) bool {
	return slices.ContainsFunc(r.spec.Notes, func(n string) bool {
		if part != "method" {
			return strings.HasPrefix(n, part+"."+field+" makes no difference: ")
		}
		return strings.HasPrefix(n, field+" of ") || strings.HasPrefix(n, "at one update a batch") && strings.Contains(strings.ReplaceAll(n, ",", " "), " "+field+" ")
	})
}

// runOf reads a spec, and runs it unless its cell is that of another run.
func runOf(t *testing.T, doc map[string]any, other *run) (*run, error) {
	t.Helper()
	s, err := parse(t, doc)
	if err != nil {
		return nil, err
	}
	r := &run{doc: doc, spec: s}
	if r.setup, err = s.Variants[0].Setup(); err != nil {
		t.Fatal(err)
	}
	if r.id, err = r.setup.Cell(0).ID(); err != nil {
		t.Fatal(err)
	}
	if other == nil || r.id != other.id {
		r.records = recorded(t, s)
	}
	return r, nil
}

// idleValues is how many values of a field that is said to make no difference are tried.
const idleValues = 2

// check sets a field to other values. Unless there is no other, either some value moves a
// record or a note states that the field is idle, never both. It returns whether a record moved.
func (r *run) check(t *testing.T, part string, f params.Field) (moved bool) {
	t.Helper()
	tried, noted := 0, 0
	for _, value := range others(f) {
		other, err := runOf(t, with(r.doc, part, f.Name, value), r)
		if err != nil || other.id == r.id {
			continue // refused, or another word for the same
		}
		tried++
		if other.notes(part, f.Name) {
			noted++
		}
		if moved = other.records != r.records; moved || noted == idleValues {
			break
		}
	}
	if moved == (noted > 0) && tried > 0 {
		t.Errorf("%s.%s: %d values tried; one moves a record: %v; %d are said to make no difference", part, f.Name, tried, moved, noted)
	}
	return moved
}

// TestIdleFieldsOfEnvironments: under any policy, a spec that changes a field of an environment
// changes a record, or has a note that the field makes no difference. Some value of each field
// changes a record of a table.
func TestIdleFieldsOfEnvironments(t *testing.T) {
	// more reaches fields that are read only under certain values of other fields.
	more := map[string]map[string]any{"bandit": {"start": "zipf", "form": "shared", "components": 2, "arms_per_mode": 2}}
	for _, env := range envs.Names() {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			matters := map[string]bool{}
			for _, policy := range []string{"tabular", "transformer", "baseline"} {
				if policy == "transformer" && testing.Short() {
					continue
				}
				docs := []map[string]any{tiny(env, policy, "grpo")}
				if policy == "transformer" && env == "derivation" {
					// Else no answer of a network that has learned nothing is one to judge.
					docs[0] = with(docs[0], "policy", "legal_mask", true)
				}
				if more[env] != nil {
					doc := docs[0]
					for field, value := range more[env] {
						doc = with(doc, "env", field, value)
					}
					docs = append(docs, doc)
				}
				for _, doc := range docs {
					r, err := runOf(t, doc, nil)
					if policy == "baseline" && err != nil {
						continue // the environment lacks a baseline
					}
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range params.Fields(r.setup.EnvConfig) {
						moved := r.check(t, "env", f)
						matters[f.Name] = matters[f.Name] || moved
					}
				}
			}
			for name, does := range matters {
				if !does {
					t.Errorf("%s moves no record under any policy", name)
				}
			}
		})
	}
}

// TestIdleFieldsOfRuns is the same of fields of policy, training and evaluation.
func TestIdleFieldsOfRuns(t *testing.T) {
	testkit.Long(t, "runs a cell for every value of every field")
	// Fields that a case leaves out, because of the nature of its runs.
	endless := []string{"eval.enumerate"}    // they have more answers than any number that is tried
	allowed := []string{"policy.legal_mask"} // no token is ever illegal
	// Groups teach something, answers are of one token, and no
	// ratio comes to 3. (The ratio is in the loss that is recorded, though in no gradient.)
	own := []string{"method.generations", "method.aggregation", "method.dual_clip", "method.ratio"}
	for _, c := range []struct {
		policy, env, method string
		set                 map[string]any // PART.FIELD, beside the settings of tiny
		leave               []string
	}{
		{"tabular", "bandit", "grpo", nil, own},
		{"tabular", "bandit", "grpo", map[string]any{"train.optimizer": "sgd", "train.epochs": 2, "method.kl_coef": 0.1, "train.lr": 2.0}, own},
		{"tabular", "bandit", "clip-cov", map[string]any{"train.epochs": 2, "train.lr": 2.0}, own},
		{"tabular", "bandit", "kl-cov", map[string]any{"train.epochs": 2, "train.lr": 2.0}, own},
		{"tabular", "bandit", "grpo", map[string]any{"train.lag": 1, "train.old": "learner", "train.sampler_temperature": 2.0, "train.optimizer": "sgd", "train.lr": 2.0, "method.tis": 1.1}, append(own, "method.by_sequence")},
		{"tabular", "bandit", "entropy-adaptive", map[string]any{"method.entropy_target": 5.0, "method.entropy_max": 0.006}, own},
		// zeta goes up, and so never turns at its least size; or down.
		{"tabular", "bandit", "repo-r", map[string]any{"method.repo_target": 5.0, "method.repo_min": 0.001, "method.repo_max": 0.015}, append(own, "method.repo_min")},
		{"tabular", "bandit", "repo-r", map[string]any{"method.repo_target": 0.01, "method.repo_min": 0.004, "method.repo_max": 0.5}, append(own, "method.repo_max")},
		{"tabular", "bandit", "grpo", map[string]any{"train.lag": 2, "train.lag_spread": 2, "train.max_lag": 1, "train.problems": 6, "train.batch": 6, "train.steps": 10}, own},
		{"tabular", "bandit", "sapo", map[string]any{"train.epochs": 2}, own},
		{"tabular", "polynomial", "grpo-div", map[string]any{"train.optimizer": "natural"}, endless},
		{"tabular", "multiplication", "evol-rl", nil, endless},
		{"tabular", "maze", "vpo", nil, endless},
		{"tabular", "maze", "goal-conditioned", nil, endless},
		{"tabular", "coins", "base", nil, nil},
		{"transformer", "bandit", "grpo", map[string]any{"policy.pretrain_steps": 0}, allowed},
		{"transformer", "maze", "vpo", nil, allowed},
	} {
		t.Run(c.policy+" "+c.env+" "+c.method, func(t *testing.T) {
			t.Parallel()
			doc := tiny(c.env, c.policy, c.method)
			for path, value := range c.set {
				part, field, _ := strings.Cut(path, ".")
				doc = with(doc, part, field, value)
			}
			r, err := runOf(t, doc, nil)
			if err != nil {
				t.Fatal(err)
			}
			fields := map[string][]params.Field{
				"policy": params.Fields(r.setup.Policy), "train": params.Fields(&r.setup.Train), "eval": params.Fields(&r.setup.Eval),
			}
			if c.env == "bandit" && c.policy == "tabular" {
				fields["method"] = r.setup.Method.Fields()
			}
			for part, list := range fields {
				for _, f := range list {
					// Keeping a policy moves no record.
					if name := part + "." + f.Name; name != "train.keep_policy" && !slices.Contains(c.leave, name) {
						r.check(t, part, f)
					}
				}
			}
		})
	}
}
