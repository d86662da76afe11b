package countdown

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFields(t *testing.T) {
	got, err := json.Marshal(setpo(t).Fields())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"numbers":[3,21,24,54],"solutions":[` +
		`{"mode":"54/3+24+21","answer":"54/3+24+21","variants":6},` +
		`{"mode":"54+(24-21)*3","answer":"54+(24-21)*3","variants":6}],"target":63}`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestLongLists: of more than a hundred modes the first hundred are listed.
func TestLongLists(t *testing.T) {
	s := newShape(build(t, func(c *Config) { c.MinNumber = 1 }), 5, 1, 25)
	p := newProblem(s, "many", [maxSlots]int16{1, 1, 2, 3, 4}, 10)
	modes := len(p.Truth().Modes)
	if modes <= listed {
		t.Fatalf("%d modes: not enough for this test", modes)
	}
	if got := len(p.Fields()["solutions"].([]solution)); got != listed {
		t.Errorf("%d solutions listed, want %d", got, listed)
	}
	lines := strings.Split(strings.TrimSpace(p.Picture()), "\n")
	if last := lines[len(lines)-1]; len(lines) != listed+2 || !strings.HasSuffix(last, " more") {
		t.Errorf("%d lines, the last %q; want %d, the last to count the rest", len(lines), last, listed+2)
	}
}
