package coins

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
)

// given are answers to the problem made, the last of which does not parse.
func given(t testing.TB, p *Problem) [][]envs.Token {
	var out [][]envs.Token
	for _, text := range []string{"10+3", "5+5", "3+10", "5+5"} {
		tokens, err := p.AnswerTokens(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tokens)
	}
	return append(out, out[0][:1])
}

func TestPicture(t *testing.T) {
	p := made(t)
	const want = `coins made: pay 13 with at most 4 coins of 1, 3, 5, 10; 3 modes, 9 orders
  10+3         2  hit by 1, 3
  10+1+1+1     4
  5+5+3        3
  1: 10+3: right; mode 10+3
  2: 5+5 = 10: wrong; mode 5+5
  3: 3+10: right; mode 10+3
  4: 5+5 = 10: wrong; mode 5+5
  5: 10 ...: degenerate: the payment has no end
`
	if d := cmp.Diff(want, p.Picture(given(t, p)...)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestDrawing: a row for each mode, with the answers that it marks.
func TestDrawing(t *testing.T) {
	p := made(t)
	attempts := envtest.Attempts(p, given(t, p)...)
	d := p.Drawing(attempts...)
	if err := d.Check(len(attempts)); err != nil {
		t.Fatal(err)
	}
	var texts, marks []string
	for i, s := range d.Shapes {
		if s.Kind == envs.Label {
			texts = append(texts, s.Text)
		}
		if s.Kind == envs.Circle && s.Role != envs.Plain {
			marks = append(marks, fmt.Sprint(map[envs.Role]string{envs.Right: "right", envs.Wrong: "wrong"}[s.Role], d.Shapes[i+1].Answers))
		}
	}
	if got, want := strings.Join(texts, " "), "10 3 2 orders 10 1 1 1 4 orders 5 5 3 3 orders 5 5 = 10"; got != want {
		t.Errorf("the drawing says %q, want %q", got, want)
	}
	if got, want := strings.Join(marks, ", "), "right[0 2], wrong[1]"; got != want {
		t.Errorf("marked are %q, want %q", got, want)
	}
}

// TestManyModes: a picture that leaves modes out counts them, and leaves out no mode with
// an answer.
func TestManyModes(t *testing.T) {
	e := build(t, func(c *Config) {
		c.Denominations, c.Kinds, c.MostCoins, c.AmountMin, c.AmountMax, c.MinModes = []int{1, 2, 3, 4, 5, 6, 7, 8}, 6, 9, 30, 30, 50
	})
	problem, err := e.Problem(envs.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := problem.(*Problem)
	modes := p.Truth().Modes
	last, err := p.AnswerTokens(string(modes[len(modes)-1]))
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Picture(); !strings.Contains(text, "\n  and ") {
		t.Errorf("the picture of %d modes leaves none out:\n%s", len(modes), text)
	}
	d := p.Drawing(envtest.Attempts(p, last)...)
	if len(modes) <= mostRows || d.Height != mostRows*step || !strings.Contains(d.Note, "Not drawn: ") {
		t.Errorf("of %d modes the drawing is %v points high, with the note %q", len(modes), d.Height, d.Note)
	}
	if !slices.ContainsFunc(d.Shapes, func(s envs.Shape) bool { return s.Role == envs.Right }) {
		t.Error("the mode with an answer is left out")
	}
}
