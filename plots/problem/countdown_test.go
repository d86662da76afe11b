package problem

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/countdown"
	"modebench/internal/arith"
	"modebench/plots/draw/drawtest"
)

// setpoCountdown is the problem of SetPO's app. G.2: 12 strings of 2 modes.
func setpoCountdown() scripted {
	return scripted{
		fields: map[string]any{"numbers": []int{3, 21, 24, 54}, "target": 63, "solutions": []countdownMode{
			{Mode: "54/3+24+21", Answer: "54/3+24+21", Variants: 6},
			{Mode: "(24-21)*3+54", Answer: "54-(21-24)*3", Variants: 6},
		}},
		script: []scriptedVerdict{
			{"54-(21-24)*3", "(24-21)*3+54", true},
			{"54-3*(21+24)", "54-(24+21)*3", false},
			{"54*21/(24-3*8)", "54*21/(24-8*3)", false},
			{"54+21", "", false},
			{"54+21+24+3", "54+24+21+3", false},
		},
	}
}

// A picture without answers has a tree for each mode.
func TestCountdownShowsItsModes(t *testing.T) {
	p := setpoCountdown()
	d := problemSVG(t, "countdown", p)
	drawtest.WantTexts(t, d, "countdown train/7: 2 modes, 12 strings", "Make 63 from 3 21 24 54", "54/3+24+21", "(24-21)*3+54", "6 strings")
	signs := map[string]int{plusSign: 3, minusSign: 1, timesSign: 1, overSign: 1}
	for sign, want := range signs {
		if n := len(d.All(sign)); n != want {
			t.Errorf("%d signs %s, want %d", n, sign, want)
		}
	}
	for _, number := range []string{"3", "21", "24", "54"} {
		if n := len(d.All(number)); n != 3 {
			t.Errorf("the number %s stands %d times, want once above and in two trees", number, n)
		}
	}
	if strings.Contains(d.Joined(), "given") || strings.Contains(d.Joined(), "Incorrect") {
		t.Errorf("a picture without answers speaks of them: %s", d.Joined())
	}
}

// Every number has its colour in all trees, and equal ones share it.
func TestNumbersKeepTheirColours(t *testing.T) {
	fills := numberFills([]int64{7, 7, 3, 9})
	if len(fills) != 3 || fills[7] == fills[3] || fills[3] == fills[9] {
		t.Errorf("got %v", fills)
	}
	d := problemSVG(t, "countdown", setpoCountdown())
	if n := d.Paths("fill:#F0E442"); n != 3 {
		t.Errorf("%d boxes of the second number, want 3", n)
	}
}

// Answers are counted in their mode's card, incorrect ones have trees below.
func TestCountdownShowsAnswers(t *testing.T) {
	p := setpoCountdown()
	d := problemSVG(t, "countdown", p, scriptedAnswers(0, 2, 1, 1, 0, 3, 0, 9, 4)...)
	drawtest.WantTexts(t, d, "Incorrect answers", "gives -81", "gives 102", "division by zero", "given, and how often",
		"Degenerate, without a mode: 1 of the 9 answers given.", "1 of the 9 answers given does not parse.")
	foot := d.All("6 strings")[1]
	if !slices.ContainsFunc(d.All("3"), func(count drawtest.Text) bool {
		return math.Abs(count.Bottom-foot.Bottom) < 0.1 && count.Left > foot.Right
	}) {
		t.Error("the count of the correct mode is not in its card")
	}
	// The mode given most often comes first.
	often, once := d.Find(t, "gives -81"), d.Find(t, "gives 102")
	if often.Left > once.Left {
		t.Error("incorrect modes are not in the order of their numbers")
	}
	none := problemSVG(t, "countdown", p, []envs.Token{9})
	if drawtest.WantTexts(t, none, "The answer given does not parse."); strings.Contains(none.Joined(), "how often") {
		t.Error("a legend of marks that there are not")
	}
	p.script[0].mode = "elsewhere"
	wantError(t, "countdown", p, scriptedAnswers(1, 0), `answer 2: the mode "elsewhere" is correct and not among the solutions`)
}

// Of many modes those with answers are drawn first, and all are counted.
func TestCountdownWithManyModes(t *testing.T) {
	p := setpoCountdown()
	var solutions []countdownMode
	for i := range 40 {
		text := fmt.Sprintf("%d+3", 10+i)
		solutions = append(solutions, countdownMode{Mode: text, Answer: text, Variants: i + 1})
	}
	p.fields["solutions"] = solutions
	p.script = []scriptedVerdict{{"45+3", "45+3", true}}
	d := problemSVG(t, "countdown", p, scriptedAnswers(0)...)
	drawtest.WantTexts(t, d, "40 modes, 820 strings", "45+3", "Not drawn: 28 modes more, with 718 strings.")
	if d.Has("21+3") || !d.Has("20+3") {
		t.Error("not the first modes are shown beside the one with an answer")
	}
}

func TestTreeOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"7", "7"},
		{"1+2+3-4", "[1 + 2 + 3 − 4]"},
		{"1-(2-3)", "[1 − 2 + 3]"},
		{"1-(2-(3-4))", "[1 − 2 + 3 − 4]"},
		{"8/(4/2)", "[8 ÷ 4 × 2]"},
		{"2*3/4*5", "[2 × 3 ÷ 4 × 5]"},
		{"(1+2)*3", "[[1 + 2] × 3]"},
		{"1+2*3", "[1 + [2 × 3]]"},
		{"-(1+2)*3", "[[−[1 + 2]] × 3]"},
		{"1-(-2)", "[1 − [−2]]"},
	} {
		nodes, err := arith.Parse(nil, c.text)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := treeOf(nodes)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(tree); got != c.want {
			t.Errorf("%s is %s, want %s", c.text, got, c.want)
		}
	}
}

func written(e *exprTree) string {
	if e.text != "" {
		return e.text
	}
	if len(e.parts) == 1 {
		return "[" + e.signs[0] + written(e.parts[0]) + "]"
	}
	words := []string{written(e.parts[0])}
	for i, p := range e.parts[1:] {
		words = append(words, e.signs[i], written(p))
	}
	return "[" + strings.Join(words, " ") + "]"
}

// Numbers and signs of one level keep apart, and none leaves the room that the
// tree says it takes.
func TestTreesKeepApart(t *testing.T) {
	for _, text := range []string{"12+3", "(1+2)*(30+400)", "1*2*3*4", "((1+2)*3-4)/5", "1+2/(3-4*5)", "-(1+2)", "1/(2+3)+4*5*6-7"} {
		nodes, err := arith.Parse(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := treeOf(nodes)
		if err != nil {
			t.Fatal(err)
		}
		tree.place()
		width, height := tree.size()
		levels := map[float64][][2]float64{}
		tree.each(func(e *exprTree) {
			half := chipWidth(e.text) / 2
			low, high := e.at.X-half, e.at.X+half
			if e.text == "" {
				places := e.signPlaces()
				low, high = places[0]-signSize/2, places[len(places)-1]+signSize/2
			}
			if low < -1e-9 || high > width+1e-9 || -e.at.Y+chipHeight/2 > height+1e-9 {
				t.Errorf("%s: what is at %v leaves the tree's %v x %v", text, e.at, width, height)
			}
			levels[e.at.Y.Points()] = append(levels[e.at.Y.Points()], [2]float64{low.Points(), high.Points()})
		})
		for _, level := range levels {
			slices.SortFunc(level, func(a, b [2]float64) int { return int(math.Copysign(1, a[0]-b[0])) })
			for i := 1; i < len(level); i++ {
				if level[i][0] < level[i-1][1]+1 {
					t.Errorf("%s: neighbours touch: %v", text, level)
				}
			}
		}
	}
}

func TestCountdownErrors(t *testing.T) {
	type solution map[string]any
	sum := strings.Repeat("1+", 20) + "1"
	checkFieldErrors(t, "countdown", setpoCountdown, []fieldError{
		{"no numbers", "numbers", []int{}, `the problem has no numbers to draw`},
		{"many numbers", "numbers", make([]int, 17), `the problem has 17 numbers, and at most 16 can be drawn`},
		{"no field", "target", nil, `the problem has no field "target"`},
		{"another type", "target", "many", `field "target": json: cannot unmarshal string`},
		{"no solutions", "solutions", []solution{}, `the problem has no solutions to draw`},
		{"no expression", "solutions", []solution{{"mode": "A", "answer": "54+", "variants": 1}}, `solutions[0]: answer "54+": `},
		{"a large expression", "solutions", []solution{{"mode": sum, "variants": 1}}, `solutions[0]: the expression has 21 numbers, and a tree of at most 16 can be drawn`},
		{"no variants", "solutions", []solution{{"mode": "1", "variants": 0}}, `solutions[0]: the mode has 0 variants, want at least 1`},
	})
}

// A mode that is no expression is headed by its answer.
func TestCountdownModeWithoutExpression(t *testing.T) {
	p := setpoCountdown()
	p.fields["solutions"] = []countdownMode{{Mode: "54:3+24+21", Answer: "54/3+24+21", Variants: 1}}
	if d := problemSVG(t, "countdown", p); !d.Has("54/3+24+21") {
		t.Errorf("got %s", d.Joined())
	}
}

func TestCountdownSketches(t *testing.T) {
	config := func(change func(*countdown.Config)) *countdown.Config {
		c := countdown.Default()
		change(c)
		return c
	}
	plain := countdown.Default()
	drawSketches(t, "countdown", 80_000, []problemSketch{
		{name: "plain", config: plain, index: 57, want: []string{"countdown train/57: ", "Make", "A tree for each mode"}},
		{name: "many", config: plain, index: 2, answers: 1, want: []string{"Make"}},
		{name: "pool", config: plain, index: 3, answers: 64, want: []string{"Incorrect answers", "other modes."}},
		{name: "ood", config: plain, split: envs.OOD, index: 1, answers: 10, want: []string{"Make"}},
		{name: "three", config: config(func(c *countdown.Config) { c.Numbers, c.MinModes = 3, 1 }), want: []string{"Make"}},
		{name: "five", config: config(func(c *countdown.Config) {
			c.Numbers, c.MinNumber, c.MaxNumber, c.TargetMax, c.MinModes = 5, 100, 400, 999, 1
		}), answers: 30, want: []string{"Incorrect answers"}},
		{name: "once", config: config(func(c *countdown.Config) { c.AtMostOnce = true }), index: 14, answers: 8, want: []string{"Make"}},
	})
}
