package board

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"modebench/metrics/stats"
)

// areas are a method's areas on n seeds: a mean, an effect of the seed that all methods share, and noise of the
// method.
func areas(n int, mean, common, own float64) (out []float64) {
	for i := range n {
		out = append(out, mean+common*math.Sin(float64(3*i))+own*math.Cos(float64(5*i+1)))
	}
	return out
}

// times are areas by a factor.
func times(factor float64, xs []float64) (out []float64) {
	for _, x := range xs {
		out = append(out, factor*x)
	}
	return out
}

// twoTasks are results of the first look. gpg has GRPO's records, copy its areas and other records, and pass_x
// its records on one task alone. better and worse are far from GRPO, near is not, and noisy may be anywhere.
// vpo does not fit the second task, and has no setting for all.
func twoTasks() []*Result {
	var out []*Result
	for _, task := range []struct {
		name  string
		scale float64
		same  string
	}{{"bandit", 1, "g"}, {"maze", .08, "i"}} {
		grpo, at := times(task.scale, areas(12, .25, .05, 0)), func(mean, own float64) []float64 { return times(task.scale, areas(12, mean, .05, own)) }
		all := []Standing{
			standing("better", "b", at(.5, .02)...), standing("copy", "c", grpo...), standing("gpg", "g", grpo...), standing("grpo", "g", grpo...),
			standing("near", "n", at(.251, .004)...), standing("noisy", "y", at(.26, .2)...), standing("pass_x", task.same, grpo...),
			standing("worse", "w", at(.1, .02)...),
		}
		if task.scale < 1 {
			out = append(out, result(task.name, []Unfit{{"vpo", "Why."}}, all...))
			continue
		}
		vpo := standing("vpo", "v", at(.1, .02)...)
		vpo.Rows[0].As = []string{Tuned}
		out = append(out, result(task.name, nil, slices.Insert(all, 7, vpo)...))
	}
	return out
}

func newTable(t *testing.T, results []*Result) *Table {
	t.Helper()
	table, err := NewTable(results)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// linesOf are the rows of a table by method.
func linesOf(table *Table) (order []string, lines map[string]Line) {
	lines = map[string]Line{}
	for _, l := range table.Rows {
		order, lines[l.Method] = append(order, l.Method), l
	}
	return order, lines
}

func TestTableOfResults(t *testing.T) {
	results := twoTasks()
	table := newTable(t, results)
	order, lines := linesOf(table)
	// pass_x, whose records are those of GRPO on one task, is a method of its own.
	if diff := cmp.Diff([]string{"better", "noisy", "near", "copy", "grpo", "pass_x", "worse", "vpo"}, order); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gpg"}, lines["grpo"].Same); diff != "" || lines["pass_x"].Same != nil || lines["copy"].Same != nil {
		t.Errorf("same records (-want +got):\n%s of pass_x %v, of copy %v", diff, lines["pass_x"].Same, lines["copy"].Same)
	}
	if diff := cmp.Diff(map[string][]string{"vpo": {"maze"}}, table.Unfit); diff != "" {
		t.Errorf("unfit (-want +got):\n%s", diff)
	}
	for method, want := range map[string]stats.Standing{
		"better": stats.Better, "copy": stats.Equal, "grpo": stats.Equal, "near": stats.Equal, "noisy": stats.Unsettled,
		"pass_x": stats.Equal, "vpo": stats.Worse, "worse": stats.Worse,
	} {
		l := lines[method]
		seeds := 12
		if want == stats.Unsettled {
			seeds = 24 // that it needs
		}
		if l.Decision.Standing != want || l.Decision.Seeds != seeds || l.Seeds != 12 {
			t.Errorf("%s is %s (%d), want %s (%d): %+v", method, l.Decision.Standing, l.Decision.Seeds, want, seeds, l.Score)
		}
		// The score by hand: 1 and the mean over tasks of paired differences, in units of GRPO's mean.
		var means []float64
		for _, r := range results {
			if row := r.Tuned(method); row != nil {
				mine, grpo := row.BySeed("area"), r.Tuned("grpo").BySeed("area")
				sum := 0.0
				for i := range mine {
					sum += (mine[i] - grpo[i]) / float64(len(mine))
				}
				means = append(means, sum/Mean(grpo))
			}
		}
		if got, score := l.Score.Mean, 1+Mean(means); math.Abs(got-score) > 1e-12 || math.Abs(l.Score.High+l.Score.Low-2*got) > 1e-12 {
			t.Errorf("%s has the score %+v, want %v in the middle", method, l.Score, score)
		}
		low, high := l.Score.Low-1, l.Score.High-1
		is := map[stats.Standing]bool{stats.Equal: low >= -Margin && high <= Margin, stats.Better: low > 0, stats.Worse: high < 0}
		if is[stats.Equal] != (want == stats.Equal) || !is[stats.Equal] && (is[stats.Better] != (want == stats.Better) || is[stats.Worse] != (want == stats.Worse)) {
			t.Errorf("%s is %s at %+v", method, want, l.Score)
		}
		// All have the same accuracies, and the gain is .25 below the area.
		if i := l.Paired["accuracy"]; math.Abs(i.Mean-5.5) > 1e-12 || i.Low != i.High {
			t.Errorf("%s: paired accuracy %+v", method, i)
		}
		var gain []float64
		for _, r := range results {
			if row := r.Tuned(method); row != nil {
				gain = append(gain, Mean(row.BySeed("gain")))
			}
		}
		if i := l.Paired["gain"]; math.Abs(i.Mean-Mean(gain)) > 1e-12 {
			t.Errorf("%s: paired gain %+v, want %v", method, i, Mean(gain))
		}
		for _, above := range l.Above {
			if !slices.Contains(lines[above].Below, method) {
				t.Errorf("%s is surely below %s, and not the other way round", method, above)
			}
		}
		if want := (stats.Rank{Low: 1 + len(l.Above), High: len(order) - len(l.Below)}); l.Rank.Low != want.Low || l.Rank.High != want.High {
			t.Errorf("%s: ranks %+v, want %+v", method, l.Rank, want)
		}
	}
	// Copies of the reference are the reference, whatever their names and hashes.
	for _, copied := range []string{"copy", "pass_x"} {
		if a, b := lines[copied], lines["grpo"]; a.Score != b.Score || a.Score.Mean != 1 || a.Score.Low != 1 || a.Score.High != 1 || a.Rank != b.Rank || a.Carried != b.Carried || a.Means.Mean("area") != b.Means.Mean("area") {
			t.Errorf("%s is %+v, and grpo %+v", copied, a, b)
		}
	}
	if diff := cmp.Diff([]string{"better"}, lines["grpo"].Above); diff != "" || !slices.Contains(lines["grpo"].Below, "worse") {
		t.Errorf("above grpo (-want +got):\n%s below it %v", diff, lines["grpo"].Below)
	}
	if got := lines["grpo"].Paired["gain"]; got.Mean != 0 || got.Low != 0 || got.High != 0 {
		t.Errorf("grpo is %+v above itself", got)
	}
	better, vpo := lines["better"], lines["vpo"]
	if math.Abs(better.Carried.Mean-better.Score.Mean) > 1e-12 || better.Carries != stats.Better || !math.IsNaN(vpo.Carried.Mean) || vpo.Carries != "" {
		t.Errorf("with one setting: better %+v %s, vpo %+v %s", better.Carried, better.Carries, vpo.Carried, vpo.Carries)
	}
	// The source's setting has half of the score, of which grpo's own is 1.
	if got := lines["grpo"].Paper; math.Abs(got-.5) > 1e-3 || len(vpo.Areas) != 1 || len(vpo.Settings) != 1 || better.Settings["maze"] != "lr=0.1" {
		t.Errorf("source %v, vpo %+v, better %+v", got, vpo, better)
	}
	other := twoTasks()
	for _, r := range other {
		slices.Reverse(r.Standings)
	}
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

// TestTasksWeighAlike: areas of a task in another unit change no answer and no score.
func TestTasksWeighAlike(t *testing.T) {
	results := twoTasks()
	_, before := linesOf(newTable(t, results))
	for i := range results[1].Standings {
		seeds := results[1].Standings[i].Rows[0].Seeds
		for j := range seeds["area"] {
			seeds["area"][j] *= 8
		}
	}
	_, after := linesOf(newTable(t, results))
	for method, l := range before {
		a, b := l.Score, after[method].Score
		if math.Abs(a.Mean-b.Mean)+math.Abs(a.Low-b.Low)+math.Abs(a.High-b.High) > 1e-9 || l.Decision.Standing != after[method].Decision.Standing {
			t.Errorf("%s: %+v, and %+v in another unit", method, a, b)
		}
	}
}

// more gives a method of results the seeds up to n.
func more(results []*Result, method string, n int, seeds func(task string) []float64) {
	for _, r := range results {
		s := r.Standing(method)
		same := s.Rows[0].Same
		*s = standing(method, same, slices.Concat(s.Rows[0].BySeed("area"), seeds(r.Task)[s.Rows[0].N():n])...)
	}
}

// TestLooks: a method that is not told apart from the reference needs the next look's seeds, alone, and the
// seeds that others have beyond theirs change no answer that was given.
func TestLooks(t *testing.T) {
	undecided := func(results []*Result, look int) string {
		t.Helper()
		names, err := Undecided(results, look)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, " ")
	}
	results := twoTasks()
	results[0].Standings = append(results[0].Standings, standing("zz", "y", areas(12, .26, .05, .2)...)) // has noisy's records
	results[1].Standings = append(results[1].Standings, standing("zz", "y", times(.08, areas(12, .26, .05, .2))...))
	if one, two := undecided(results, 1), undecided(results, 2); one != "noisy zz" || two != "" {
		t.Errorf("undecided at the first look %q, and at the second %q", one, two)
	}
	_, before := linesOf(newTable(t, results))
	// The reference goes on first, and its later areas are others.
	more(results, "grpo", 40, func(task string) []float64 { return areas(40, .9, .05, .1) })
	check := func(reason string) (lines map[string]Line) {
		t.Helper()
		_, lines = linesOf(newTable(t, results))
		for method, l := range before {
			if now := lines[method]; l.Decision.Standing != stats.Unsettled && (now.Decision != l.Decision || now.Score != l.Score) {
				t.Errorf("%s: %s is %+v, and was %+v", reason, method, now.Decision, l.Decision)
			}
			if now := lines[method]; now.Carried != l.Carried && !math.IsNaN(l.Carried.Mean) {
				t.Errorf("%s: with one setting %s is %+v, and was %+v", reason, method, now.Carried, l.Carried)
			}
		}
		return lines
	}
	if l := check("with later seeds of the reference")["noisy"]; l.Decision.Standing != stats.Unsettled || l.Score != before["noisy"].Score {
		t.Errorf("noisy is %+v", l)
	}
	if one, two := undecided(results, 1), undecided(results, 2); one != "noisy zz" || two != "" {
		t.Errorf("undecided at the first look %q, and at the second %q", one, two)
	}
	// Then those that are undecided. Were it not for their later seeds, they would stay so.
	for _, name := range []string{"noisy", "zz"} {
		more(results, name, 24, func(task string) []float64 { return areas(40, .9, .05, .4) })
	}
	if l := check("with 24 seeds")["noisy"]; l.Decision.Standing != stats.Unsettled || l.Decision.Seeds != 40 || l.Seeds != 24 {
		t.Errorf("noisy is %+v", l.Decision)
	}
	if one, two := undecided(results, 1), undecided(results, 2); one != "noisy zz" || two != "noisy zz" {
		t.Errorf("undecided at the first look %q, and at the second %q", one, two)
	}
	for _, name := range []string{"noisy", "zz"} {
		more(results, name, 40, func(task string) []float64 { return areas(40, 9, .05, 0) })
	}
	if l := check("with 40 seeds")["noisy"]; l.Decision.Standing != stats.Better || l.Decision.Look != 3 || l.Decision.Seeds != 40 {
		t.Errorf("noisy is %+v", l.Decision)
	}
	if one, two := undecided(results, 1), undecided(results, 2); one != "" || two != "" {
		t.Errorf("undecided at the first look %q, and at the second %q", one, two)
	}
}

// TestNamed: beyond eight methods the rest is counted.
func TestNamed(t *testing.T) {
	methods := strings.Split("abcdefghij", "")
	for n, want := range map[int]string{2: "a, b", 8: "a, b, c, d, e, f, g, h", 9: "a, b, c, d, e, f, g, h and 1 other", 10: "a, b, c, d, e, f, g, h and 2 others"} {
		if got := named(methods[:n]); got != want {
			t.Errorf("%d methods: %q, want %q", n, got, want)
		}
	}
}

// TestPlace: a method that is added has the row of a table that had it from the beginning, and the results
// that it is placed among stay as they are.
func TestPlace(t *testing.T) {
	all := twoTasks()
	_, lines := linesOf(newTable(t, all))
	for _, c := range []struct {
		method, row string
		same        []string
		unfit       map[string]string
	}{
		{"better", "better", nil, map[string]string{}},
		{"gpg", "grpo", []string{"grpo"}, map[string]string{}},
		{"vpo", "vpo", nil, map[string]string{"maze": "Why."}},
	} {
		var published, added []*Result
		for _, r := range all {
			others, own := *r, *r
			without := func(keep bool) []Standing {
				return slices.DeleteFunc(slices.Clone(r.Standings), func(s Standing) bool { return (s.Method == c.method) != keep })
			}
			others.Standings, own.Standings, others.Unfit, own.Unfit = without(false), without(true), nil, nil
			published = append(published, &others)
			if len(own.Standings) > 0 {
				added = append(added, &own)
			}
		}
		before := published[0].Text()
		place, err := NewPlace(published, added, c.method, c.unfit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines[c.row], place.Line, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.method, diff)
		}
		if !slices.Equal(place.Same, c.same) || len(place.Tasks) != len(added) || len(place.Near) != near || string(before) != string(published[0].Text()) {
			t.Errorf("%s: same as %v, %d tasks, near %v", c.method, place.Same, len(place.Tasks), place.Near)
		}
		for _, format := range PlaceFormats() {
			if text, err := place.Write(format); err != nil || !strings.Contains(string(text), c.method) {
				t.Errorf("%s: %v\n%s", format, err, text)
			}
		}
	}
}

func TestTablesThatCannotBeMade(t *testing.T) {
	for want, change := range map[string]func([]*Result) []*Result{
		"there are no results":                  func([]*Result) []*Result { return nil },
		"task bandit is there twice":            func(r []*Result) []*Result { return []*Result{r[0], r[0]} },
		"tasks bandit and maze are of policies": func(r []*Result) []*Result { r[1].Seeds = []int{6, 40}; return r },
		"task maze has no result of grpo":       func(r []*Result) []*Result { r[1].Standings = r[1].Standings[:1]; return r },
		"task maze: the area of grpo is 0 in the mean": func(r []*Result) []*Result {
			r[1].Standings = []Standing{standing("grpo", "h", make([]float64, 12)...)}
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
	for _, want := range []string{"8 methods on 2 tasks, up to 40 seeds each\n", "vpo (1 of 2 tasks)", "undecided (12)", "better (12)", "\ngpg: the same records as grpo on every task\n"} {
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
	if md := write("markdown"); tables != 4 || !strings.Contains(md, "| `vpo` (1 of 2 tasks) |") || !strings.Contains(md, "| `vpo` | lr=0.1 | - |") {
		t.Errorf("%d tables:\n%s", tables, md)
	}
	tex := write("latex")
	for _, want := range []string{`& pass\_x &`, "gpg: the same records as grpo"} {
		if !strings.Contains(tex, want) {
			t.Errorf("LaTeX lacks %q:\n%s", want, tex)
		}
	}
	for line := range strings.Lines(tex) {
		if n := strings.Count(line, " & "); strings.HasSuffix(line, "\\\\\n") && n+1 != len(table.columns(InTable))-3 { // a page is too narrow for all
			t.Errorf("%d columns, want %d: %s", n+1, len(table.columns(InTable))-3, line)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(write("csv"))).ReadAll()
	if err != nil || len(rows) != 1+8 {
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
	for _, c := range [][3]string{
		{"grpo", "same", "gpg"}, {"grpo", "score", "1"}, {"grpo", "score_low", "1"}, {"grpo", "gain", "0"}, {"grpo", "gain_high", "0"}, {"grpo", "accuracy", "5.5"},
		{"better", "beside_grpo", "better"}, {"better", "one_setting_beside_grpo", "better"}, {"better", "rank_low", "1"},
		{"noisy", "beside_grpo", "undecided"}, {"noisy", "seeds", "12"}, {"worse", "seeds", "12"},
		{"vpo", "area maze", ""}, {"vpo", "tasks", "1"}, {"vpo", "one_setting", ""}, {"vpo", "one_setting_beside_grpo", ""},
	} {
		if got := cell(c[0], c[1]); got != c[2] {
			t.Errorf("CSV: %s of %s is %q, want %q", c[1], c[0], got, c[2])
		}
	}
	rows, err = csv.NewReader(strings.NewReader(write("csv-tasks"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{} // columns of the row of better on the maze
	for _, row := range rows[1:] {
		if row[0] == "maze" && row[1] == "better" {
			for i, name := range rows[0] {
				of[name] = row[i]
			}
		}
	}
	if len(rows) != 1+9+8 || of["as"] != "tuned carried" || of["setting"] != "lr=0.1" || of["accuracy"] != "5.5" || of["halfway"] != "0.25" || of["entropy"] != "5.5" || of["best@64"] != "" {
		t.Errorf("CSV of tasks: %d rows, better on the maze has %v", len(rows), of)
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
	if doc.Board != Version || doc.Seeds != 40 || len(doc.Methods) != 8 || len(doc.Tasks) != 2 || doc.Unfit["vpo"][0] != "maze" {
		t.Errorf("JSON: %+v", doc)
	}
	if vpo := doc.Methods[7]; vpo["method"] != "vpo" || cmp.Diff([]any{nil, nil, nil}, vpo["one_setting"]) != "" || vpo["beside_grpo"] != "worse" {
		t.Errorf("JSON: vpo is %v", vpo)
	}
	if tasks := doc.Methods[7]["tasks"].(map[string]any); len(tasks) != 1 || tasks["bandit"] == nil {
		t.Errorf("JSON: tasks of vpo %v", tasks)
	}
	if err := table.Keep([]string{"gpg", "noisy"}); err != nil {
		t.Fatal(err)
	}
	if order, _ := linesOf(table); !slices.Equal(order, []string{"noisy", "grpo"}) || !strings.Contains(write("text"), "2 of 8 methods, ranked among all, on 2 tasks") {
		t.Errorf("kept %v:\n%s", order, write("text"))
	}
	if err := table.Keep([]string{"grop"}); err == nil || !strings.Contains(err.Error(), "did you mean grpo?") {
		t.Errorf("a method that is not there: %v", err)
	}
}
