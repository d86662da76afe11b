package sweep

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/internal/testkit"
)

// TestPartOf: the finished part of a run under way can be read as a run of these cells, as the
// manifest lists them in the end.
func TestPartOf(t *testing.T) {
	spec, out := severalCells(t), t.TempDir()
	dir := filepath.Join(out, spec.Name)
	if _, err := Run(context.Background(), spec, Options{Out: out, Jobs: 1, Part: func(cell int) bool { return cell > 0 && cell < 4 }}); err != nil {
		t.Fatal(err)
	}
	part, err := PartOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(part.Status.Cells) != part.Status.All()-3 || len(part.Without) == 0 {
		t.Errorf("%d of %d cells are missing, and %q", len(part.Status.Cells), part.Status.All(), part.Without)
	}
	whole := runIn(t, spec, out, 2)
	seen := 0
	for _, v := range part.Run.Variants {
		for _, ref := range v.Cells {
			seen++
			if evals, err := part.Run.Evals(ref); err != nil || len(evals) == 0 {
				t.Errorf("%s, seed %d: %d evaluations, %v", v.Label, ref.Seed, len(evals), err)
			}
		}
	}
	if seen != 3 || part.Run.Spec != whole.Spec || len(part.Run.Figures) != len(whole.Figures) || strings.Join(part.Run.Columns, " ") != strings.Join(whole.Columns, " ") {
		t.Errorf("%d cells of %+v", seen, part.Run.Manifest)
	}
	if part, err = PartOf(dir); err != nil || len(part.Status.Cells) != 0 || len(part.Run.Variants) != len(whole.Variants) {
		t.Errorf("of all cells: %+v, %v", part, err)
	}
}

// TestPartOfRefuses: a plan whose manifest is of other cells, or leads elsewhere, is not gone by.
func TestPartOfRefuses(t *testing.T) {
	spec, out := severalCells(t), t.TempDir()
	if _, err := Run(context.Background(), spec, Options{Out: out, Jobs: 1, Part: func(cell int) bool { return cell == 0 }}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(out, spec.Name, record.PlanFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`"manifest": {"version":2,"spec":"`, `"manifest": {"version":2,"spec":"x`, "of another experiment than its cells"},
		{`"cells":"../cells"`, `"cells":"../../cells"`, `cells: got "../../cells"`},
		{`"variants":[`, `"variants":[],"columns":[`, "columns"},
	} {
		bad := strings.Replace(string(data), c.from, c.to, 1)
		if bad == string(data) {
			t.Fatalf("no %q in %s", c.from, data)
		}
		if err := os.WriteFile(path, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := PartOf(filepath.Dir(path))
		testkit.WantError(t, err, c.want)
	}
}
