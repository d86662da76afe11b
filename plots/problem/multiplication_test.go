package problem

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/envs/multiplication"
	"modebench/plots/draw/drawtest"
)

func variants(n int64) *int64 { return &n }

// smallProduct has three of the families of 343 x 67, the paper's among them.
func smallProduct() scripted {
	return scripted{
		fields: map[string]any{"a": 343, "b": 67, "families": []productFamily{
			{Mode: "plain*near", Answer: "343*(70-3) = 343*70-343*3 = 24010-1029 = 22981", Variants: variants(2)},
			{Mode: "place*near", Answer: "(340+3)*(70-3) = 340*70-340*3+3*70-3*3 = 23800-1020+210-9 = 22981", Variants: variants(6)},
			{Mode: "factor*plain", Answer: "(7*49)*67 = 7*49*67 = 22981", Variants: variants(2)},
		}},
		script: []scriptedVerdict{
			{"", "place*near", true}, {"", "place*near", false}, {"", "", false}, {"", "split*split", false}, {"", "factor*plain", true},
		},
	}
}

// The picture is a table of area models below an example with all its numbers.
func TestProductShowsItsFamilies(t *testing.T) {
	d := problemSVG(t, "multiplication", smallProduct())
	drawtest.WantTexts(t, d, "multiplication train/7: 343 × 67, 3 families", "place*near", "(340+3)*(70-3)", "= 22981",
		"23800", "−1020", "210", "−9", "−3", "plain", "factor", "340+3", "70-3", "7*49")
	at := func(text string) drawtest.Text { return d.Find(t, text) }
	if !(at("plain").Left < at("near").Left && at("340+3").Bottom > at("7*49").Bottom) {
		t.Error("kinds are not in their order")
	}
	if n := len(d.All("–")); n != 3 {
		t.Errorf("%d cells without a family have a dash, want 3", n)
	}
	if strings.Contains(d.Joined(), "given") {
		t.Errorf("a picture without answers speaks of them: %s", d.Joined())
	}
	// The partial products stand where the terms cross.
	if x, y := at("23800"), at("−1020"); x.Right > y.Left || math.Abs(x.Bottom-y.Bottom) > 0.1 {
		t.Error("340*70 and 340*3 are not side by side")
	}
	if x, y := at("23800"), at("210"); y.Top > x.Bottom {
		t.Error("3*70 is not below 340*70")
	}
}

func TestProductShowsAnswers(t *testing.T) {
	p := smallProduct()
	d := problemSVG(t, "multiplication", p, scriptedAnswers(0, 1, 0, 2, 9, 0)...)
	drawtest.WantTexts(t, d, "times given", "with a wrong product",
		"Degenerate, without a mode: 1 of the 6 answers given.", "1 of the 6 answers given does not parse.")
	// The 3 right answers and the wrong one stand below the 6 variants.
	six := d.All("6")[len(d.All("6"))-1]
	below := func(text string) bool {
		return slices.ContainsFunc(d.All(text), func(x drawtest.Text) bool {
			return x.Top < six.Bottom+3 && x.Top > six.Bottom-12 && math.Abs(x.Left-six.Left) < 30
		})
	}
	if !below("3") || !below("1") {
		t.Errorf("the counts are not in the cell of the 6 variants: %s", d.Joined())
	}
	if d := problemSVG(t, "multiplication", p, scriptedAnswers(4)...); strings.Contains(d.Joined(), "wrong product") {
		t.Error("a legend of a mark that there is not")
	}
	wantError(t, "multiplication", p, scriptedAnswers(0, 3), `answer 2: the mode "split*split" is not among the families`)
}

// Equal operands leave half the table empty, and the note says why. Where strips
// are left out of both sides there is one row of dots, not two.
func TestProductOfEqualOperands(t *testing.T) {
	const both = "Both orders are one family."
	p := scripted{fields: map[string]any{"a": 667, "b": 667, "families": []productFamily{
		{Mode: "factor*factor", Answer: "(23*29)*(23*29) = 23*29*23*29 = 444889", Variants: variants(1)},
	}}}
	d := problemSVG(t, "multiplication", p)
	drawtest.WantTexts(t, d, both)
	dots := 0
	for _, style := range d.Fills {
		if style == "" { // black
			dots++
		}
	}
	if dots != 6 {
		t.Errorf("%d dots, want 3 in the example and 3 in the table", dots)
	}
	if d := problemSVG(t, "multiplication", smallProduct()); strings.Contains(d.Joined(), both) {
		t.Error("343 and 67 are not equal")
	}
}

// Where no family adds for one operand and takes away for the other, the first
// one is the example, whatever it is.
func TestProductsOfOneFamily(t *testing.T) {
	for _, c := range []struct {
		family productFamily
		want   []string
	}{
		{productFamily{Mode: "near*near", Answer: "(350-7)*(70-3) = 350*70-350*3-7*70+7*3 = 24500-1050-490+21 = 22981"}, []string{"24500", "−1050", "−490", "21", "−7", "−3"}},
		{productFamily{Mode: "factor*plain", Answer: "(7*7*7)*67 = 7*7*7*67 = 22981"}, []string{"343", "22981", "7*7*7"}},
		{productFamily{Mode: "split*factor", Answer: "(171+172)*67 = 171*67+172*67 = 22981"}, []string{"11457", "11524"}},
		{productFamily{Mode: "split*split", Answer: "(400-50-7)*(30+40-3) = ?"}, []string{"16000", "−2000", "150", "21"}},
	} {
		p := smallProduct()
		p.fields["families"] = []productFamily{c.family}
		drawtest.WantTexts(t, problemSVG(t, "multiplication", p), append(c.want, "1 family", c.family.Mode)...)
	}
}

func TestOperandCuts(t *testing.T) {
	always := func(size vg.Length) func(int) vg.Length { return func(int) vg.Length { return size } }
	scale := sideScale{length: 60, least: always(5), taken: always(4)}
	for _, c := range []struct {
		reason string
		cut    operandCut
		check  func(s cutSide) bool
	}{
		{"one piece", operandCut{terms: []int64{343}}, func(s cutSide) bool { return len(s.added) == 1 && s.length == 60 && s.reach() == 60 }},
		{"pieces get shorter", operandCut{terms: []int64{300, 40, 3}}, func(s cutSide) bool {
			size := func(i int) vg.Length { return s.added[i].to - s.added[i].from }
			return size(0) > size(1) && size(1) > size(2) && size(2) >= 5 && s.added[2].to == s.length
		}},
		{"taken away beyond the operand", operandCut{terms: []int64{70, -3}}, func(s cutSide) bool {
			return math.Abs(float64(s.length-60)) < 1e-9 && s.taken[0].from == s.length && s.reach() == s.length+4 && math.Abs(float64(s.added[0].to-s.reach())) < 1e-9
		}},
		{"two taken away", operandCut{terms: []int64{60, 10, -2, -1}}, func(s cutSide) bool {
			return len(s.taken) == 2 && math.Abs(float64(s.reach()-s.length-8)) < 1e-9 && s.added[1].to-s.added[1].from >= 13
		}},
		{"equal parts", operandCut{factors: true, terms: []int64{49, 7}}, func(s cutSide) bool {
			return len(s.copies()) == 7 && s.length == 60 && s.broken == 0
		}},
		{"too many parts", operandCut{factors: true, terms: []int64{29, 23}}, func(s cutSide) bool {
			return len(s.copies()) == firstStrips+lastStrips && s.broken > 0
		}},
	} {
		if s := c.cut.cut(scale); !c.check(s) {
			t.Errorf("%s: got %+v", c.reason, s)
		}
	}
}

func TestHatchingStaysInside(t *testing.T) {
	box := vg.Rectangle{Min: vg.Point{X: 10, Y: 20}, Max: vg.Point{X: 17, Y: 51}}
	for _, rising := range []bool{true, false} {
		path := hatched(box, rising)
		if len(path) < 8 {
			t.Errorf("only %d points", len(path))
		}
		for _, p := range path {
			if !within(vg.Rectangle{Min: p.Pos, Max: p.Pos}, box) {
				t.Errorf("%v is outside of %v", p.Pos, box)
			}
		}
	}
}

func TestVariantsText(t *testing.T) {
	for _, c := range []struct {
		n    *int64
		want string
	}{{variants(1), "1"}, {variants(999_999), "999999"}, {variants(1_000_000), "1.0e6"}, {variants(1_260_000), "1.3e6"}, {variants(9_960_000), "1.0e7"}, {variants(999_999_999), "1.0e9"}, {variants(1e15), "1.0e15"}, {variants(math.MaxInt64), "9.2e18"}, {nil, ">9e18"}} {
		if got := (productFamily{Variants: c.n}).variants(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestProductErrors(t *testing.T) {
	one := func(mode, answer string) []productFamily { return []productFamily{{Mode: mode, Answer: answer}} }
	checkFieldErrors(t, "multiplication", smallProduct, []fieldError{
		{"no families", "families", []productFamily{}, `the problem has no families to draw`},
		{"no field", "a", nil, `the problem has no field "a"`},
		{"another type", "b", "many", `field "b": json: cannot unmarshal string`},
		{"no kinds", "families", one("place", "343*67"), `families[0]: the mode is "place", want two kinds`},
		{"three kinds", "families", one("a*b*c", "343*67"), `families[0]: the mode is "a*b*c", want two kinds`},
		{"no expression", "families", one("plain*near", "343*"), `families[0]: answer "343*": `},
		{"no product", "families", one("plain*near", "343+67 = 410"), `families[0]: answer "343+67 = 410" begins with no product of two operands`},
		{"another operand", "families", one("plain*near", "343*(70-4)"), `families[0]: answer "343*(70-4)": operand 2 is written as 70-4, which is 66, want 67`},
		{"nested", "families", one("plain*near", "343*(2*30+7)"), `families[0]: answer "343*(2*30+7)": an operand is neither`},
		{"a quotient", "families", one("factor*plain", "(686/2)*67"), `families[0]: answer "(686/2)*67": an operand is neither`},
		{"zero", "families", one("split*plain", "(343+0)*67"), `families[0]: answer "(343+0)*67": an operand has the term 0, want numbers above 0`},
		{"many terms", "families", one("split*plain", "(335+1+1+1+1+1+1+1+1)*67"), `families[0]: answer "(335+1+1+1+1+1+1+1+1)*67": an operand has 9 terms, and at most 8`},
	})
}

func TestProductSketches(t *testing.T) {
	config := func(a, b int) *multiplication.Config {
		c := multiplication.Default()
		c.DigitsA, c.DigitsB = a, b
		return c
	}
	drawSketches(t, "multiplication", 80_000, []problemSketch{
		{name: "plain", config: config(2, 2), want: []string{"families", "split", "Not to scale."}},
		{name: "pool", config: config(2, 2), index: 2, answers: 64, want: []string{"times given", "with a wrong product"}},
		{name: "ood", config: config(2, 2), split: envs.OOD, want: []string{"families"}},
		{name: "three", config: config(3, 3), index: 1, answers: 20, want: []string{"families"}},
		{name: "large", config: config(4, 4), split: envs.OOD, index: 1, answers: 20, want: []string{">9e18"}},
	})
}
