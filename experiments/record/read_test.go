package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/visible"
)

const manifest = `{"version":2,"spec":"s","title":"","source":"","cells":"../cells","columns":["reward"],
"variants":[{"label":"grpo","method":"grpo","axes":null,"cells":[{"seed":0,"id":"c"}]}],"figures":null,"claims":null}`

// folder writes an experiment of one cell with the given files and opens it.
func folder(t testing.TB, run, train, eval string) (*Run, error) {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"s", "cells/c"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"s/" + ManifestFile: run, "cells/c/" + TrainFile: train, "cells/c/" + EvalFile: eval} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, filepath.Join(dir, "cells", "c"))
	return Open(filepath.Join(dir, "s"))
}

// finish writes the DONE of a cell, and its missing files.
func finish(t testing.TB, cell string) {
	t.Helper()
	for _, name := range []string{CellFile, CheckpointFile} {
		f, err := os.OpenFile(filepath.Join(cell, name), os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	done, err := HashFiles(cell)
	if err == nil {
		err = os.WriteFile(filepath.Join(cell, DoneFile), done, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	run, err := folder(t, manifest,
		`{"step":0,"reward":0.5,"entropy":1}`+"\n"+`{"step":10,"reward":1,"entropy":0.5}`+"\n",
		`{"step":0,"exact":true,"metrics":{"reward":0.5},"modes":[{"mode":"a","correct":true,"mass":1}]}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	ref := run.Variants[0].Cells[0]
	trains, err := run.Trains(ref)
	if d := cmp.Diff([]Train{{Step: 0, Reward: 0.5, Entropy: 1}, {Step: 10, Reward: 1, Entropy: 0.5}}, trains); err != nil || d != "" {
		t.Errorf("training records (%v):\n%s", err, d)
	}
	evals, err := run.Evals(ref)
	want := []Eval{{Exact: true, Metrics: map[string]float64{"reward": 0.5}, Modes: []Share{{"a", true, 1}}}}
	if d := cmp.Diff(want, evals); err != nil || d != "" {
		t.Errorf("evaluation records (%v):\n%s", err, d)
	}
}

func TestNoRecordsIsNoError(t *testing.T) {
	run, err := folder(t, manifest, "", "")
	if err != nil {
		t.Fatal(err)
	}
	// A method that does not train leaves an empty file of training records.
	if trains, err := run.Trains(run.Variants[0].Cells[0]); err != nil || trains != nil {
		t.Errorf("got %v, %v", trains, err)
	}
}

func TestDamagedFiles(t *testing.T) {
	good := `{"step":0,"exact":true,"metrics":{}}` + "\n"
	for _, c := range []struct{ reason, run, eval, want string }{
		{"a manifest cut off", manifest[:40], good, "run.json:1:41: unexpected end of JSON input"},
		{"a foreign manifest", `{"spec": "x", "cellz": 1}`, good, `run.json: unknown field "cellz"`},
		{"a manifest of another version", `{"version": 7}`, good, "run.json: results version 7, this program reads version 2: run the experiment again"},
		{"a manifest of nothing", `{"version": 2}`, good, "run.json: not a manifest: it names no spec or no variants"},
		{"the last line cut off", manifest, good + `{"step":10,"exa`, "eval.jsonl: the last line is cut off: run the experiment again"},
		{"a line that is not JSON", manifest, good + "{\"step\":}\n", "eval.jsonl:2: "},
		{"an unknown field", manifest, good + "{\"stp\":1}\n", `eval.jsonl:2: unknown field "stp"`},
		{"a value of another type", manifest, "{\"step\":\"a\"}\n", "eval.jsonl:1: step: got string, want an integer"},
		{"two values on a line", manifest, "{\"step\":0} {\"step\":1}\n", "eval.jsonl:1: "},
	} {
		run, err := folder(t, c.run, "", c.eval)
		if err == nil {
			_, err = run.Evals(run.Variants[0].Cells[0])
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant one line with %q", c.reason, err, c.want)
		}
	}
}

func TestOpenNothing(t *testing.T) {
	planned := t.TempDir()
	if err := os.WriteFile(filepath.Join(planned, PlanFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	above := t.TempDir()
	if err := os.Mkdir(filepath.Join(above, "quick"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(above, "quick", ManifestFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ why, dir, want string }{
		{"the folder above", above, "not the folder of an experiment (in it are those of " + filepath.Join(above, "quick") + ")"},
		{"another folder", t.TempDir(), "holds no run.json: not the folder of an experiment"},
		{"a misspelt name", filepath.Join(t.TempDir(), "quik"), "quik: no such folder"},
		{"a run that has not ended, or that a cell failed of", planned, "holds no run.json yet: it is written once all cells are there (bench status " + planned + " lists those that are missing)"},
	} {
		if _, err := Open(c.dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(manifest, `{"step":0,"exact":true,"metrics":{"reward":0.5}}`+"\n")
	f.Add(`{"version":2}`, "\n")
	f.Add(strings.Replace(manifest, `"figures":null`, `"figures":[{"name":"../x"},{"name":"nul"},{"name":"a"}]`, 1), "")
	f.Add(strings.Replace(manifest, `"id":"c"`, `"id":"../../c"`, 1), `{"metrics":{"a\u001b":1}}`+"\n")
	f.Add(strings.Replace(manifest, `"label":"grpo"`, `"label":"\u001b\u202e"`, 1), "")
	f.Fuzz(func(t *testing.T, run, eval string) {
		r, err := folder(t, run, "", eval)
		if err != nil {
			return
		}
		if r.Version != Version || len(r.Variants) == 0 {
			t.Errorf("accepted a manifest of version %d with %d variants", r.Version, len(r.Variants))
		}
		for _, fig := range r.Figures {
			if path := filepath.Join("out", fig.Name+".svg"); filepath.Dir(path) != "out" || !visible.Is(fig.Title) {
				t.Errorf("a figure %q is drawn to %s", fig.Title, path)
			}
		}
		for _, v := range r.Variants {
			for _, ref := range v.Cells {
				if !visible.Is(v.Label) || filepath.Dir(r.Folder(ref)) != filepath.Join(filepath.Dir(r.Dir), CellsDir) {
					t.Errorf("%q is read from %s", v.Label, r.Folder(ref))
				}
			}
		}
		evals, err := lines[Eval](EvalFile, []byte(eval))
		if err == nil && len(evals) > strings.Count(eval, "\n") {
			t.Errorf("%d records in %q", len(evals), eval)
		}
	})
}
