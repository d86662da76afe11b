package train

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
)

// TestFilesAreThoseOfRun: in memory a cell has the bytes of its folder, DONE among them, and every line of
// records was handed on.
func TestFilesAreThoseOfRun(t *testing.T) {
	s := exptest.Load(t, "t.toml", `
title = "in memory"
seeds = 1
[env]
name = "coins"
[train]
steps = 6
problems = 2
[eval]
every = 2
k = [1, 8]
samples = 8
keep = 1
[[method]]
name = "grpo"
[[method]]
name = "poly-epo"
n = 2
`)
	run := trained(t, s, t.TempDir())
	for i, v := range s.Variants {
		lines := map[string]string{}
		files, err := Files(t.Context(), v, s.FirstSeed, func(name string, line []byte) { lines[name] += string(line) })
		if err != nil {
			t.Fatal(err)
		}
		folder := run.Folder(run.Variants[i].Cells[0])
		names := append(slices.Clone(record.Vouched), record.DoneFile)
		for _, name := range names {
			want, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			if string(files[name]) != string(want) {
				t.Errorf("%s: %s differs", v.Label, name)
			}
			if strings.HasSuffix(name, "l") && lines[name] != string(want) {
				t.Errorf("%s: other lines of %s were handed on", v.Label, name)
			}
		}
		if names = append(names, record.ProvenanceFile); len(files) != len(names) {
			t.Errorf("%s: files %q, want %q", v.Label, slices.Sorted(maps.Keys(files)), names)
		}
	}
}
