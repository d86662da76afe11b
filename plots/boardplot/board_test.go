package boardplot

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/internal/lined"
	"modebench/metrics/stats"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
)

var updateDrawings = flag.Bool("update-drawings", false, "write testdata/*.svg anew")

// boardTasks are tasks of the board with entropy or without, and with a method that does not fit.
var boardTasks = []string{"bandit", "maze", "countdown", "countdown-stale", "polynomial", "multiplication", "bandit-held-out", "multiplication-held-out"}

// boardResults are scripted results: method i is a little slower and keeps a little more than the
// one before it, but in crowds, as variants of one method are. The last method does not fit the
// last task.
func boardResults(methods []string, tasks []string) []*board.Result {
	var out []*board.Result
	for at, task := range tasks {
		r := &board.Result{Version: board.Version, Task: task, Policy: "tabular", Budget: 1000, K: []int{1, 2, 4, 8, 16, 32, 64}, Tuning: []int{30000, 3}, Seeds: []int{31000, 12}}
		for i, method := range methods {
			if i > 0 && i == len(methods)-1 && at > 0 && at == len(tasks)-1 {
				r.Unfit = append(r.Unfit, board.Unfit{Method: method, Why: "scripted"})
				continue
			}
			r.Standings = append(r.Standings, board.Standing{Method: method, Rows: []board.Evaluated{scriptedRow(r, at, i, len(methods), method == board.Reference)}})
		}
		out = append(out, r)
	}
	return out
}

// scriptedRow is the row of the i-th of n methods on a task. The reference has no gain.
func scriptedRow(r *board.Result, task, i, n int, reference bool) board.Evaluated {
	rng := rand.New(rand.NewPCG(uint64(task), uint64(i)))
	crowd := math.Floor(float64(5*i)/float64(n)) / 5
	speed, keeps := 4-2.5*crowd+0.4*rng.NormFloat64(), 0.25+0.5*crowd+0.06*rng.NormFloat64()
	top := 1 - 0.08*float64(task)
	trace := func(seed float64) board.Trace {
		var out board.Trace
		for step := range 11 {
			x := float64(step) / 10
			accuracy := top * (1 - math.Exp(-speed*x)) * (1 + 0.02*seed)
			diversity := 0.8 - (0.8-min(max(keeps, 0.05), 0.78))*accuracy*accuracy + 0.02*seed
			p := board.Point{Drawn: x * float64(r.Budget), Accuracy: accuracy, Diversity: diversity, Entropy: 3 * diversity * (1 - 0.7*accuracy)}
			if r.Task == "maze" {
				p.Entropy = math.NaN()
			}
			out = append(out, p)
		}
		return out
	}
	row := board.Evaluated{Setting: "lr=0.1", As: board.Roles, Same: fmt.Sprint(i), Seeds: map[string][]lined.Number{}, Means: map[string]lined.Number{"tokens90": lined.Round(1 / speed)}}
	for range r.Seeds[1] {
		t := trace(rng.NormFloat64())
		last := t[len(t)-1]
		gain := keeps - 0.5 + 0.03*rng.NormFloat64()
		if reference {
			gain = 0
		}
		for column, x := range map[string]float64{"area": t.Area(), "accuracy": last.Accuracy, "diversity": last.Diversity, "gain": gain, "end_gain": 2 * gain, "solved@16_gain": gain / 3} {
			row.Seeds[column] = append(row.Seeds[column], lined.Round(x))
		}
	}
	middle := trace(0)
	for _, p := range middle {
		row.Trace = append(row.Trace, [4]lined.Number{lined.Round(p.Drawn / float64(r.Budget)), lined.Round(p.Accuracy), lined.Round(p.Diversity), lined.Round(p.Entropy)})
	}
	last := middle[len(middle)-1]
	for _, k := range r.K {
		row.Solved = append(row.Solved, lined.Round(1-math.Pow(1-min(last.Accuracy, 1), math.Sqrt(float64(k)))))
		row.Found = append(row.Found, lined.Round(last.Diversity*(1-math.Exp(-float64(k)/12))))
	}
	return row
}

// scriptedBoard is a board of n methods, one of them a control.
func scriptedBoard(t testing.TB, n, tasks int, show ...string) *Board {
	t.Helper()
	methods := []string{"poly-epo", "rloo", "vpo", "grpo+kl"}
	for i := len(methods); i < n-1; i++ {
		methods = append(methods, []string{"setpo+%d", "reinforce++@%d", "clip-%d", "entropy-bonus-%d", "grpo+cliphigh+novelty-%d"}[i%5])
		methods[i] = fmt.Sprintf(methods[i], i)
	}
	methods = slices.Insert(methods[:n-1], 2, board.Reference)
	results := boardResults(methods, boardTasks[:tasks])
	table, err := board.NewTable(results)
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(results, table, show)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBoardDrawings holds the figures of a small board against drawings that people have looked
// at, byte for byte.
func TestBoardDrawings(t *testing.T) {
	for _, f := range boardFigures(t, scriptedBoard(t, 7, 3, board.Reference, "vpo", "rloo")) {
		if f.Title == "" || !strings.Contains(f.Seen, "vpo has score ") {
			t.Errorf("%s: %q, %q", f.Name, f.Title, f.Seen)
		}
		var got bytes.Buffer
		if err := f.WriteSVG(&got); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", f.Name+".svg")
		if *updateDrawings {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("the drawing is not that of %s (error %v); -update-drawings writes it", golden, err)
		}
	}
}

// boardFigures are all figures of a board.
func boardFigures(t testing.TB, b *Board) []Figure {
	t.Helper()
	figures, err := b.Figures()
	if err != nil {
		t.Fatal(err)
	}
	return figures
}

// figureNamed is one of the figures of a board, read back.
func figureNamed(t *testing.T, b *Board, name string) drawtest.Drawing {
	t.Helper()
	for _, f := range boardFigures(t, b) {
		if f.Name == name {
			return drawtest.Read(t, f.Figure)
		}
	}
	t.Fatalf("no figure %s", name)
	return drawtest.Drawing{}
}

// TestBoardCrowd: of a hundred methods on all tasks no text lies on another text or leaves the page,
// and every method has its name or its number beside its mark.
func TestBoardCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("ranks a hundred methods")
	}
	const n = 95
	b := scriptedBoard(t, n, len(boardTasks))
	for _, f := range boardFigures(t, b) {
		d := drawtest.Read(t, f.Figure)
		drawtest.CheckTexts(t, d)
		if f.Name != "frontier" {
			continue
		}
		_, bottom := d.Find(t, "accuracy after training: share of the way from the base policy to the optimum").Middle()
		for i, l := range b.table.Rows {
			found := 0
			for _, text := range append(d.All(l.Method), d.All(strconv.Itoa(i+1))...) {
				if _, y := text.Middle(); y > bottom+12 { // above the axis, and not in the key
					found++
				}
			}
			if found != 1 {
				t.Errorf("%s, line %d of the table: %d names and numbers, want one", l.Method, i+1, found)
			}
		}
	}
}

// TestBoardOrder: the order of results' methods and of those highlighted changes nothing.
func TestBoardOrder(t *testing.T) {
	b := scriptedBoard(t, 7, 3, "vpo", "grpo")
	for _, r := range b.results {
		slices.Reverse(r.Standings)
	}
	table, err := board.NewTable(b.results)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := New(b.results, table, []string{"grpo", "vpo"})
	if err != nil {
		t.Fatal(err)
	}
	other := boardFigures(t, turned)
	for i, f := range boardFigures(t, scriptedBoard(t, 7, 3, "vpo", "grpo")) {
		if !bytes.Equal(drawtest.Read(t, f.Figure).Bytes, drawtest.Read(t, other[i].Figure).Bytes) {
			t.Errorf("%s: another drawing in another order", f.Name)
		}
	}
}

// TestBoardShown: the reference and the first be highlighted unless others are named. Another name of a
// line stands for it, and a name that no line has is an error.
func TestBoardShown(t *testing.T) {
	b := scriptedBoard(t, 12, 2)
	if len(b.shown) != MostShown || !slices.ContainsFunc(b.shown, func(v numbers.Variant) bool { return v.Method == board.Reference }) {
		t.Errorf("%d methods stand out, want %d with %s", len(b.shown), MostShown, board.Reference)
	}
	var all []string
	for _, l := range b.table.Rows {
		all = append(all, l.Method)
	}
	b.table.Rows[3].Same = []string{"twin"}
	twin, err := New(b.results, b.table, []string{"twin", all[3], all[0]})
	if err != nil || len(twin.shown) != 2 || twin.shown[1].Method != all[3] {
		t.Errorf("a method and its twin: %+v, error %v", twin, err)
	}
	drawtest.WantTexts(t, figureNamed(t, twin, "ranks"), "Methods with the same records on every task are one: "+all[3]+" is also twin.")
	for want, show := range map[string][]string{
		`the board has no method "grppo" to show; did you mean grpo?`: {"grppo"},
		"9 methods to show, want at most 8":                           all[:9],
	} {
		if _, err := New(b.results, b.table, show); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", show, err, want)
		}
	}
}

// TestBoardNumbers: the heat map has the means over seeds in hundredths, and marks of the frontier
// are at the means over tasks of them. All methods have all seeds, so pairing moves no mean.
func TestBoardNumbers(t *testing.T) {
	b := scriptedBoard(t, 7, 2, "grpo", "vpo")
	d := figureNamed(t, b, "tasks")
	drawtest.CheckTexts(t, d)
	column := func(r *board.Result, method, name string) (sum float64) {
		for _, x := range r.Tuned(method).Seeds[name] {
			sum += float64(x)
		}
		return sum / float64(r.Seeds[1])
	}
	for _, l := range b.table.Rows {
		_, y := d.Find(t, l.Method).Middle()
		var line []drawtest.Text
		for _, text := range d.Texts {
			if _, at := text.Middle(); math.Abs(at-y) < 3 && text.Left > d.Find(t, l.Method).Left {
				line = append(line, text)
			}
		}
		slices.SortFunc(line, func(a, b drawtest.Text) int { return cmp.Compare(a.Left, b.Left) })
		got, want := "", ""
		for _, text := range line {
			got += text.Text + " "
		}
		for _, name := range []string{"area", "accuracy", "gain"} {
			for _, r := range b.results {
				if r.Tuned(l.Method) == nil { // it does not fit
					continue
				}
				want += fmt.Sprintf("%.0f ", 100*column(r, l.Method, name))
			}
		}
		if got != want {
			t.Errorf("%s: the line reads %q, want %q", l.Method, got, want)
		}
	}
	points, missing := b.standpoints()
	if len(points) != len(b.table.Rows) || missing != nil {
		t.Errorf("%d of %d methods stand in the frontier, and %q do not", len(points), len(b.table.Rows), missing)
	}
	for _, s := range points {
		n, line := 0.0, b.table.Rows[s.number-1]
		sums := map[string]float64{}
		for _, r := range b.results {
			if r.Tuned(s.Name) != nil {
				n++
				for _, name := range []string{"accuracy", "gain"} {
					sums[name] += column(r, s.Name, name)
				}
			}
		}
		if line.Method != s.Name || s.everywhere != (int(n) == len(b.results)) || s.control != (s.Name == "grpo+kl") {
			t.Errorf("%s: line %d is of %s; everywhere %v, control %v", s.Name, s.number, line.Method, s.everywhere, s.control)
		}
		if s.everywhere && (math.Abs(s.X.Mean-sums["accuracy"]/n) > 1e-12 || math.Abs(s.Y.Mean-sums["gain"]/n) > 1e-12) {
			t.Errorf("%s stands at %v, %v, want %v, %v", s.Name, s.X.Mean, s.Y.Mean, sums["accuracy"]/n, sums["gain"]/n)
		}
		if s.Name == board.Reference && (s.Y.Mean != 0 || draw.Bounded(s.X.Low, s.X.High)) {
			t.Errorf("%s stands at gain %v with the interval %v to %v of its accuracy, want 0 and none", s.Name, s.Y.Mean, s.X.Low, s.X.High)
		}
	}
}

// TestBoardFront: by hand. c is beaten by b in both, d in one at equal other; a and b are not.
func TestBoardFront(t *testing.T) {
	results := boardResults([]string{"grpo", "a", "b", "c", "d"}, boardTasks[:1])
	for name, at := range map[string][2]float64{"a": {.9, .2}, "b": {.5, .8}, "c": {.4, .7}, "d": {.5, .5}, "grpo": {.1, 0}} {
		row := results[0].Tuned(name)
		for i := range row.Seeds["accuracy"] {
			row.Seeds["accuracy"][i], row.Seeds["gain"][i] = lined.Number(at[0]), lined.Number(at[1])
		}
	}
	table, err := board.NewTable(results)
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(results, table, []string{"grpo"})
	if err != nil {
		t.Fatal(err)
	}
	points, _ := b.standpoints()
	for _, s := range points {
		if s.front != (s.Name == "a" || s.Name == "b") {
			t.Errorf("%s at %v, %v: on the front %v", s.Name, s.X.Mean, s.Y.Mean, s.front)
		}
	}
}

// TestBoardFar: of a crowd, a method that is far from the others stands at the edge as a cross, and
// the figure says so.
func TestBoardFar(t *testing.T) {
	b := scriptedBoard(t, 24, 1, "grpo")
	far := "the method lies beyond it"
	if strings.Contains(figureNamed(t, b, "frontier").Joined(), far) {
		t.Error("no method is far from the others")
	}
	for i, l := range b.table.Rows {
		if l.Method == "rloo" {
			accuracy := l.Paired["accuracy"]
			accuracy.Mean -= 9
			b.table.Rows[i].Paired["accuracy"] = accuracy
			b.table.Rows[i].Score.Mean -= 9
		}
	}
	for _, name := range []string{"frontier", "ranks"} {
		d := figureNamed(t, b, name)
		drawtest.CheckTexts(t, d)
		drawtest.WantTexts(t, d, far)
	}
}

// TestBoardWithoutGain: a method that shares too little accuracy with the reference is named below the
// frontier.
func TestBoardWithoutGain(t *testing.T) {
	b := scriptedBoard(t, 5, 1, "grpo")
	for _, l := range b.table.Rows {
		if l.Method == "rloo" {
			l.Paired["gain"] = stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
		}
	}
	drawtest.WantTexts(t, figureNamed(t, b, "frontier"), "Without a gain, since too little accuracy is shared with grpo: rloo.")
}

// TestBoardAnswers: the figure of ranks has the answer of every method but the reference, and the number of
// seeds behind it.
func TestBoardAnswers(t *testing.T) {
	b := scriptedBoard(t, 5, 1, "grpo")
	answers := map[string]stats.Decision{
		"poly-epo": {Comparison: stats.Comparison{Standing: stats.Better}, Seeds: 12}, "rloo": {Comparison: stats.Comparison{Standing: stats.Worse}, Seeds: 24},
		"vpo": {Comparison: stats.Comparison{Standing: stats.Equal}, Seeds: 12}, "grpo+kl": {Comparison: stats.Comparison{Standing: stats.Unsettled}, Seeds: 40},
	}
	seeds := map[string]int{"poly-epo": 12, "rloo": 24, "vpo": 12, "grpo+kl": 24} // the last one lacks the next look
	for i, l := range b.table.Rows {
		b.table.Rows[i].Decision, b.table.Rows[i].Seeds = answers[l.Method], seeds[l.Method]
	}
	d := figureNamed(t, b, "ranks")
	for method, want := range answers {
		_, y := d.Find(t, method).Middle()
		got := ""
		for _, text := range d.Texts {
			if _, at := text.Middle(); math.Abs(at-y) < 3 {
				got += " " + text.Text
			}
		}
		if !strings.Contains(got, fmt.Sprintf(" %s %d ", want.Standing, seeds[method])) {
			t.Errorf("%s: the line reads%s, want %s %d", method, got, want.Standing, seeds[method])
		}
	}
}

// TestBoardWithoutEntropy: a board whose tasks have no entropy has no figure of it.
func TestBoardWithoutEntropy(t *testing.T) {
	for task, want := range map[string]bool{"maze": false, "countdown": true} {
		results := boardResults([]string{"grpo", "vpo"}, []string{task})
		table, err := board.NewTable(results)
		if err != nil {
			t.Fatal(err)
		}
		b, err := New(results, table, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(boardFigures(t, b), func(f Figure) bool { return f.Name == "entropy" })
		if got != want {
			t.Errorf("%s: a figure of entropy %v, want %v", task, got, want)
		}
	}
}
