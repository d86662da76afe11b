package board

import (
	"bytes"
	"strings"
	"testing"

	"modebench/results"
)

// TestDifference: every part of a result that is changed is found, by its place and both values.
func TestDifference(t *testing.T) {
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
	if d := parse(text).Difference(made); d != "" {
		t.Errorf("the same result differs: %s", d)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"wider": {"lower":false`, `"wider": {"lower":true`, "lower is true in the row, and false here"},
		{`"seeds":12,"diversity":0.8839`, `"seeds":12,"diversity":0.7839`, "diversity is 0.7839 in the row, and 0.8839 here"},
		{`0.3464,0.5991`, `0.3464,0.6235`, `setting "lr=0.19": areas is 0.6235 in the row, and 0.5991 here`},
		{`[0.06768,null]`, `[0.06768,0.1]`, `setting "lr=0.01": areas is 0.1 in the row, and null here`},
		{`,{"setting":"lr=1","areas":[0.2296,null]}`, ``, `setting "lr=0.66": entries are added or missing after areas`},
		{`"setting":"lr=0.01",`, `"setting":"lr=0.011",`, `setting is "lr=0.011" in the row, and "lr=0.01" here`},
		{`"as":["tuned"]`, `"as":["tuned","carried"]`, `setting "lr=0.081": entries are added or missing after as`},
		{`"cells":["a1`, `"cells":["b1`, `setting "lr=0.081": cells is "b1fd1320198dc7b2" in the row, and "a1fd1320198dc7b2" here`},
		{`"best@64":0.9876`, `"best@64":1`, `setting "lr=0.081": best@64 is 1 in the row, and 0.9876 here`},
		{`"best@64":0.9876,`, ``, `setting "lr=0.081": means is "collapsed":0 in the row, and "best@64":0.9876 here`},
		{`"area":[0.4972`, `"area":[0.5972`, `setting "lr=0.081": area is 0.5972 in the row, and 0.4972 here; seeds 51000`},
		{`"gain":[-0.004354,0.005737`, `"gain":[null,0.1`, `setting "lr=0.081": gain is null in the row, and -0.004354 here; seeds 51000 51001`},
		{`"trace":[[0,0,`, `"trace":[[0,0.1,`, `setting "lr=0.081": trace is 0.1 in the row, and 0 here`},
	} {
		if !bytes.Contains(text, []byte(c.old)) {
			t.Fatalf("the row has no %s", c.old)
		}
		d := parse(bytes.Replace(text, []byte(c.old), []byte(c.new), 1)).Difference(made)
		if !strings.HasPrefix(d, c.want) || strings.Contains(d, "seeds") != strings.Contains(c.want, "seeds") {
			t.Errorf("%s: %q, want %q", c.new, d, c.want)
		}
	}
}
