package main

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/board"
	"modebench/experiments/board/profile"
	"modebench/internal/lined"
	"modebench/internal/testkit"
	"modebench/results"
)

// TestPublishedBoard: the tables and figures that are committed are those of the published
// results, and these have every method of the grid. With tables all tasks are published.
func TestPublishedBoard(t *testing.T) {
	takesSeconds(t)
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
				r, err := board.ReadFile(filepath.Join(folder, task.Name+".json"), board.ParseResult)
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
					for _, row := range s.Rows { // from GRPO's own path, which every part of a run needs
						if row.Mean("accuracy") > 0.3 && math.IsNaN(row.Mean("gain")) {
							t.Errorf("%s: %s has an accuracy of %.2f and no gain", task.Name, s.Method, row.Mean("accuracy"))
						}
					}
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
			draw := []string{"board", "--policy", policy, "--from", "published", "--format", "markdown", "--draw", "figures"}
			if policy == "transformer" { // where the first of the table cannot be told apart
				draw = append(draw, "--show", "grpo,poly-epo,grpo-div,mmr-grpo,pkpo,vpo,psr,grpo-passk")
			}
			table, _ := succeed(t, draw...)
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
					t.Errorf("%s: bench board --draw draws something else (%v)", figure, err)
				}
			}
		})
	}
}

// TestPublishedProfile: the profiles that are committed have every method of the grid at every
// capability, and the figure is of them.
func TestPublishedProfile(t *testing.T) {
	grid, err := board.Published()
	if err != nil {
		t.Fatal(err)
	}
	names, err := grid.Names(nil)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := profile.Capabilities()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs(filepath.Join(root, "results", "board", board.Profile))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		m, err := profile.Read(filepath.Join(folder, task.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for _, s := range m.Methods {
			there[s.Method] = true
		}
		for _, u := range m.Unfit {
			there[u.Method] = true
		}
		for _, name := range names {
			if row, err := grid.Row(name); err != nil || row.Method != "" {
				continue // a control of the board
			}
			if !there[name] {
				t.Errorf("%s: %s has no profile; bench profile %s --run --capabilities %s --keep results/board/profile", task.Name, name, name, task.Name)
			}
		}
	}
	committed, err := os.ReadFile(filepath.Join(folder, "radar.svg"))
	if err != nil {
		t.Fatal(err)
	}
	page := pageText(t, "results/board.md")
	inDir(t)
	command := regexp.MustCompile(`(?m)^bench (profile .*)$`).FindStringSubmatch(page)
	if command == nil {
		t.Fatal("results/board.md has no command of profiles")
	}
	table, _ := succeed(t, append(strings.Fields(command[1]), "--format", "markdown")...)
	table, _, _ = strings.Cut(table, "\n\n-") // notes and settings
	_, table, _ = strings.Cut(table, "\n\n")
	if !strings.Contains(page, table) {
		t.Errorf("results/board.md has other profiles than\n%s", table)
	}
	succeed(t, "profile", "--draw", "figures")
	drawn, err := os.ReadFile(filepath.Join("figures", "radar.svg"))
	if err != nil || !bytes.Equal(drawn, committed) {
		t.Errorf("bench profile --draw draws something else than radar.svg (%v)", err)
	}
}

// sameNumbers compares numbers of documents, of which those that are missing are NaN.
var sameNumbers = cmp.Comparer(func(a, b lined.Number) bool { return a == b || a != a && b != b })

// TestPublishedRowsAgain: rows that are taken out of the published results come back as they were, by the
// settings that were tried, the setting that was chosen and every number of the first seeds.
func TestPublishedRowsAgain(t *testing.T) {
	testkit.Long(t, "runs methods of the board anew")
	for _, c := range []struct {
		policy, task string
		methods      []string
	}{
		{"tabular", "coins", []string{"grpo", "grpo+wise-ft", "pkpo", "poly-epo"}},
		{"transformer", "polynomial", []string{"grpo"}},
	} {
		t.Run(c.policy, func(t *testing.T) {
			published, err := board.ReadFile(filepath.Join(root, "results", "board", c.policy, c.task+".json"), board.ParseResult)
			if err != nil {
				t.Fatal(err)
			}
			rest := *published
			rest.Standings = slices.DeleteFunc(slices.Clone(rest.Standings), func(s board.Standing) bool { return slices.Contains(c.methods, s.Method) })
			inDir(t)
			kept := filepath.Join("kept", c.task+".json")
			if err := errors.Join(os.Mkdir("kept", 0o755), os.WriteFile(kept, rest.Text(), 0o644)); err != nil {
				t.Fatal(err)
			}
			succeed(t, "board", "--policy", c.policy, "--tasks", c.task, "--methods", strings.Join(c.methods, ","), "--shard", "0/1", "--keep", "kept", "--cache", "cache")
			again, err := board.ReadFile(kept, board.ParseResult)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range c.methods {
				want, got := published.Standing(name), again.Standing(name)
				if diff := cmp.Diff(want.Tried, got.Tried, sameNumbers); diff != "" {
					t.Errorf("%s: settings that were tried (-published +again):\n%s", name, diff)
				}
				a, b := want.Row(board.Tuned), got.Row(board.Tuned)
				first := *a
				first.Seeds = map[string][]lined.Number{}
				for column, values := range a.Seeds {
					first.Seeds[column] = values[:b.N()]
				}
				if diff := cmp.Diff([]any{first.Setting, first.Same, first.Cells[:1], first.Seeds}, []any{b.Setting, b.Same, b.Cells, b.Seeds}, sameNumbers); diff != "" {
					t.Errorf("%s: evaluated seeds (-published +again):\n%s", name, diff)
				}
			}
		})
	}
}

// TestPublishedForetelling: if both boards are published, so are the text and the figure of bench board
// foretell.
func TestPublishedForetelling(t *testing.T) {
	takesSeconds(t)
	if _, err := fs.Stat(results.Board, "board/transformer"); err != nil {
		t.Skip("the board of the transformer is not published")
	}
	folder, err := filepath.Abs(filepath.Join(root, "results", "board"))
	if err != nil {
		t.Fatal(err)
	}
	inDir(t)
	text, _ := succeed(t, "board", "foretell", "--format", "markdown", "--draw", "figures")
	drawn, err := os.ReadFile(filepath.Join("figures", "foretell.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"foretell.md": "# One board and the other\n\n" + text, "foretell.svg": string(drawn)} {
		if committed, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(committed) != want {
			t.Errorf("%s is not what bench board foretell --format markdown --draw makes (%v)", filepath.Join(folder, name), err)
		}
	}
}
