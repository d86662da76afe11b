package countdown

import (
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

// shape writes a tree with its signs before its operands.
func (t *exprTree) shape() string {
	if t.text != "" {
		return t.text
	}
	var parts []string
	for _, part := range t.parts {
		parts = append(parts, part.shape())
	}
	return strings.Join(t.signs, "") + "(" + strings.Join(parts, " ") + ")"
}

// TestTreesFlattenSumsAndProducts: grouping does not show in a tree, order and inverses do.
func TestTreesFlattenSumsAndProducts(t *testing.T) {
	for text, want := range map[string]string{
		"7": "7", "1+2+3": "++(1 2 3)", "1+(2-3)": "+−(1 2 3)", "1-(2-3)": "−+(1 2 3)", "1-(2+3)": "−−(1 2 3)",
		"6/(2/3)": "÷×(6 2 3)", "(1+2)*3": "×(+(1 2) 3)", "2*3+4/5": "+(×(2 3) ÷(4 5))", "-(1+2)": "−(+(1 2))",
	} {
		tree, err := parsedTree(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.shape(); got != want {
			t.Errorf("%s has the tree %s, want %s", text, got, want)
		}
	}
}

// TestTreesKeepApart: numbers do not overlap, and an operation is between its outer operands.
func TestTreesKeepApart(t *testing.T) {
	tree, err := parsedTree("(100+2)*3-400/(5-6)-7")
	if err != nil {
		t.Fatal(err)
	}
	right, bottom := tree.place(0, 0)
	if want := 3*treeLevel + chipHeight; bottom != want {
		t.Errorf("the tree is %g high, want %g", bottom, want)
	}
	edge := -partGap
	var check func(pos *exprTree)
	check = func(pos *exprTree) {
		if pos.text == "" {
			for _, part := range pos.parts {
				check(part)
			}
			if first, last := pos.parts[0].x, pos.parts[len(pos.parts)-1].x; pos.x < first || pos.x > last {
				t.Errorf("an operation at %g, its operands from %g to %g", pos.x, first, last)
			}
			return
		}
		half := chipWidth(pos.text) / 2
		if pos.x-half < edge+partGap-1e-9 || pos.x+half > right+1e-9 {
			t.Errorf("%s reaches from %g to %g, want from %g, at most to %g", pos.text, pos.x-half, pos.x+half, edge+partGap, right)
		}
		edge = pos.x + half
	}
	check(tree)
}

// TestDrawingShowsModes: correct modes with answers come first, with a count, incorrect ones
// below with their results.
func TestDrawingShowsModes(t *testing.T) {
	made, err := Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	q, err := made.Problem(envs.Train, 3)
	if err != nil {
		t.Fatal(err)
	}
	p := q.(*Problem)
	modes := p.Truth().Modes
	last := modes[len(modes)-1]
	wrong := strings.Join(strings.Split(list(p.given()), ", "), "+")
	d := p.Drawing(
		envs.Attempt{Text: wrong, Verdict: p.JudgeText(wrong)},
		envs.Attempt{Verdict: &envs.Verdict{Mode: last, Correct: true}})
	var heads []string
	var counts [][]int
	for _, s := range d.Shapes {
		if s.Role == envs.Head {
			heads = append(heads, s.Text)
		}
		if s.Kind == envs.Count {
			counts = append(counts, s.Answers)
		}
	}
	if heads[0] != string(last) || len(heads) != len(modes)+2 || heads[len(modes)] != "Incorrect answers" {
		t.Errorf("the heads are %q, want %q first of %d, then the incorrect answer", heads, last, len(modes))
	}
	if len(counts) != 2 || !slices.Equal(counts[0], []int{1}) || !slices.Equal(counts[1], []int{0}) {
		t.Errorf("counts of the answers %v, want 1 and then 0", counts)
	}
	if !slices.ContainsFunc(d.Shapes, func(s envs.Shape) bool { return strings.HasPrefix(s.Text, "gives ") }) {
		t.Error("the drawing lacks the result of the incorrect answer")
	}
}
