package table

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

type city struct {
	name        string
	mean, width float64
}

var (
	cities  = []city{{"a_b", -0.0001, 0.25}, {"<c>", math.NaN(), 0}, {"d", 2, math.Inf(1)}}
	columns = []Column[city]{
		{Title: "city", Class: "name", Cell: func(c city) Value { return Text(c.name) }},
		{Title: "rain (mm)", Legend: "what falls in a day", Ends: "interval", Cell: func(c city) Value {
			return Three.Mean(c.mean, c.mean-c.width, c.mean+c.width)
		}},
	}
)

func TestRowsAreAligned(t *testing.T) {
	g := append(Rows(columns, cities), nil, []string{"more"}, []string{"e", "1"})
	want := "city  rain (mm)\na_b   0.000 [-0.250, 0.250]\n<c>   -\nd     2.000\n\nmore\ne     1\n"
	if got := g.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = "x    n\nyy  10\n"
	if got := (Grid{{"x", "n"}, {"yy", "10"}}).TextAligned(func(column int) bool { return column == 1 }); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMarkdownAndCSV(t *testing.T) {
	if got, want := Rows(columns, cities[1:2]).Markdown(), "| city | rain (mm) |\n|---|---|\n| <c> | - |\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := MarkdownText("a|`b`<\n"), "a\\|\\`b\\`&lt;\\\\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got, err := Records([]Object{{{"city", "a_b"}, {"rain", -0.0001}, {"days", 3}}, {{"city", "<c>"}, {"rain", math.NaN()}, {"days", 0}}}).CSV()
	if want := "city,rain,days\na_b,-0.0001,3\n<c>,,0\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestHTMLHasNumbersToSortBy(t *testing.T) {
	got := string(HTML(columns, cities, true))
	for _, want := range []string{
		`<th scope="col" class="name" aria-sort="none"><button type="button">city</button></th>`, `data-interval="1"><button type="button">rain (mm)</button>`,
		`<tr data-place="0"><th scope="row">a_b</th><td data-sort="-0.0001" data-low="-0.2501" data-high="0.2499">0.000 <span>[-0.250, 0.250]</span></td>`,
		`<th scope="row">&lt;c&gt;</th><td data-sort="">–</td>`, `<td data-sort="2">2.000</td>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if plain := string(HTML(columns, cities, false)); strings.Contains(plain, "data-") || strings.Contains(plain, "button") {
		t.Errorf("a table that does not sort:\n%s", plain)
	}
	if got := Breaks("a_b.c"); got != "a_<wbr/>b.<wbr/>c" {
		t.Error(got)
	}
}

func TestLegendJoinsColumnsWithOneMeaning(t *testing.T) {
	list := append(columns, Column[city]{Title: "snow", Legend: "what falls in a day"}, Column[city]{Title: "sun", Legend: "hours"})
	if got, want := Legend(list, 20), "rain (mm), snow:\nwhat falls in a day.\nsun: hours.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestObjectKeepsOrder: members stay in order, and numbers without a form in JSON are null.
func TestObjectKeepsOrder(t *testing.T) {
	o := Object{{"b", math.NaN()}, {"a", [2]any{1, math.Inf(1)}}, {"<", []string(nil)}, {"o", []Object{{{"x", 0.5}}}}, {"none", nil}, {"m", map[string]int{"k": 1}}}
	got, err := json.Marshal(o)
	if want := `{"b":null,"a":[1,null],"\u003c":[],"o":[{"x":0.5}],"none":null,"m":{"k":1}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := json.Marshal(Object{{"f", func() {}}}); err == nil {
		t.Error("a function has no form in JSON")
	}
}
