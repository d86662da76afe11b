package spec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// firstCells are the cells of a spec's first seed, by label, in the order of the spec.
func firstCells(t *testing.T, s *spec.Spec) (labels []string, ids map[string]string) {
	t.Helper()
	ids = map[string]string{}
	for _, v := range s.Variants {
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		if ids[v.Label], err = p.Cell(s.FirstSeed).ID(); err != nil {
			t.Fatal(err)
		}
		labels = append(labels, v.Label)
	}
	return labels, ids
}

// claimed are the labels that the claims of a spec are about, and those of the exact optimum.
func claimed(s *spec.Spec) map[string]bool {
	var variants []record.Variant
	out := map[string]bool{}
	for _, v := range s.Variants {
		variants = append(variants, v.Record())
		out[v.Label] = v.Method == "optimum"
	}
	for _, c := range s.Claims {
		for _, name := range c.Names() {
			for _, v := range record.Named(variants, name) {
				out[v.Label] = true
			}
		}
	}
	return out
}

// TestDesign: under a design every built-in spec has the claims that it has with the same seeds
// set by hand, the variants that these are about with the same cells, and the exact optimum as
// well if the spec had no optimum.
func TestDesign(t *testing.T) {
	builtins, err := spec.Builtins()
	if err != nil {
		t.Fatal(err)
	}
	added, pruned := 0, 0
	for i, b := range builtins {
		if testing.Short() && i%3 != 0 {
			continue
		}
		for _, policy := range append([]string{b.Policy}, b.Overlays...) {
			asIs, err := spec.LoadWith(b.Name, spec.LoadOptions{Policy: policy})
			if err != nil {
				t.Fatal(err)
			}
			own := asIs.FirstSeed
			plain, err := spec.LoadWith(b.Name, spec.LoadOptions{Policy: policy, Set: []string{fmt.Sprintf("first_seed=%d", own+1000), "nested=1"}})
			if err != nil {
				t.Fatal(err)
			}
			if len(plain.Claims) == 0 {
				continue
			}
			study, err := spec.LoadWith(b.Name, spec.LoadOptions{Policy: policy, Design: &spec.Design{Suffix: "-confirm", FirstSeed: 1000, Seeds: 13, Nested: record.Nested{1, 1}}})
			if err != nil {
				t.Fatal(err)
			}
			name := b.Name
			if policy != b.Policy {
				name += "-" + policy
			}
			if study.Name != name+"-confirm" || study.FirstSeed != own+1000 || study.Seeds != 13 || study.TextSum == "" {
				t.Errorf("%s: name %s, %d seeds from %d on, text %q", name, study.Name, study.Seeds, study.FirstSeed, study.TextSum)
			}
			if d := cmp.Diff(plain.Claims, study.Claims); d != "" {
				t.Errorf("%s: claims:\n%s", name, d)
			}
			shown := map[string]bool{} // the figures left: no figure is empty, or names a missing variant
			for _, fig := range study.Figures {
				shown[fig.Name] = true
				if !slices.ContainsFunc(study.Variants, func(v *spec.Variant) bool { return fig.Shows(v.Record()) }) {
					t.Errorf("%s: figure %s shows no variant", name, fig.Name)
				}
				for _, label := range fig.Panel {
					if !slices.ContainsFunc(study.Variants, func(v *spec.Variant) bool { return v.Label == label }) {
						t.Errorf("%s: figure %s has a panel of %q, which is not run", name, fig.Name, label)
					}
				}
			}
			about := claimed(plain)
			for _, fig := range plain.Figures {
				left := slices.ContainsFunc(plain.Variants, func(v *spec.Variant) bool {
					return about[v.Label] && fig.Shows(v.Record()) && (len(fig.Panel) == 0 || slices.Contains(fig.Panel, v.Label))
				})
				if left && !shown[fig.Name] {
					t.Errorf("%s: figure %s is left out, and a variant that it shows is run", name, fig.Name)
				}
			}
			labels, ids := firstCells(t, plain)
			labels = slices.DeleteFunc(labels, func(label string) bool {
				if !about[label] {
					delete(ids, label)
					pruned++
				}
				return !about[label]
			})
			gotLabels, gotIDs := firstCells(t, study)
			had := slices.ContainsFunc(plain.Variants, func(v *spec.Variant) bool { return v.Method == "optimum" })
			gotLabels = slices.DeleteFunc(gotLabels, func(label string) bool {
				optimum := label == "optimum" || strings.HasPrefix(label, "optimum ")
				if optimum && !had {
					delete(gotIDs, label)
					added++
				}
				return optimum && !had
			})
			if d := cmp.Diff(labels, gotLabels) + cmp.Diff(ids, gotIDs); d != "" {
				t.Errorf("%s, variants or cells:\n%s", name, d)
			}
		}
	}
	if added < 10 || pruned < 10 {
		t.Errorf("%d rows of the optimum are added in all, and %d are left out that no claim is about", added, pruned)
	}
}

// TestDesignOptimum: one row of the optimum for each setting of environment and evaluation,
// and none where the spec has them.
func TestDesignOptimum(t *testing.T) {
	design := &spec.Design{Seeds: 6}
	for _, c := range []struct {
		reason, methods string
		want            []string
	}{
		{"an axis of training is none of the optimum's", `
[train]
lr = [0.1, 0.2]
[[method]]
name = "grpo"
`, []string{"optimum modes=4", "optimum modes=6"}},
		{"its own row stays as it is", `
[[method]]
name = "optimum"
label = "best"
`, []string{"best modes=4", "best modes=6"}},
	} {
		path := filepath.Join(t.TempDir(), "my.toml")
		if err := os.WriteFile(path, []byte("[env]\nname = \"bandit\"\nmodes = [4, 6]\n"+c.methods), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := spec.LoadWith(path, spec.LoadOptions{Design: design})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range s.Variants {
			if v.Method == "optimum" {
				got = append(got, v.Label)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.reason, d)
		}
	}
}

// TestDesignKeepsNull: the variants of a null comparison run among the seeds that decide.
func TestDesignKeepsNull(t *testing.T) {
	const text = `
[env]
name = "bandit"
[[method]]
name = "base"
[[method]]
name = "grpo"
[[method]]
name = "rloo"
[[method]]
name = "poly-epo"
[[claim]]
name = "c"
text = "t"
metric = "reward"
a = "grpo"
b = "base"
says = "above"
null = { a = "rloo", b = ["base"], metric = "pass@1" }
`
	file := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := spec.LoadWith(file, spec.LoadOptions{Design: &spec.Design{Suffix: "-confirm", Seeds: 20, Nested: record.Nested{1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	labels, _ := firstCells(t, s)
	if want := []string{"base", "grpo", "rloo", "optimum"}; !slices.Equal(labels, want) {
		t.Errorf("runs %q, want %q", labels, want)
	}
	want := &record.Null{Metrics: []string{"pass@1"}, A: "rloo", B: []string{"base"}}
	if d := cmp.Diff(want, s.Claims[0].Null); d != "" {
		t.Error(d)
	}
}
