package study

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/claims"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

const text = `[env]
name = "bandit"
[train]
steps = 20
[eval]
every = 20
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
[[claim]]
name = "entropy"
text = "more modes"
source = "a paper"
metric = "entropy_mode"
a = "setpo+grpo"
b = "grpo"
says = "above"
`

// fileSource reads a spec from a file.
type fileSource string

func (f fileSource) Look(ctx context.Context, design spec.Design) (*spec.Spec, error) {
	return spec.LoadWith(string(f), spec.LoadOptions{Context: ctx, Design: &design})
}

func (f fileSource) Ready(_ context.Context, looked *spec.Spec, _ spec.Design, _ func(int) bool) (*spec.Spec, error) {
	return looked, nil
}

// write makes a study of a spec in a folder.
func write(t *testing.T, dir, text string) *Study {
	t.Helper()
	path := filepath.Join(dir, "own.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	y, err := New(t.Context(), fileSource(path), filepath.Join(dir, "registered"), 0)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// TestStudy: a study is registered once, before its seeds are run, and is decided by all of them; a
// changed claim is refused.
func TestStudy(t *testing.T) {
	dir := t.TempDir()
	opt := sweep.Options{Out: filepath.Join(dir, "out"), Jobs: 2}
	y := write(t, dir, text)
	if registered, err := y.Registered(); registered || err != nil {
		t.Fatalf("registered is %v before the registration (%v)", registered, err)
	}
	for _, existing := range []bool{false, true} {
		plans, err := Register(t.Context(), []*Study{y}, opt, sweep.RunAll)
		if err != nil || plans[0].Existing != existing || plans[0].Hash == "" || !strings.Contains(plans[0].Text(), plans[0].Hash) {
			t.Fatalf("existing is %v: %+v, %v", existing, plans, err)
		}
	}
	d, err := y.Decision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "verdicts")
	all, err := Decide(t.Context(), []*Decision{d}, opt, sweep.RunAll)
	if err != nil || len(all) != 1 || all[0].Spec != "own" || all[0].Settings[0].Effect.N != d.Registration.Seeds.Number {
		t.Fatalf("%+v, %v", all, err)
	}
	texts, err := Documents([]*Decision{d}, all, folder)
	kept, errRead := os.ReadFile(filepath.Join(folder, "own.json"))
	if err != nil || errRead != nil || len(texts) != 1 || string(kept) != string(texts[0]) {
		t.Errorf("%d documents (%v, %v)", len(texts), err, errRead)
	}
	if verdicts, err := claims.ReadKept(filepath.Join(folder, "own.json"), y.Path, "transformer"); verdicts != nil || err != nil {
		t.Errorf("of another policy: %v, %v", verdicts, err)
	}

	changed := write(t, dir, strings.Replace(text, `says = "above"`, `says = "below"`, 1))
	if _, err := changed.Decision(t.Context()); err == nil || !strings.Contains(err.Error(), "own differs from its registration") {
		t.Errorf("a changed claim: %v", err)
	}
	if err := os.Remove(y.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := Register(t.Context(), []*Study{y}, opt, sweep.RunAll); err == nil || !strings.Contains(err.Error(), "a registration comes before them") {
		t.Errorf("a registration after the seeds: %v", err)
	}
}
