package board

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoTasks are results in which gpg has GRPO's records, pass_x others on one task alone, and vpo
// does not fit the second task.
func twoTasks() []*Result {
	return []*Result{
		result("bandit", nil,
			standing("a", "x", .5, .5, .5, .5, .5), standing("gpg", "g", .2, .3, .2, .3, .25), standing("grpo", "g", .2, .3, .2, .3, .25),
			standing("pass_x", "g", .2, .3, .2, .3, .25), standing("vpo", "v", .1, .1, .1, .1, .1)),
		result("maze", []Unfit{{"vpo", "Why."}},
			standing("a", "x", .04, .04, .04, .04, .04), standing("gpg", "h", .02, .02, .02, .02, .02), standing("grpo", "h", .02, .02, .02, .02, .02),
			standing("pass_x", "i", .02, .02, .02, .02, .02)),
	}
}

func newTable(t *testing.T, results []*Result) *Table {
	t.Helper()
	table, err := NewTable(results)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTableOfResults(t *testing.T) {
	table := newTable(t, twoTasks())
	lines := map[string]Line{}
	var order []string
	for _, l := range table.Rows {
		order, lines[l.Method] = append(order, l.Method), l
	}
	if diff := cmp.Diff([]string{"a", "grpo", "pass_x", "vpo"}, order); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gpg"}, lines["grpo"].Same); diff != "" || lines["pass_x"].Same != nil {
		t.Errorf("same records (-want +got):\n%s of pass_x %v", diff, lines["pass_x"].Same)
	}
	if diff := cmp.Diff(map[string][]string{"vpo": {"maze"}}, table.Unfit); diff != "" {
		t.Errorf("unfit (-want +got):\n%s", diff)
	}
	// GRPO has .25 and .02 in the mean: a is twice as good on both tasks. Five runs are too few to
	// tell it from vpo, which shares no others with it.
	a := lines["a"]
	if math.Abs(a.Rank.IQM.Mean-2) > 1e-12 || a.Rank.IQM.Low != a.Rank.IQM.High || a.Rank.Low != 1 || a.Rank.High != 2 || a.Beats.Mean != 1 {
		t.Errorf("a: %+v", a)
	}
	if math.Abs(lines["vpo"].Rank.IQM.Mean-.4) > 1e-12 || len(lines["vpo"].Areas) != 1 {
		t.Errorf("vpo: %+v", lines["vpo"])
	}
	if math.Abs(a.Tuned.Mean("area")-.27) > 1e-12 || a.Tuned.Mean("accuracy") != 2 || a.LevelDiversity != [3]float64{2, 2, .5} || a.Reached != [3]float64{1, 1, .2} {
		t.Errorf("means of a: %+v", a)
	}
	if !math.IsNaN(lines["grpo"].Beats.Mean) {
		t.Errorf("grpo above itself: %v", lines["grpo"].Beats)
	}
	other := twoTasks()
	slices.Reverse(other[0].Standings)
	slices.Reverse(other[1].Standings)
	for _, format := range Formats() {
		one, err := table.Write(format)
		if err != nil {
			t.Fatal(err)
		}
		if two, err := newTable(t, other).Write(format); err != nil || string(one) != string(two) {
			t.Errorf("%s: the order of methods changes the table: %v\n%s\n%s", format, err, one, two)
		}
	}
}

func TestTablesThatCannotBeMade(t *testing.T) {
	for want, change := range map[string]func([]*Result) []*Result{
		"there are no results":                  func([]*Result) []*Result { return nil },
		"task bandit is there twice":            func(r []*Result) []*Result { return []*Result{r[0], r[0]} },
		"tasks bandit and maze are of policies": func(r []*Result) []*Result { r[1].Seeds = []int{6, 5}; return r },
		"task maze has no result of grpo":       func(r []*Result) []*Result { r[1].Standings = r[1].Standings[:1]; return r },
		"task maze: the area of grpo is 0 in the mean": func(r []*Result) []*Result {
			r[1].Standings = []Standing{standing("grpo", "h", 0, 0, 0, 0, 0)}
			return r
		},
	} {
		if _, err := NewTable(change(twoTasks())); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestFormats(t *testing.T) {
	table := newTable(t, twoTasks())
	write := func(format string) string {
		t.Helper()
		text, err := table.Write(format)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if _, err := table.Write("html"); err == nil {
		t.Error("html is no format")
	}
	text := write("text")
	for _, want := range []string{"4 methods on 2 tasks, 5 seeds each\n", "vpo (1 of 2 tasks)", "1.000 [1.000, 1.000] +", "\ngpg: the same records as grpo on every task\n", "0.500 (0.200)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	// Markdown: all rows of a table have as many columns as its head.
	columns, tables := 0, 0
	for line := range strings.Lines(write("markdown")) {
		bars := strings.Count(line, "|")
		switch {
		case bars == 0:
			columns = 0
		case columns == 0:
			columns, tables = bars, tables+1
		case bars != columns:
			t.Errorf("%d columns and not %d: %s", bars-1, columns-1, line)
		}
	}
	if md := write("markdown"); tables != 4 || !strings.Contains(md, "| `vpo` (1 of 2 tasks) |") || !strings.Contains(md, "| `vpo` | 0.100 | - |") ||
		!strings.Contains(md, "| `vpo` | lr=0.1 | - |") {
		t.Errorf("%d tables:\n%s", tables, md)
	}
	tex := write("latex")
	for _, want := range []string{`& pass\_x &`, `\textgreater{} grpo`, `at 90\%`, "gpg: the same records as grpo"} {
		if !strings.Contains(tex, want) {
			t.Errorf("LaTeX lacks %q:\n%s", want, tex)
		}
	}
	for line := range strings.Lines(tex) {
		if n := strings.Count(line, " & "); strings.HasSuffix(line, "\\\\\n") && n+1 != len(table.columns(InTable)) {
			t.Errorf("%d columns, want %d: %s", n+1, len(table.columns(InTable)), line)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(write("csv"))).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("CSV: %d rows, %v", len(rows), err)
	}
	cell := func(method, column string) string {
		for _, row := range rows[1:] {
			if i := slices.Index(rows[0], column); row[0] == method && i >= 0 {
				return row[i]
			}
		}
		return "none"
	}
	for _, c := range [][3]string{{"a", "score", "2"}, {"a", "at90", "0.5"}, {"a", "reached90", "0.2"}, {"grpo", "same", "gpg"}, {"grpo", "above_grpo", ""}, {"a", "surely_above_grpo", "1"}, {"vpo", "surely_above_grpo", "0"}, {"vpo", "area maze", ""}, {"vpo", "tasks", "1"}} {
		if got := cell(c[0], c[1]); got != c[2] {
			t.Errorf("CSV: %s of %s is %q, want %q", c[1], c[0], got, c[2])
		}
	}
	rows, err = csv.NewReader(strings.NewReader(write("csv-tasks"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{} // columns of the row of a on the maze
	for _, row := range rows[1:] {
		if row[0] == "maze" && row[1] == "a" {
			for i, name := range rows[0] {
				of[name] = row[i]
			}
		}
	}
	if len(rows) != 1+5+4 || of["as"] != "tuned accurate paper" || of["setting"] != "lr=0.1" || of["accuracy"] != "2" || of["entropy"] != "1" || of["best@64"] != "" {
		t.Errorf("CSV of tasks: %d rows, a on the maze has %v", len(rows), of)
	}
	var doc struct {
		Board, Seeds int
		Tasks        []string
		Methods      []map[string]any
		Unfit        map[string][]string
	}
	if err := json.Unmarshal([]byte(write("json")), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Board != 1 || doc.Seeds != 5 || len(doc.Methods) != 4 || len(doc.Tasks) != 2 || doc.Unfit["vpo"][0] != "maze" {
		t.Errorf("JSON: %+v", doc)
	}
	if above := doc.Methods[1]["above_grpo"]; cmp.Diff([]any{nil, nil, nil}, above) != "" {
		t.Errorf("JSON: GRPO is above itself with %v, want null", above)
	}
	if tasks := doc.Methods[3]["tasks"].(map[string]any); len(tasks) != 1 || tasks["bandit"] == nil {
		t.Errorf("JSON: tasks of vpo %v", tasks)
	}
}
