package draw

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestPlace: of a crowd of marks, each has a text, and none lies on another text, on a mark, on a
// line, or outside.
func TestPlace(t *testing.T) {
	within := vg.Rectangle{Max: vg.Point{X: 450, Y: 300}}
	taken := []vg.Rectangle{{Min: vg.Point{X: 200, Y: 100}, Max: vg.Point{X: 280, Y: 120}}}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var tags []Tag
		for i := range 100 {
			at := vg.Point{X: vg.Length(450 * r.Float64()), Y: vg.Length(300 * r.Float64())}
			if i%2 == 0 { // half of them in a corner
				at.X, at.Y = 0.3*at.X+300, 0.3*at.Y+100
			}
			tags = append(tags, Tag{At: at, Radius: 2, Texts: []string{"method " + strconv.Itoa(i), strconv.Itoa(i)}, Font: SmallFont, Ink: Black})
		}
		names, texts := 0, 0
		placed := Place(tags, within, taken)
		for i, p := range placed {
			if p.Text == "" {
				continue
			}
			texts++
			if p.Text == p.Texts[0] {
				names++
			}
			if overlap(p.Box, taken[0]) || p.Box.Min.X < 0 || p.Box.Max.X > 450 || p.Box.Min.Y < 0 || p.Box.Max.Y > 300 {
				t.Errorf("seed %d: %q at %v", seed, p.Text, p.Box)
			}
			for j, o := range placed {
				if j != i && overlap(p.Box, Around(o.At, o.Radius)) {
					t.Errorf("seed %d: %q lies on the mark of %q", seed, p.Text, o.Texts[0])
				}
				if j < i && o.Text != "" && overlap(p.Box, o.Box) {
					t.Errorf("seed %d: %q lies on %q", seed, p.Text, o.Text)
				}
				if j != i && o.Text != "" && o.Leads() && crosses(o.From, o.To, p.Box) {
					t.Errorf("seed %d: %q lies on the line of %q", seed, p.Text, o.Text)
				}
			}
		}
		t.Logf("seed %d: %d names, %d texts", seed, names, texts)
		if texts != len(tags) || names < len(tags)/3 {
			t.Errorf("seed %d: %d names and %d texts of %d", seed, names, texts, len(tags))
		}
	}
}

// TestCross: by hand.
func TestCross(t *testing.T) {
	at := func(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }
	if !cross(at(0, 0), at(2, 2), at(0, 2), at(2, 0)) || cross(at(0, 0), at(2, 2), at(3, 0), at(3, 9)) || cross(at(0, 0), at(1, 1), at(0, 3), at(3, 0)) {
		t.Error("lines that cross")
	}
	box := vg.Rectangle{Min: at(1, 1), Max: at(2, 2)}
	if !crosses(at(0, 1.5), at(3, 1.5), box) || !crosses(at(1.5, 1.5), at(9, 9), box) || crosses(at(0, 0), at(3, 0.5), box) {
		t.Error("a line through a box")
	}
}
