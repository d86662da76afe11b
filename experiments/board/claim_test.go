package board

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"modebench/results"
)

// TestDifferences: every part of a result that is changed is found, by its place and both values.
func TestDifferences(t *testing.T) {
	const file = "community/tabular/right-pairs/bandit-held-out.json"
	text, err := results.Community.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text []byte) *Result {
		r, err := ParseResult(file, text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	made := parse(text)
	if seeds, first := parse(text).Differences(made); seeds != nil || first != "" {
		t.Errorf("the same result differs: %v, %s", seeds, first)
	}
	for _, c := range []struct {
		old, new, want string
		seeds          []int
	}{
		{`"wider": {"lower":false`, `"wider": {"lower":true`, "wider.lower is true in the row, and false here", nil},
		{`"seeds":12,"diversity":0.8839`, `"seeds":12,"diversity":0.7839`, "base.diversity is 0.7839 in the row, and 0.8839 here", nil},
		{`0.3464,0.5991`, `0.3464,0.6235`, "methods[0].tried[7].areas[1] is 0.6235 in the row, and 0.5991 here", nil},
		{`[0.06768,null]`, `[0.06768,0.1]`, "methods[0].tried[0].areas[1] is 0.1 in the row, and null here", nil},
		{`,{"setting":"lr=1","areas":[0.2296,null]}`, ``, `methods[0].tried is [{"setting":"lr=0.01",`, nil},
		{`"as":["tuned"]`, `"as":["tuned","carried"]`, `methods[0].rows[0].as is ["tuned","carried"] in the row, and ["tuned"] here`, nil},
		{`"cells":["a1`, `"cells":["b1`, `methods[0].rows[0].cells[0] is "b1fd1320198dc7b2" in the row, and "a1fd1320198dc7b2" here`, nil},
		{`"best@64":0.9876`, `"best@64":1`, "methods[0].rows[0].means.best@64 is 1 in the row, and 0.9876 here", nil},
		{`"best@64":0.9876,`, ``, `methods[0].rows[0].means is {"collapsed"`, nil},
		{`"area":[0.4972`, `"area":[0.5972`, "methods[0].rows[0].seeds.area[0] is 0.5972 in the row, and 0.4972 here", []int{51000}},
		{`"gain":[-0.004354,0.005737`, `"gain":[null,0.1`, "methods[0].rows[0].seeds.gain[0] is null in the row, and -0.004354 here", []int{51000, 51001}},
		{`"trace":[[0,0,`, `"trace":[[0,0.1,`, "methods[0].rows[0].trace[0][1] is 0.1 in the row, and 0 here", nil},
	} {
		if !bytes.Contains(text, []byte(c.old)) {
			t.Fatalf("the row has no %s", c.old)
		}
		seeds, first := parse(bytes.Replace(text, []byte(c.old), []byte(c.new), 1)).Differences(made)
		if !strings.HasPrefix(first, c.want) || !slices.Equal(seeds, c.seeds) {
			t.Errorf("%s: seeds %v and %q, want %v and %q", c.new, seeds, first, c.seeds, c.want)
		}
	}
}
