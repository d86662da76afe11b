package derivation

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
)

// given are answers to the problem made, the last of which does not parse.
func given(p *Problem) [][]envs.Token {
	return [][]envs.Token{tokens(p, "c0d1e9"), tokens(p, "c0f4e8"), tokens(p, "c0")}
}

func TestPicture(t *testing.T) {
	p := made(t, nil)
	const want = `derivation made: what is e? 4 modes, 6631 solutions
  a = 3
  b = 7
  c = a + b = 0  needed  written by 1 2
  d = a * b = 1  needed  written by 1
  e = c - d = 9  asked  written by 1 2
  f = a - e = 4  distractor  written by 2
  1: c=0, d=1, e=9: right; mode c,d
  2: c=0, f=4, e=8: wrong; mode c
  3: c 0 ...: degenerate: the answer does not say what e is
`
	if d := cmp.Diff(want, p.Picture(given(p)...)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestDrawing: a circle for each variable, two arcs for each that is derived, and how many
// answers write it.
func TestDrawing(t *testing.T) {
	p := made(t, nil)
	attempts := envtest.Attempts(p, given(p)...)
	d := p.Drawing(attempts...)
	if err := d.Check(len(attempts)); err != nil {
		t.Fatal(err)
	}
	var texts []string
	roles := map[envs.ShapeKind]string{}
	for _, s := range d.Shapes {
		if s.Kind == envs.Label && len(s.Text) > 1 {
			texts = append(texts, s.Text)
		}
		if s.Kind == envs.Count {
			texts[len(texts)-1] += fmt.Sprint(" ", s.Answers)
		}
		roles[s.Kind] += map[envs.Role]string{envs.Plain: "p", envs.Faint: "f", envs.Path: "l", envs.Right: "r"}[s.Role]
	}
	if got, want := strings.Join(texts, ", "), "a = 3, b = 7, c = a + b [0 1], d = a * b [0], e = c - d [0 1], f = a - e [1]"; got != want {
		t.Errorf("the drawing says %q, want %q", got, want)
	}
	if got, want := roles[envs.Line]+" "+roles[envs.Circle], "llllllff pppprf"; got != want {
		t.Errorf("the roles of arcs and circles are %q, want %q", got, want)
	}
	// The first arc is from a to c, two places on.
	at := d.Shapes[0].Points
	last := len(at) - 1
	if at[0][0] != place(0) || at[last][0] != place(2) || at[0][1] != at[last][1] || at[last/2][0] != place(1) || math.Abs(at[0][1]-at[last/2][1]-flat*step) > 1e-9 {
		t.Errorf("the arc from a to c is %v", at)
	}
}
