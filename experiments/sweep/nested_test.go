package sweep

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// nestedSpec reads Minimal with other keys at its top.
func nestedSpec(t *testing.T, top string) *spec.Spec {
	t.Helper()
	return exptest.Load(t, "small.toml", top+"\n"+strings.Replace(exptest.Minimal, "seeds = 2\n", "", 1))
}

// TestNestedRuns: a run of nested seeds is the same whatever the workers and the shards, continues
// with more seeds, and its manifest states how seeds are nested.
func TestNestedRuns(t *testing.T) {
	s := nestedSpec(t, "seeds = 6\nnested = [2]")
	whole := t.TempDir()
	run, err := Run(t.Context(), s, Options{Out: whole, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(record.Nested{2, 2}, run.Nested); d != "" {
		t.Error(d)
	}
	opened, err := record.Open(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(run.Manifest, opened.Manifest); d != "" {
		t.Error(d)
	}
	want := exptest.Tree(t, whole)
	var outs []string
	for i := range 2 {
		out := t.TempDir()
		if _, err := Run(t.Context(), s, Options{Out: out, Jobs: 2, Part: func(cell int) bool { return cell%2 == i }}); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, out)
	}
	merged := t.TempDir()
	if _, err := Merge(merged, outs...); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteManifest(t.Context(), s, merged); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, exptest.Tree(t, merged)); d != "" {
		t.Error(d)
	}
	// Seeds are the same cells in a run of fewer seeds, and in a run that begins later.
	for _, part := range []struct {
		top  string
		from int
	}{{"seeds = 3\nnested = 2", 0}, {"first_seed = 3\nseeds = 3\nnested = 2", 3}} {
		var plan Plan
		later, err := Run(t.Context(), nestedSpec(t, part.top), Options{Out: whole, Jobs: 2, Planned: func(p Plan) { plan = p }})
		if err != nil {
			t.Fatal(err)
		}
		if plan.Finished != 3 || plan.Cells != 3 {
			t.Errorf("%q: %+v, want all 3 cells finished", part.top, plan)
		}
		if d := cmp.Diff(run.Variants[0].Cells[part.from:part.from+3], later.Variants[0].Cells); d != "" {
			t.Errorf("%q: %s", part.top, d)
		}
	}
}

// TestNestedSeedsHaveTheirDraws: seeds of one draw have the same problems to choose from, and
// those of another draw others.
func TestNestedSeedsHaveTheirDraws(t *testing.T) {
	run, err := Run(t.Context(), nestedSpec(t, "first_seed = 1\nseeds = 3\nnested = 2"), Options{Out: t.TempDir(), Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, ref := range run.Variants[0].Cells {
		cell, err := run.Cell(ref)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ref.Seed, cell.Seed, cell.Env.Params["env_seed"])
	}
	want := []any{1, 1, 1.0, 2, 2, 2.0, 3, 3, 2.0}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("seed of the manifest, seed of the cell, env_seed (-want +got):\n%s", d)
	}
}

// TestNestedBases: every two seeds have a base policy of their own, whatever the draw, and all
// of them are verified.
func TestNestedBases(t *testing.T) {
	s := exptest.Load(t, "tiny.toml", "seeds = 4\nnested = [4, 2]\n[env]\nname = \"maze\"\n"+exptest.TinyPolicy+"[eval]\nk = [1]\nsamples = 2\nproblems = 1\n[[method]]\nname = \"base\"\n")
	opt := Options{Out: t.TempDir(), Cache: t.TempDir(), Jobs: 1}
	run, err := Run(t.Context(), s, opt)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, ref := range run.Variants[0].Cells {
		base, _ := record.ReadBase(run.Folder(ref))
		files = append(files, base.File)
	}
	if files[0] == "" || files[0] != files[1] || files[2] != files[3] || files[0] == files[2] {
		t.Errorf("base policies of seeds: %q, want two, of two seeds each", files)
	}
	verified := 0
	opt.VerifyCache, opt.Notes = true, func(line string) {
		if strings.Contains(line, "pre-training gives the same again") {
			verified++
		}
	}
	if _, err := Run(t.Context(), s, opt); err != nil || verified != 2 {
		t.Errorf("%d base policies were verified (%v), want 2", verified, err)
	}
}
