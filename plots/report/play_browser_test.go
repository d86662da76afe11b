package report

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A playedScene is what play.cjs saw after an action.
type playedScene struct {
	Action, Problem, Said    string
	Panels, Step, Over       int
	Chosen                   []int
	Captions, Heads, Pressed []string
	Rows                     [][]string
	Layers                   [][]int
	Counts                   [][]string
	Shares                   [][]float64 // how wide bars are, of the whole axis
	Focus                    bool
}

// playedScenes are all that play.cjs saw.
type playedScenes struct {
	Seen                        []playedScene
	Linked                      playedScene // what the address of the last one leads to
	Printed                     struct{ Controls, Pictures, Rows int }
	Console, Loaded, Violations []string
	Passes                      int
}

// playIn plays with a page in a browser, by puppeteer-core of npm.
func playIn(t *testing.T, page, width, how string) (out playedScenes) {
	t.Helper()
	chromium := browser(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node in PATH: the problems are not played with")
	}
	root, err := exec.Command("npm", "root", "-g").Output()
	if err != nil {
		t.Skip("no npm in PATH: the problems are not played with")
	}
	modules := strings.TrimSpace(string(root))
	for _, name := range []string{"puppeteer-core", "axe-core"} {
		if _, err := os.Stat(filepath.Join(modules, name)); err != nil {
			t.Skipf("no %s among npm's global packages (npm install -g %[1]s): the problems are not played with", name)
		}
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join("testdata", "play.cjs"), "file://"+filepath.ToSlash(file), width, how, chromium)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	var errs strings.Builder
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPlayInBrowser plays with the mouse and with the keyboard alone, at a desk and on a phone.
// Whatever is chosen, the table has the counts of the records, and the pictures mark what was
// given.
func TestPlayInBrowser(t *testing.T) {
	browser(t)
	e, page := sharedPage(t, 1, true)
	want := countPools(t, e)
	problems := playDataOf(t, page)
	for _, width := range []string{"1280", "390"} {
		for _, how := range []string{"mouse", "keyboard"} {
			t.Run(how+" "+width, func(t *testing.T) {
				out := playIn(t, page, width, how)
				for _, line := range slices.Concat(out.Console, out.Violations, out.Loaded[1:]) {
					t.Errorf("console, axe or a request: %s", line)
				}
				if out.Passes < 10 {
					t.Errorf("axe tried %d rules, want those for tables, names and contrast", out.Passes)
				}
				if p := out.Printed; p.Controls > 0 || p.Pictures < 1 || p.Rows < 1 {
					t.Errorf("a print has %+v", p)
				}
				for _, s := range out.Seen {
					checkScene(t, s, problems, e, want)
				}
				checkActions(t, how, out.Seen)
				last := out.Seen[len(out.Seen)-1]
				last.Focus, out.Linked.Focus = false, false
				for _, s := range []*playedScene{&last, &out.Linked} {
					for i := range s.Counts {
						slices.Sort(s.Counts[i])
					}
				}
				if diff := cmp.Diff(last, out.Linked); diff != "" {
					t.Errorf("the address leads elsewhere (-left, +found):\n%s", diff)
				}
			})
		}
	}
}

// checkScene holds what is on the screen against the records.
func checkScene(t *testing.T, s playedScene, problems []playData, e Experiment, want tally) {
	t.Helper()
	number, err := strconv.Atoi(strings.TrimPrefix(s.Problem, "e1-play"))
	if err != nil || s.Panels != 1 {
		t.Fatalf("%s: %d problems are open, the first is %q", s.Action, s.Panels, s.Problem)
	}
	number--
	if s.Over > 0 {
		t.Errorf("%s: the page is %d pixels too wide", s.Action, s.Over)
	}
	var heads []string
	var views []map[string]int
	for _, i := range s.Chosen {
		label := e.Run.Variants[i].Label
		steps := []int{0}
		last := 0
		for _, step := range problems[number].Variants[i].Steps {
			if step <= s.Step {
				last = step
			}
		}
		if last > 0 {
			steps = append(steps, last)
		}
		for _, step := range steps {
			if step == 0 && i == 2 && s.Chosen[0] == 1 { // they begin alike
				heads[0] = fmt.Sprintf("%s and %s, step 0, of 20 answers", e.Run.Variants[1].Label, label)
				continue
			}
			heads = append(heads, fmt.Sprintf("%s, step %d, of 20 answers", label, step))
			views = append(views, want[label][number][step])
		}
	}
	if !slices.Equal(s.Heads[3:], heads) || len(s.Captions) != len(views) {
		t.Fatalf("%s: the columns are %q and the pictures %q, want %q", s.Action, s.Heads, s.Captions, heads)
	}
	sums, marks := make([]int, len(views)), make([][]string, len(views))
	for _, row := range s.Rows {
		for i, text := range row[3:] {
			n, _ := strconv.Atoi(text) // a dash is none
			if n != views[i][row[0]] {
				t.Errorf("%s: %s was given %q times in %s, want %d", s.Action, row[0], text, heads[i], views[i][row[0]])
			}
			sums[i] += n
			if n > 0 && (len(s.Pressed) == 0 || s.Pressed[0] == row[0]) {
				marks[i] = append(marks[i], text)
			}
		}
	}
	for i, v := range views {
		right := v["m0"] + v["m1"]
		if sums[i] != 20 || !strings.Contains(s.Captions[i], fmt.Sprintf("%d of 20 correct", right)) || !strings.Contains(s.Said, s.Captions[i][strings.Index(s.Captions[i], fmt.Sprint(right, " of")):]) {
			t.Errorf("%s: %d answers in the table; the caption is %q and the slider says %q, want %d correct", s.Action, sums[i], s.Captions[i], s.Said, right)
		}
		for j, text := range s.Counts[i] {
			if n, _ := strconv.Atoi(text); math.Abs(s.Shares[i][j]-float64(n)/20) > 0.01 {
				t.Errorf("%s: a bar of the picture %d is %.3f of the axis for %s of 20 answers", s.Action, i, s.Shares[i][j], text)
			}
		}
		slices.Sort(marks[i])
		slices.Sort(s.Counts[i])
		if !slices.Equal(marks[i], s.Counts[i]) || len(s.Layers[i]) != len(marks[i]) {
			t.Errorf("%s: the picture %d has the marks %v with %v, want %v", s.Action, i, s.Layers[i], s.Counts[i], marks[i])
		}
	}
}

// checkActions holds what the actions chose.
func checkActions(t *testing.T, how string, seen []playedScene) {
	t.Helper()
	of := map[string]playedScene{}
	for _, s := range seen {
		of[s.Action] = s
	}
	if s := of["open"]; s.Problem != "e1-play1" || s.Step != demoSteps || !slices.Equal(s.Chosen, []int{1}) || len(s.Captions) != 2 {
		t.Errorf("a page opens with %+v, want the first trained method before and after training", s)
	}
	if s := of["second problem"]; s.Problem != "e1-play2" {
		t.Errorf("another problem is chosen, and %s is open", s.Problem)
	}
	if s := of["another method"]; !slices.Equal(s.Chosen, []int{1, 2}) || len(s.Captions) != 3 {
		t.Errorf("the third method is added, and chosen are %v", s.Chosen)
	}
	if s := of["alone"]; len(s.Pressed) != 1 {
		t.Errorf("one answer is asked for, and %v are marked alone", s.Pressed)
	}
	if s := of["all again"]; len(s.Pressed) != 0 {
		t.Errorf("all answers are asked for, and %v is marked alone", s.Pressed)
	}
	if how == "mouse" {
		if s := of["middle step"]; s.Step == 0 || s.Step == demoSteps {
			t.Errorf("the middle of the slider is step %d", s.Step)
		}
		if s := of["alone by its mark"]; len(s.Pressed) != 1 {
			t.Errorf("a mark is clicked, and %v are marked alone", s.Pressed)
		}
		return
	}
	if of["earlier step"].Step >= demoSteps || of["first step"].Step != 0 {
		t.Errorf("the keys lead to steps %d and %d", of["earlier step"].Step, of["first step"].Step)
	}
	for _, s := range seen[1:] {
		if !s.Focus {
			t.Errorf("%s: no focus to be seen", s.Action)
		}
	}
}
