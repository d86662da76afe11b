package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/record"
	"modebench/plots"
	"modebench/plots/draw"
)

// keepAnswers writes answers to two bandits, of which m00 and m01 are correct, beside the records
// of a demo.
func keepAnswers(t testing.TB, e Experiment) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	at := func(i, step int) *rand.Rand {
		if step == 0 {
			return rand.New(rand.NewPCG(3, uint64(min(i, 1)))) // the trained methods begin alike
		}
		return rng
	}
	for i, v := range e.Run.Variants {
		last := demoSteps
		if i == 0 {
			last = 0
		}
		var lines bytes.Buffer
		for step := 0; step <= last; step += demoEvery {
			rng := at(i, step)
			for number := range 2 {
				pool := record.Pool{Step: step, Problem: number, ID: fmt.Sprintf("train/%d", number)}
				for j := range 20 {
					arm := rng.IntN(6)
					if i > 0 && step > 10 {
						arm = 1 + 3*(arm/4) // what is left after training: m01 and m04
					}
					mode := fmt.Sprintf("m%d", arm)
					pool.Answers = append(pool.Answers, record.PoolAnswer{
						Rollout: j, Text: mode, Mode: mode, Reward: []float64{0}, Correct: arm < 2, Valid: true, Tokens: []string{mode},
					})
				}
				if err := json.NewEncoder(&lines).Encode(pool); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.WriteFile(filepath.Join(e.Run.Folder(v.Cells[0]), record.PoolsFile), lines.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A tally counts answers by brute force: by variant, problem, step and text.
type tally map[string]map[int]map[int]map[string]int

// countPools reads the records once more.
func countPools(t testing.TB, e Experiment) tally {
	t.Helper()
	out := tally{}
	for _, v := range e.Run.Variants {
		out[v.Label] = map[int]map[int]map[string]int{}
		data, err := os.ReadFile(filepath.Join(e.Run.Folder(v.Cells[0]), record.PoolsFile))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var pool struct {
				Step, Problem int
				Answers       []struct{ Text string }
			}
			if err := json.Unmarshal([]byte(line), &pool); err != nil {
				t.Fatal(err)
			}
			if out[v.Label][pool.Problem] == nil {
				out[v.Label][pool.Problem] = map[int]map[string]int{}
			}
			counts := map[string]int{}
			for _, a := range pool.Answers {
				counts[a.Text]++
			}
			out[v.Label][pool.Problem][pool.Step] = counts
		}
	}
	return out
}

var playScript = regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`)

// playDataOf is what the page gives its script of each problem.
func playDataOf(t *testing.T, page string) []playData {
	t.Helper()
	var out []playData
	for _, m := range playScript.FindAllStringSubmatch(page, -1) {
		var data playData
		if err := json.Unmarshal([]byte(m[1]), &data); err != nil {
			t.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

// TestPlayCounts: every number that the page has of an answer is what the records count.
func TestPlayCounts(t *testing.T) {
	e, page := sharedPage(t, 1, true)
	want := countPools(t, e)
	problems := playDataOf(t, page)
	if len(problems) != 2 {
		t.Fatalf("%d problems, want both whose answers are kept", len(problems))
	}
	for number, data := range problems {
		if len(data.Variants) != 3 || data.Modes != 2 {
			t.Fatalf("problem %d has %d variants and %d modes, want 3 and 2", number, len(data.Variants), data.Modes)
		}
		for i, v := range data.Variants {
			if v.Label != e.Run.Variants[i].Label {
				t.Errorf("variant %d is %q", i, v.Label)
			}
			steps := slices.Sorted(maps.Keys(want[v.Label][number]))
			if len(v.Steps) > maxPlayedSteps || v.Steps[0] != steps[0] || v.Steps[len(v.Steps)-1] != steps[len(steps)-1] {
				t.Errorf("%s is shown at %v, want at most %d steps with the first and the last", v.Label, v.Steps, maxPlayedSteps)
			}
			for j, step := range v.Steps {
				checkPlayed(t, data, v, j, want[v.Label][number][step])
			}
		}
	}
	if again := written(t, e); again != page {
		t.Error("the same records give other bytes")
	}
}

// checkPlayed holds an evaluation against the counts of its answers.
func checkPlayed(t *testing.T, data playData, v playVariant, at int, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	right, modes := 0, map[string]bool{}
	for i := 0; i < len(v.Given[at]); i += 2 {
		got[data.Answers[int(v.Given[at][i])].Text] = int(v.Given[at][i+1])
	}
	total := 0
	for text, n := range want {
		total += n
		if text == "m0" || text == "m1" {
			right += n
			modes[text] = true
		}
	}
	if !maps.Equal(got, want) || int(v.Drawn[at]) != total || int(v.Right[at]) != right || v.Found[at] != len(modes) {
		t.Errorf("%s at step %d: %v of %v, %v correct, %d modes; the records have %v", v.Label, v.Steps[at], got, v.Drawn[at], v.Right[at], v.Found[at], want)
	}
}

// TestPlayWithoutScript: the table has the first and the last evaluation of each method, and
// the page says which modes nobody found.
func TestPlayWithoutScript(t *testing.T) {
	e, page := sharedPage(t, 1, true)
	root := parse(t, page)
	want := countPools(t, e)
	panels := root.classed("playing")
	if len(panels) != 2 {
		t.Fatalf("%d problems are listed, want 2", len(panels))
	}
	for number, panel := range panels {
		if panel.attrs["hidden"] != "" {
			t.Errorf("problem %d is hidden without a script", number)
		}
		if n := len(panel.classed("layer")); n != 6 {
			t.Errorf("the picture of problem %d has %d layers, want one for each arm", number, n)
		}
		table := panel.all("table")[0]
		heads := table.all("thead")[0].all("th")[3:]
		if len(heads) != 5 {
			t.Fatalf("%d evaluations in the table, want one of base and two of each other", len(heads))
		}
		for _, row := range table.all("tbody")[0].all("tr") {
			for i, td := range row.all("td")[2:] {
				variant, step := e.Run.Variants[(i+1)/2].Label, demoSteps*((i+1)%2)
				if i == 0 {
					step = 0
				}
				text := fmt.Sprint(want[variant][number][step][row.all("th")[0].words()])
				if text == "0" {
					text = "–"
				}
				if td.words() != text {
					t.Errorf("problem %d, %s of %s at step %d: %s, want %s", number, row.all("th")[0].words(), variant, step, td.words(), text)
				}
			}
		}
		if text := panel.text; !strings.Contains(text, "Each mode was found") || !strings.Contains(text, "Found at some step, but by no method after training, 1 of 2 modes: m0.") {
			t.Errorf("problem %d does not say which modes were lost: %s", number, text)
		}
	}
}

// TestPlayOfMasses: without answers, an evaluation of one problem still has what its modes weigh.
func TestPlayOfMasses(t *testing.T) {
	e := demo(t)
	for _, v := range e.Run.Variants {
		cell, err := e.Run.Cell(v.Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		cell.Eval["problems"] = 1
		text, err := json.Marshal(cell)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(e.Run.Folder(v.Cells[0]), record.CellFile), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	problems := playDataOf(t, written(t, e))
	if len(problems) != 1 || !problems[0].Mass {
		t.Fatalf("%d problems, want one with probabilities", len(problems))
	}
	for _, v := range problems[0].Variants {
		if !slices.Equal(v.Given[0], []float64{0, 0.5, 1, 0.25, 2, 0.25}) || v.Right[0] != 0.75 || v.Found[0] != 2 {
			t.Errorf("%s: %v, %v correct, %d modes, want those of the demo", v.Label, v.Given[0], v.Right[0], v.Found[0])
		}
	}
	page := pageOf(t, e).classed("play")[0].text
	for _, want := range []string{"--set eval.keep=N", "Found by no method, 2 of 2 modes: m0; m1."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %s", want, page)
		}
	}
}

// TestNothingToPlay: where the records hold neither, a line says how to get answers, and leads
// to the problem that is drawn.
func TestNothingToPlay(t *testing.T) {
	_, page := sharedPage(t, 1, false)
	section := parse(t, page).classed("play")[0]
	if !strings.Contains(section.text, "--set eval.keep=N") || len(section.classed("playing")) > 0 {
		t.Errorf("the section has %s", section.words())
	}
	if a := section.all("a"); len(a) != 1 || a[0].attrs["href"] != "#e1-problem1" {
		t.Errorf("no link to the first problem: %+v", a)
	}
}

// TestShownSeed: of a run that has not ended the answers of all variants are those of one seed.
func TestShownSeed(t *testing.T) {
	variant := func(seeds ...int) (v record.Variant) {
		for _, seed := range seeds {
			v.Cells = append(v.Cells, record.Ref{Seed: seed, ID: fmt.Sprint("s", seed)})
		}
		return v
	}
	run := &record.Run{Manifest: record.Manifest{Variants: []record.Variant{variant(0, 1), variant(1, 2), variant(2)}}}
	if got, want := shownCells(run), map[int]record.Ref{0: {Seed: 1, ID: "s1"}, 1: {Seed: 1, ID: "s1"}}; !maps.Equal(got, want) {
		t.Errorf("the cells %v, want %v: 1 is the least seed that two variants have", got, want)
	}
	if got := ofSeeds(run); got != "seed 1, one of 3" {
		t.Errorf("%q", got)
	}
}

// TestPlayedAnswers: of many answers one of every mode is among those that stand one by one, and
// the rest is counted mode by mode, so that every mode has all of its answers.
func TestPlayedAnswers(t *testing.T) {
	task := playedTask{}
	e := playedEval{given: map[playedAnswer]float64{}}
	for i := range 300 {
		e.given[playedAnswer{Text: fmt.Sprint("t", i), Mode: fmt.Sprint("m", i%3), Correct: i%2 == 0}] = float64(1 + i)
		e.drawn += float64(1 + i)
	}
	e.given[playedAnswer{Text: "once", Mode: "rare", Correct: true}] = 1
	e.drawn++
	task.add(record.Variant{Label: "v"}, e)
	all := task.ordered()
	entries, at := chosen(all)
	if n := len(entries) - 6; n != maxPlayedAnswer || len(all) != 301 { // six modes have others, and one has none
		t.Errorf("%d of %d answers stand one by one, want %d of 301", n, len(all), maxPlayedAnswer)
	}
	sum, ofModes := 0.0, map[draw.ModeKey]float64{}
	v := task.variant(task.variants[0], all, at, len(entries))
	for i := 0; i < len(v.Given[0]); i += 2 {
		sum += v.Given[0][i+1]
		ofModes[entries[int(v.Given[0][i])].key()] += v.Given[0][i+1]
	}
	for a, n := range e.given {
		ofModes[a.key()] -= n
	}
	for m, n := range ofModes {
		if n != 0 {
			t.Errorf("entries of mode %v count %v more than there are", m, n)
		}
	}
	if sum != e.drawn || v.Drawn[0] != e.drawn {
		t.Errorf("%v answers are shown of %v", sum, e.drawn)
	}
	if got := plots.Spread(61, 21); got[0] != 0 || got[20] != 60 || len(got) != 21 {
		t.Errorf("the evaluations shown are %v", got)
	}
	if got := cut(strings.Repeat("é", maxPlayedText+1)); len([]rune(got)) != maxPlayedText+1 {
		t.Errorf("a long text is cut to %q", got)
	}
	if got := shortened("UP LEFT LEFT LEFT DOWN"); got != "UP 3×LEFT DOWN" {
		t.Errorf("got %q", got)
	}
}
