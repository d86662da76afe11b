package reporttest

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var dataOfPage = regexp.MustCompile(`(?s)<script type="application/json" class="data"[^>]*>(.*?)</script>`)

// CheckValues holds the tables of the interactive figures that a walk saw against the data of the
// page, each number within the digits that it is shown with.
func CheckValues(t *testing.T, page string, seen Seen) {
	t.Helper()
	figures := map[string]Figure{}
	for _, f := range seen.Figures {
		figures[f.ID] = f
	}
	charts := 0
	for _, m := range dataOfPage.FindAllStringSubmatch(page, -1) {
		var d data
		if err := json.Unmarshal([]byte(m[1]), &d); err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Charts {
			charts++
			want := d.tables(c)
			got := figures[c.ID].Tables
			if len(got) != len(want) {
				t.Errorf("%s has %d tables, want %d", c.ID, len(got), len(want))
				continue
			}
			for i := range want {
				for _, problem := range compare(got[i].Rows, want[i]) {
					t.Errorf("%s, table %d: %s", c.ID, i+1, problem)
				}
			}
		}
	}
	if charts == 0 || charts != len(seen.Figures) {
		t.Errorf("the walk saw %d figures, the page has data of %d", len(seen.Figures), charts)
	}
}

// compare names rows that differ. The order of rows is that of the data, but
// for points, whose rows are found by their names.
func compare(got [][]string, want []row) (problems []string) {
	if len(got) != len(want) {
		return []string{fmt.Sprintf("%d rows, want %d", len(got), len(want))}
	}
	for _, w := range want {
		texts := make([]string, len(w.cells))
		found := slices.IndexFunc(got, func(r []string) bool {
			if r[0] != w.name || len(r) != len(w.cells)+1 {
				return false
			}
			texts = r[1:]
			for i, c := range w.cells {
				if !shows(texts[i], c) {
					return false
				}
			}
			return true
		})
		if found < 0 {
			problems = append(problems, fmt.Sprintf("no row %q has %s; the last of the name has %q", w.name, w.text(), texts))
			continue
		}
		got = slices.Delete(slices.Clone(got), found, found+1)
	}
	return problems
}

func (r row) text() string {
	var out []string
	for _, c := range r.cells {
		if c.m == nil {
			out = append(out, "nothing")
		} else {
			out = append(out, fmt.Sprint(*c.m))
		}
	}
	return strings.Join(out, ", ")
}

var numeral = regexp.MustCompile(`-?\d[\d.]*(?:e[-+]?\d+)?`)

// shows reports whether a text has the numbers of a cell.
func shows(text string, c cell) bool {
	if c.m == nil {
		return text == "–"
	}
	want := []*float64{c.m}
	if c.low != nil && c.high != nil {
		want = append(want, c.low, c.high)
	}
	found := numeral.FindAllString(text, -1)
	if len(found) != len(want) {
		return false
	}
	for i, s := range found {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || math.Abs(x-*want[i]) > digit(*want[i]) {
			return false
		}
	}
	return true
}

// digit is the rounding of a number: half of its last digit.
func digit(x float64) float64 {
	switch size := math.Abs(x); {
	case size < 0.001 || size >= 1e6:
		return 0.051 * size
	case size >= 1000:
		return 0.501
	}
	return 0.000501
}
