// Package exptest holds what tests of several packages of experiments share: specs that
// run in a moment, and the files of a run as texts.
package exptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/params"
	_ "modebench/internal/testkit" // puts temporary folders into memory
)

// Minimal is a spec that loads and runs in a moment; tests change it.
const Minimal = `seeds = 2
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

// Load reads a spec from a text, as a run reads it from a file of that name: its plug-ins are
// started.
func Load(t testing.TB, file, text string) *spec.Spec {
	t.Helper()
	s, err := TryLoad(t, file, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TryLoad is Load for texts with a mistake. Errors begin with the path of a folder of the
// test, and then the name of the file.
func TryLoad(t testing.TB, file, text string) (*spec.Spec, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return spec.LoadWith(path, spec.LoadOptions{StartPlugin: func(string) error { return nil }})
}

// Small reads Minimal.
func Small(t testing.TB) *spec.Spec {
	t.Helper()
	return Load(t, "small.toml", Minimal)
}

// Tree reads every file below dir but provenance, by relative path.
func Tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == record.ProvenanceFile {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TinyPolicy is the smallest transformer, hardly pre-trained.
const TinyPolicy = `
[policy]
name = "transformer"
layers = 1
width = 32
heads = 2
pretrain_steps = 3
pretrain_batch = 4
`

// TinyMazes is one cell of a tiny transformer, with more of its fields.
func TinyMazes(t testing.TB, more ...string) *spec.Spec {
	t.Helper()
	policy := TinyPolicy
	for _, line := range more {
		key, _, _ := strings.Cut(line, " ")
		policy = regexp.MustCompile("(?m)^"+key+" .*\n").ReplaceAllString(policy, "") + line + "\n"
	}
	return Load(t, "tiny.toml", "seeds = 1\n[env]\nname = \"maze\"\n"+policy+"[eval]\nk = [1]\nsamples = 2\nproblems = 1\n[[method]]\nname = \"base\"\n")
}

// Everywhere is a spec of every method on one environment.
func Everywhere(env string, group int) string {
	// Where the start can be chosen it is not uniform: EM-RL looks at nothing but how likely
	// answers are.
	start := ""
	if d, err := envs.Lookup(env); err == nil {
		if f, ok := params.Lookup(d.Default(), "start"); ok {
			start = fmt.Sprintf("start = %q", f.Choices[len(f.Choices)-1])
		}
	}
	return fmt.Sprintf(`seeds = 1
eval = { every = 12, k = [1, 2], samples = 6, enumerate = 0, draws = 4 }
[env]
name = %q
%s
[train]
steps = 12
problems = 2
batch = 2
group = %d
[[method]]
name = "*"
`, env, start, group)
}

// A Setting is a field of a spec: of its part env, policy, train, eval or method.
type Setting struct {
	part, name string
	value      any
}

// Set is a field with its value.
func Set(part, name string, value any) Setting { return Setting{part, name, value} }

// Variant is a method on an environment under a tabular policy, with some fields set.
func Variant(t testing.TB, env, method string, fields ...Setting) *spec.Variant {
	t.Helper()
	parts := map[string]map[string]any{"env": {"name": env}, "method": {"name": method}}
	for _, f := range fields {
		if parts[f.part] == nil {
			parts[f.part] = map[string]any{}
		}
		parts[f.part][f.name] = f.value
	}
	doc := map[string]any{"seeds": 1, "columns": []string{}, "method": []any{parts["method"]}}
	delete(parts, "method")
	for name, part := range parts {
		doc[name] = part
	}
	text, err := toml.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return Load(t, "one.toml", string(text)).Variants[0]
}

// Evals reads the metrics of each evaluation of a cell without the code under test.
func Evals(t testing.TB, run *record.Run, variant string, seed int) (out []map[string]float64) {
	t.Helper()
	for _, v := range run.Variants {
		for _, c := range v.Cells {
			if v.Name != variant || c.Seed != seed {
				continue
			}
			data, err := os.ReadFile(filepath.Join(run.Dir, run.Cells, c.ID, "eval.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(data) {
				var e struct{ Metrics map[string]float64 }
				if err := json.Unmarshal(line, &e); err != nil {
					t.Fatal(err)
				}
				out = append(out, e.Metrics)
			}
		}
	}
	if out == nil {
		t.Fatalf("no evaluations of %q with seed %d", variant, seed)
	}
	return out
}

// Cells are the ids of the cells of a seed, in the order of specs and variants, but for those of
// variants of these names.
func Cells(t testing.TB, specs []*spec.Spec, seed int, without ...string) (out []string) {
	t.Helper()
	for _, s := range specs {
		for _, v := range s.Variants {
			if slices.Contains(without, v.Name) {
				continue
			}
			p, err := v.Setup()
			if err != nil {
				t.Fatal(err)
			}
			id, err := p.Cell(seed).ID()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, id)
		}
	}
	return out
}
