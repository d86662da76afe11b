package report

import (
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/metrics/stats"
)

func TestSameRecordsSamePage(t *testing.T) {
	_, one := sharedPage(t, 1, false)
	two := written(t, demo(t))
	if one != two {
		t.Error("two copies of the records give two pages")
	}
	if strings.Contains(one, "secret-host") || strings.Contains(one, "2026-01-02") {
		t.Error("the page tells where or when it was run")
	}
}

func TestNothingIsLoaded(t *testing.T) {
	_, page := sharedPage(t, 1, false)
	for _, e := range parse(t, page).all("") {
		for _, name := range []string{"src", "srcset", "action", "data", "poster", "background"} {
			if v, ok := e.attrs[name]; ok {
				t.Errorf("<%s %s=%q>", e.name, name, v)
			}
		}
		if href := e.attrs["href"]; e.name != "a" && href != "" && href != "data:," {
			t.Errorf("<%s href=%q>", e.name, href)
		}
	}
	for _, bad := range []string{"@import", "@font-face", "http-equiv=\"refresh\"", "fetch(", "XMLHttpRequest", "localStorage", "document.cookie"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	if u := regexp.MustCompile(`url\([^)]*\)`).FindString(pageCSS); u != "" {
		t.Errorf("the style sheet loads %s", u)
	}
}

func TestLabelsStayText(t *testing.T) {
	e := demo(t)
	e.Run.Title, e.Run.Figures[0].Title = hostile, hostile
	for n, page := range []string{written(t, e), written(t, e, e)} {
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "<i>in words") || strings.Contains(page, "<b>steps") {
			t.Errorf("%d experiments: text has become markup", n+1)
		}
		found := map[string]bool{}
		for _, e := range parse(t, page).all("") {
			if e.text == hostile {
				found[e.name] = true
			}
			for name := range e.attrs {
				if strings.HasPrefix(name, "on") {
					t.Errorf("<%s %s>", e.name, name)
				}
			}
		}
		for _, name := range [][]string{{"title", "h1", "h3", "th", "text"}, {"h2", "h4", "th", "text"}}[n] {
			if !found[name] {
				t.Errorf("%d experiments: no <%s> has the label as its text", n+1, name)
			}
		}
	}
}

// TestLinks follows every link of the page: those to records from its folder.
func TestLinks(t *testing.T) {
	e, page := sharedPage(t, 2, false)
	ids := map[string]int{}
	root := parse(t, page)
	for _, x := range root.all("") {
		if id := x.attrs["id"]; id != "" {
			ids[id]++
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	files := 0
	for _, x := range root.all("") {
		for _, id := range strings.Fields(x.attrs["aria-labelledby"]) {
			if ids[id] == 0 {
				t.Errorf("<%s> is named by %s, which is not there", x.name, id)
			}
		}
		href := x.attrs["href"]
		if id, ok := strings.CutPrefix(href, "#"); ok {
			if ids[id] == 0 {
				t.Errorf("a link to %s, which is not there", href)
			}
			continue
		}
		if x.name != "a" {
			continue
		}
		u, err := url.Parse(href)
		if err != nil || u.IsAbs() || u.Fragment != "" {
			t.Fatalf("%q is no relative link: %v", href, err)
		}
		if _, err := os.Stat(filepath.Join(e.Run.Dir, filepath.FromSlash(u.Path))); err != nil {
			t.Error(err)
		}
		files++
	}
	if want := 2 * 3 * demoSeeds * 4; files != want {
		t.Errorf("%d links to files, want %d", files, want)
	}
	// A page elsewhere links from there; a file that is gone is not linked.
	e = demo(t)
	if err := os.Remove(filepath.Join(e.Run.Folder(e.Run.Variants[0].Cells[0]), "train.jsonl")); err != nil {
		t.Fatal(err)
	}
	away, err := newRecords(e.Run, Options{Folder: filepath.Join(e.Run.Dir, "x", "y")})
	if err != nil || away[0].Files[0].Links[0].Href != "../../../cells/c%230-s0/eval.jsonl" || away[0].Files[1].Links[0].Href != "" {
		t.Errorf("%v %+v", err, away[0].Files)
	}
}

// TestNumbersInTheSpec: of a part of a spec's figures and claims each has the id that it has among all.
func TestNumbersInTheSpec(t *testing.T) {
	e := demo(t)
	e.FigureNumbers, e.ClaimNumbers = make([]int, len(e.Run.Figures)), make([]int, len(e.Claims))
	for i := range e.FigureNumbers {
		e.FigureNumbers[i] = 2*i + 2
	}
	for i := range e.ClaimNumbers {
		e.ClaimNumbers[i] = 3*i + 3
	}
	page := written(t, e)
	for _, want := range []string{`<figure id="e1-figure2">`, `<figure id="e1-figure4">`, `"id":"e1-figure2"`, `<h3 id="e1-claim3">`, `<h3 id="e1-claim6">`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestProblemWords: what the picture of a bandit calls answer class is explained below it.
func TestProblemWords(t *testing.T) {
	section, found := "", false
	_, page := sharedPage(t, 1, false)
	for _, s := range strings.Split(page, "<section ")[1:] {
		if strings.HasPrefix(s, `aria-labelledby="e1-problems"`) {
			section, found = s, true
		}
	}
	picture, text, _ := strings.Cut(section, "</svg>")
	if !found || !strings.Contains(picture, ">answer<") || !strings.Contains(picture, ">A0<") || !strings.Contains(picture, "Answer class: the vote of an answer") {
		t.Errorf("the picture's answer class is not explained: %s", text)
	}
}

// TestAnswersAreLinked where a cell kept them.
func TestAnswersAreLinked(t *testing.T) {
	run := demo(t).Run
	kept := func() (kinds []string, hrefs []string) {
		list, err := newRecords(run, Options{Folder: run.Dir})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			for _, f := range r.Files {
				kinds = append(kinds, f.Kind)
				for _, l := range f.Links {
					if f.Kind == "answers" && l.Href != "" {
						hrefs = append(hrefs, l.Href)
					}
				}
			}
		}
		return kinds, hrefs
	}
	if kinds, _ := kept(); slices.Contains(kinds, "answers") || len(kinds) != 3*4 {
		t.Errorf("without answers: %q", kinds)
	}
	if err := os.WriteFile(filepath.Join(run.Folder(run.Variants[1].Cells[2]), "pools.jsonl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if kinds, hrefs := kept(); len(kinds) != 3*5 || !slices.Equal(hrefs, []string{"../cells/c%231-s2/pools.jsonl"}) {
		t.Errorf("with answers of one cell: %q, %q", kinds, hrefs)
	}
}

func TestHeadings(t *testing.T) {
	for n := range 2 {
		_, page := sharedPage(t, n+1, false)
		root := parse(t, page)
		last, first := 0, 0
		for _, x := range root.all("") {
			level := strings.Index("h1h2h3h4h5h6", x.name)/2 + 1
			if len(x.name) != 2 || !strings.Contains("h1h2h3h4h5h6", x.name) {
				continue
			}
			if level > last+1 {
				t.Errorf("%d experiments: h%d after h%d: %s", n+1, level, last, x.words())
			}
			if level == 1 {
				first++
			}
			if x.words() == "" {
				t.Errorf("an empty h%d", level)
			}
			last = level
		}
		if first != 1 {
			t.Errorf("%d h1", first)
		}
	}
}

// TestSummaryTable holds the table against the cells it was made from.
func TestSummaryTable(t *testing.T) {
	e, page := sharedPage(t, 1, false)
	table := parse(t, page).classed("sortable")[0]
	var heads []string
	for _, th := range table.all("thead")[0].all("th") {
		heads = append(heads, th.words())
		if len(th.all("button")) != 1 || th.attrs["aria-sort"] != "none" {
			t.Errorf("the head %s cannot be sorted by", th.words())
		}
	}
	if want := []string{"method", "reward", "entropy_mode mode entropy (nats)", "absent", "seeds", "values"}; !slices.Equal(heads, want) {
		t.Errorf("heads %q, want %q", heads, want)
	}
	rows := table.all("tbody")[0].all("tr")
	for i, row := range rows {
		cells := row.all("td")
		if row.all("th")[0].text != e.Summary[i].Label {
			t.Errorf("row %d is %q", i, row.all("th")[0].text)
		}
		for j, c := range e.Summary[i].Cells {
			want := c.Text
			if math.IsNaN(c.Interval.Mean) {
				want = absent
			}
			if cells[j].words() != want {
				t.Errorf("row %d has %q, want %q", i, cells[j].words(), want)
			}
			var x float64
			if _, err := fmt.Sscan(cells[j].attrs["data-sort"], &x); math.IsNaN(c.Interval.Mean) != (err != nil) || err == nil && x != c.Interval.Mean {
				t.Errorf("row %d sorts by %q, want %v", i, cells[j].attrs["data-sort"], c.Interval.Mean)
			}
		}
		if how := []string{"sampled", "exact", "exact"}[i]; cells[4].text != how || cells[3].text != fmt.Sprint(demoSeeds) {
			t.Errorf("row %d: %s seeds, %s", i, cells[3].text, cells[4].text)
		}
	}
	if len(rows) != 3 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestSummaryNote(t *testing.T) {
	run := demo(t).Run
	for _, c := range []struct {
		reason string
		rows   [3]Row
		want   string
	}{
		{"all exact", [3]Row{{Seeds: 7, Exact: 7}, {Seeds: 7, Exact: 7}, {Seeds: 7, Exact: 7}}, "mean over 7 seeds [95% interval: bootstrap-t, or Student's where seeds tie; not clipped], exact by enumeration"},
		{"all sampled, few", [3]Row{{Seeds: 3}, {Seeds: 3}, {Seeds: 3}}, "estimated from sampled answers in each. 3 seeds: intervals are rough. Underpowered: 3 seeds"},
		{"two seeds", [3]Row{{Seeds: 2}, {Seeds: 2}, {Seeds: 2}}, "mean over 2 seeds: no interval of fewer than 3; estimated from sampled answers in each. Underpowered: 2 seeds"},
		{"one seed", [3]Row{{Seeds: 1}, {Seeds: 1}, {Seeds: 1}}, "one seed: no interval"},
		{"some seeds of each", [3]Row{{Seeds: 7, Exact: 2}, {Seeds: 7, Exact: 2}, {Seeds: 7, Exact: 2}}, "exact by enumeration in some seeds"},
		{"other seeds", [3]Row{{Seeds: 7}, {Seeds: 8}, {Seeds: 7}}, "mean over the seeds [95% interval: bootstrap-t, or Student's where seeds tie; not clipped]."},
	} {
		e := Experiment{Run: run}
		for _, r := range c.rows {
			r.Cells = make([]Cell, len(run.Columns))
			e.Summary = append(e.Summary, r)
		}
		s, err := newSummary(e)
		if err != nil || !strings.Contains(s.Note, c.want) {
			t.Errorf("%s: %v %q, want %q", c.reason, err, s.Note, c.want)
		}
	}
	if _, err := newSummary(Experiment{Run: run, Summary: make([]Row, 3)}); err == nil {
		t.Error("rows without cells are accepted")
	}
}

func TestClaims(t *testing.T) {
	_, page := sharedPage(t, 1, false)
	claims := parse(t, page).classed("claim")
	for i, want := range []struct {
		verdict, effect string
		all             bool // a line of all settings stands above them
	}{
		{"✓ supported", "+0.25 [+0.125, +0.375]", false},
		{"? undecided, needs 34 seeds (1 supported, 1 opposed of 2)", "-0.5 to +0.25 (2 settings)", false},
		{"✕ opposed (1 opposed, 1 undecided of 2)", "-0.5 to -0.5 (2 settings)", false},
		{"– untestable here: both sides are at the optimum, 1", "n/a", false},
		{"= no difference (4 no difference, 1 supported, 1 undecided, 1 untestable of 7)", "-0.5 to +0.25 (7 settings)", true},
	} {
		c := claims[i]
		if got := c.classed("badge")[0].words(); got != want.verdict {
			t.Errorf("verdict %q, want %q", got, want.verdict)
		}
		var facts []string
		for _, dd := range c.all("dd") {
			facts = append(facts, dd.words())
		}
		d := []string{want.effect, "0.9 against 0.1", "fig. 1", "says: a above b", "a.low > b.high"}
		if want.all {
			d = slices.Insert(d, 1, "")
		}
		if !slices.Equal(facts, d) {
			t.Errorf("%q, want %q", facts, d)
		}
		// Up to six settings are in sight, more are opened by the reader, and by a print.
		if _, open := c.all("details")[0].attrs["open"]; open == want.all {
			t.Errorf("the settings of claim %d are in sight: %v", i, open)
		}
	}
	var row []string
	for _, td := range claims[0].all("tbody")[0].all("td") {
		row = append(row, td.words())
	}
	if want := []string{"reward", "0.1", "✓ supported", "", "+0.25 [+0.125, +0.375]", hostile, "0.250 [0.125, 0.375]", "base", "-0.500 [-0.750, -0.250]"}; !slices.Equal(row, want) {
		t.Errorf("%q, want %q", row, want)
	}
	// A setting of too few seeds says how many an answer takes, as text.
	if cells := claims[2].all("tbody")[0].all("tr")[1].all("td"); cells[1].words() != "? undecided: 2 seeds, need <6> at least" {
		t.Errorf("%q", cells[1].words())
	}
}

// TestForest: a line has the effect at its place on an axis from -50 to 50 deltas, the mark of
// its answer, and arrows for what lies beyond.
func TestForest(t *testing.T) {
	_, page := sharedPage(t, 1, false)
	claims := parse(t, page).classed("claim")
	at := func(x float64) float64 {
		return 6 + 188*(math.Asinh(min(max(x, -50), 50))/math.Asinh(50)+1)/2
	}
	lines := func(claim int) []*element {
		var out []*element
		for _, svg := range claims[claim].all("svg") {
			if svg.attrs["role"] == "img" {
				out = append(out, svg)
			}
		}
		return out
	}
	for _, c := range []struct {
		reason          string
		svg             *element
		label           string
		low, high, mark float64
		arrows          int
		class           string
	}{
		{"supported", lines(0)[0], "+12.5 deltas [+6.25, +18.8]", 6.25, 18.75, 12.5, 0, "mark good"},
		{"opposed, beyond the axis", lines(1)[1], "-60 deltas [-80, -40]", -80, -40, -60, 1, "mark bad"},
		{"two seeds", lines(2)[1], "+2 deltas", 2, 2, 2, 0, "mark none hollow"},
		{"all of five settings", lines(4)[0], "+0.25 to +12.5 deltas", 0.25, 12.5, 0.25, 0, "mark part"},
	} {
		var low, high float64
		paths := c.svg.all("path")
		marks, arrows := 0, 0
		for _, p := range paths {
			switch class := p.attrs["class"]; {
			case class == "range":
				if _, err := fmt.Sscanf(p.attrs["d"], "M%f 9H%f", &low, &high); err != nil {
					t.Fatal(err)
				}
			case class == "":
				arrows++
			case strings.HasPrefix(class, "mark"):
				var x, y float64
				if _, err := fmt.Sscanf(p.attrs["d"], "M%f %f", &x, &y); err != nil {
					t.Fatal(err)
				}
				if marks++; marks > 1 {
					continue
				}
				if class != c.class || math.Abs(x-at(c.mark)) > 4.1 {
					t.Errorf("%s: the mark %q from %v on, want %q at %v", c.reason, class, x, c.class, at(c.mark))
				}
			}
		}
		if c.svg.attrs["aria-label"] != c.label || math.Abs(low-at(c.low)) > 0.06 || math.Abs(high-at(c.high)) > 0.06 || arrows != c.arrows {
			t.Errorf("%s: %q from %v to %v with %d arrows, want %q from %v to %v with %d", c.reason, c.svg.attrs["aria-label"], low, high, arrows, c.label, at(c.low), at(c.high), c.arrows)
		}
	}
	if n := len(lines(3)); n != 0 {
		t.Errorf("a claim without an effect has %d lines", n)
	}
	if n := len(lines(4)); n != 7 { // one of all, and six settings have an effect
		t.Errorf("%d lines of seven settings", n)
	}
}

// TestFigureValues compares the tables below figures with what was written to the
// records.
func TestFigureValues(t *testing.T) {
	_, page := sharedPage(t, 1, false)
	root := parse(t, page)
	tables := root.classed("values")
	if len(tables) != 2+1+3+1+1+1+1+1 {
		t.Fatalf("%d tables of values", len(tables))
	}
	for i, metric := range []string{"reward", "entropy_mode"} {
		rows := tables[i].all("tbody")[0].all("tr")
		if len(rows) < 30 || len(rows) > 64 {
			t.Errorf("%d rows of 67 evaluations", len(rows))
		}
		for _, row := range rows {
			var step int
			if _, err := fmt.Sscan(row.all("th")[0].text, &step); err != nil {
				t.Fatal(err)
			}
			if row.attrs["data-x"] != fmt.Sprint(step) {
				t.Errorf("step %d lies at %s", step, row.attrs["data-x"])
			}
			for v, td := range row.all("td") {
				at := step
				if v == 0 {
					at = 0 // base does not train
				}
				want := value(metric, v, demoSeeds/2, at) // the mean of evenly spaced seeds
				if mean, _, _ := strings.Cut(td.words(), " "); mean != fmt.Sprintf("%.3f", want) {
					t.Errorf("%s of %d at %d: %q, want %.3f", metric, v, step, td.words(), want)
				}
			}
		}
	}
	if last := tables[2].all("tbody")[0].all("tr"); len(last) != 3 || last[2].attrs["data-x"] != "4" || last[2].words() != "16 0.750 [0.750, 0.750] 0.760 [0.760, 0.760] 0.770 [0.770, 0.770]" {
		t.Errorf("pass@k: %q", tables[2].words())
	}
	if got := tables[4].all("tbody")[0].all("tr")[0].words(); got != "0 0.500 0.250 0.250" {
		t.Errorf("masses of modes: %q", got)
	}
	if got := tables[6].all("tbody")[0].all("tr")[1].words(); !strings.HasPrefix(got, "grpo 0.262 [") {
		t.Errorf("grid: %q", got)
	}
	if got := tables[7].all("tbody")[0].all("tr")[1].words(); !strings.HasPrefix(got, "grpo 0.262 [") {
		t.Errorf("bars: %q", got)
	}
	if got := tables[8].all("tbody")[0].all("tr")[1].words(); got != "3 2.000 [2.000, 2.000] 3.000 [3.000, 3.000] 4.000 [4.000, 4.000]" {
		t.Errorf("positions: %q", got)
	}
	for i, t2 := range tables {
		if _, ok := t2.attrs["data-left"]; ok != (i < 3 || i == 8 || i == 9) { // those of lines
			t.Errorf("table %d: where it lies in the drawing is known: %v", i, ok)
		}
	}
}

func TestSettings(t *testing.T) {
	e, page := sharedPage(t, 1, false)
	root := parse(t, page)
	table := root.classed("settings")[0].words()
	if want := "variant train.lr train.steps base 0.1 0 grpo 1.1 132 " + hostile + " 2.1 132"; table != want {
		t.Errorf("%q, want %q", table, want)
	}
	// The base policy has no objective, which makes no difference between methods.
	shared := root.classed("shared")[0].words()
	if !strings.Contains(shared, "objective kl_coef 0.5") || !strings.Contains(shared, "k [1, 2, 16]") || strings.Contains(shared, "seed") {
		t.Errorf("%q", shared)
	}
	facts := root.classed("provenance")[0].words()
	if want := "results version " + fmt.Sprint(e.Run.Version) + " modebench v9 commit abcdef Go go1.99 platform plan9/amd64 cells 21"; facts != want {
		t.Errorf("%q, want %q", facts, want)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0.000"}, {math.Copysign(0, -1), "0.000"}, {0.5, "0.500"}, {-12.3456, "-12.346"}, {0.000123, "0.00012"},
		{-4e-7, "-4e-07"}, {1234.5, "1234"}, {2e6, "2e+06"}, {math.NaN(), "–"}, {math.Inf(1), "–"},
	} {
		if got := number(c.x); got != c.want {
			t.Errorf("%v is written %s, want %s", c.x, got, c.want)
		}
	}
	one := stats.Interval{N: 1, Mean: 0.5, Low: math.Inf(-1), High: math.Inf(1)}
	if both(one) != "0.500" || effect(one, true) != "+0.5" {
		t.Errorf("one seed: %q, %q", both(one), effect(one, true))
	}
	if got := effect(stats.Interval{Mean: -0.25, Low: math.NaN(), High: math.NaN()}, true); got != "sd -0.25" {
		t.Errorf("deviations: %q", got)
	}
}

func TestPrefixed(t *testing.T) {
	svg := `<svg xmlns="http://www.w3.org/2000/svg"><defs><clipPath id="a"/></defs><g clip-path="url(#a)"><use xlink:href="#a"/><text>id=&#34;a&#34; url(#b) of</text></g></svg>`
	want := `<svg xmlns="http://www.w3.org/2000/svg"><defs><clipPath id="p-a"/></defs><g clip-path="url(#p-a)"><use xlink:href="#p-a"/><text>id=&#34;a&#34; url(#b) of</text></g></svg>`
	if got := prefixed(svg, "p-"); got != want {
		t.Errorf("%s", got)
	}
}

func TestMistakes(t *testing.T) {
	if err := Write(io.Discard, nil, Options{}); err == nil {
		t.Error("a page of nothing")
	}
	e := demo(t)
	e.Run.Figures[0].Metrics = []string{"nothing"}
	if err := Write(io.Discard, []Experiment{e}, Options{}); err == nil || !strings.Contains(err.Error(), `demo: figure "curve": no variant shown has a metric "nothing"`) {
		t.Errorf("%v", err)
	}
	e = demo(t)
	if err := os.WriteFile(filepath.Join(e.Run.Folder(e.Run.Variants[1].Cells[0]), "provenance.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(io.Discard, []Experiment{e}, Options{}); err == nil || !strings.Contains(err.Error(), "provenance.json: unexpected end") {
		t.Errorf("%v", err)
	}
}
