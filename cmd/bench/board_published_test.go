package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"modebench/experiments/board"
)

// TestPublishedBoard: the tables and figures that are committed are those of the published
// results, and these have every method of the grid. With tables all tasks are published.
func TestPublishedBoard(t *testing.T) {
	grid, err := board.Published()
	if err != nil {
		t.Fatal(err)
	}
	names, err := grid.Names(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"tabular", "transformer"} {
		t.Run(policy, func(t *testing.T) {
			tasks, err := board.Tasks(policy)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := filepath.Abs(filepath.Join(root, "results", "board", policy))
			if err != nil {
				t.Fatal(err)
			}
			for _, task := range tasks {
				r, err := board.ReadResult(filepath.Join(folder, task.Name+".json"))
				if errors.Is(err, fs.ErrNotExist) && policy != "tabular" {
					t.Logf("%s: no result of %s is published", policy, task.Name)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				there := map[string]bool{}
				for _, s := range r.Standings {
					there[s.Method] = true
				}
				for _, u := range r.Unfit {
					there[u.Method] = true
				}
				for _, name := range names {
					if !there[name] {
						t.Errorf("%s: %s has no row; bench board --policy %s --tasks %s --methods %s --keep results/board/%s", policy, name, policy, task.Name, name, policy)
					}
				}
			}
			inDir(t)
			table, _ := succeed(t, "board", "--policy", policy, "--from", "published", "--format", "markdown", "--figures", "figures")
			committed, err := os.ReadFile(filepath.Join(folder, "table.md"))
			if err != nil {
				t.Fatal(err)
			}
			if string(committed) != "# The board, policy "+policy+"\n\n"+table {
				t.Errorf("%s is not what bench board --from published --format markdown prints", filepath.Join(folder, "table.md"))
			}
			figures, err := filepath.Glob(filepath.Join(folder, "*.svg"))
			if err != nil || len(figures) == 0 {
				t.Fatalf("%d figures, %v", len(figures), err)
			}
			for _, figure := range figures {
				committed, err := os.ReadFile(figure)
				if err != nil {
					t.Fatal(err)
				}
				drawn, err := os.ReadFile(filepath.Join("figures", filepath.Base(figure)))
				if err != nil || !bytes.Equal(drawn, committed) {
					t.Errorf("%s: bench board --figures draws something else (%v)", figure, err)
				}
			}
		})
	}
}
