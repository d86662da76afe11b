package problem

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
)

// banditProblem is problem 0 of the split train of a bandit.
func banditProblem(t *testing.T, change func(*bandit.Config)) envs.Problem {
	t.Helper()
	p, _ := problemSketch{config: banditConfig(change)}.generate(t)
	return p
}

func banditConfig(change func(*bandit.Config)) *bandit.Config {
	c := bandit.Default()
	if change != nil {
		change(c)
	}
	return c
}

// TestBanditSketches draws bandits easy and awkward.
func TestBanditSketches(t *testing.T) {
	drawSketches(t, "bandit", 110_000, []problemSketch{
		{name: "default", config: banditConfig(nil), want: []string{"bandit train/0: 12 modes, 4 correct", "m11", "A8", "0.083", "8 modes"}},
		{
			name: "answers", config: banditConfig(nil), given: [][]envs.Token{{3}, {3}, {11}, {}, {99}},
			want: []string{"given", "2", "2 of the 5 answers given do not parse."},
		},
		{name: "zipf", config: banditConfig(func(c *bandit.Config) { c.Start = "zipf" }), want: []string{"0.322"}},
		{
			name: "arms", config: banditConfig(func(c *bandit.Config) { c.ArmsPerMode = 4 }), given: [][]envs.Token{{14}},
			want: []string{"bandit train/0: 12 modes, 4 correct, 48 arms", "m03.2", "0.021"},
		},
		{
			name:   "arms and components",
			config: banditConfig(func(c *bandit.Config) { c.ArmsPerMode, c.Components, c.Start = 4, 3, "zipf" }), given: [][]envs.Token{{0}},
			want: []string{"(0, 0, 1)", "0.0806"},
		},
		{name: "components", config: banditConfig(func(c *bandit.Config) { c.Components, c.Collinearity = 3, 0.25 }), want: []string{"(1, 0.25, 0.25)"}},
		{
			name:   "many components",
			config: banditConfig(func(c *bandit.Config) { c.Components, c.Collinearity, c.Modes, c.Rewarded = 64, 0.123, 40, 12 }),
			want:   []string{"(11×0.0666, 0.944, 52×0.0666)", "(64×0)", "5 other modes"},
		},
		{
			name: "a mode a bar", config: banditConfig(func(c *bandit.Config) { c.ArmsPerMode, c.Form, c.Modes = 10, "shared", 60 }), given: [][]envs.Token{{7}, {8}},
			want: []string{"arms", "10", "600 arms"},
		},
		{
			name:   "hundreds of modes",
			config: banditConfig(func(c *bandit.Config) { c.ArmsPerMode, c.Modes, c.Rewarded, c.Start = 3, 500, 100, "zipf" }), given: [][]envs.Token{{1499}},
			want: []string{"76 more", "376 more", "m499", "several", "93 other modes"},
		},
		{name: "one mode", config: banditConfig(func(c *bandit.Config) { c.Modes, c.Rewarded, c.ArmsPerMode = 1, 1, 50 }), want: []string{"m0.49", "bandit train/0: 1 mode, 1 correct, 50 arms"}},
		{name: "one arm", config: banditConfig(func(c *bandit.Config) { c.Modes, c.Rewarded = 1, 1 }), want: []string{"bandit train/0: 1 mode, 1 correct", "1.000"}},
		{name: "no correct mode", config: banditConfig(func(c *bandit.Config) { c.Rewarded = 0 }), want: []string{"bandit train/0: 12 modes, 0 correct", "12 modes"}},
		{name: "all on one arm", config: banditConfig(func(c *bandit.Config) { c.Start, c.Zipf = "zipf", 50 }), want: []string{"<0.001", "1.000"}},
	})
}

// Each mark stands in the row of the arm that was answered.
func TestAnswersStandInTheirRow(t *testing.T) {
	d := problemSVG(t, "bandit", banditProblem(t, nil), scriptedAnswers(3, 11, 3, 3)...)
	count := d.Find(t, "3")
	row := slices.IndexFunc(d.Texts, func(x drawtest.Text) bool { return x.Text == "m03" && math.Abs(x.Bottom-count.Bottom) < 0.1 })
	if row < 0 {
		t.Errorf("the count of m03 at height %g is not in its row", count.Bottom)
	}
}

// A mode has the colour that it has in a run's figure of modes.
func TestCorrectModesHaveTheRiversColours(t *testing.T) {
	for _, modes := range []int{1, 4, 7} {
		p := banditProblem(t, func(c *bandit.Config) { c.Rewarded, c.Start = modes, "zipf" })
		var arms []banditArm
		if err := readField(p, "arms", &arms); err != nil {
			t.Fatal(err)
		}
		var correct []draw.ModeKey
		size := map[draw.ModeKey]float64{}
		for i, a := range arms { // the river's masses are others
			if a.Correct {
				correct = append(correct, a.key())
				size[a.key()] = 0.01 + 0.01*float64(i*i%7)
			}
		}
		river, fills := fillsOf(draw.AppendRewarded(nil, correct, size)), fillsOf(colouredModes(byMembership(arms)))
		if len(fills) != modes {
			t.Errorf("%d modes have colours, want %d", len(fills), modes)
		}
		for key, fill := range fills {
			if fill != river[key] {
				t.Errorf("%d correct modes: %s is %v, in the river %v", modes, key.Name, fill, river[key])
			}
		}
	}
	d := problemSVG(t, "bandit", banditProblem(t, nil))
	for _, style := range []string{"fill:#0072B2", "fill:#E69F00", "fill:#009E73", "fill:#F0E442"} {
		if n := d.Paths(style); n != 2 {
			t.Errorf("%d areas with %s, want a bar and its entry in the legend", n, style)
		}
	}
}

// What is lumped loses no arm, no mass and no answer.
func TestLumpedKeepsAll(t *testing.T) {
	p := banditProblem(t, func(c *bandit.Config) { c.ArmsPerMode, c.Modes, c.Rewarded, c.Start = 3, 500, 100, "zipf" })
	var arms []banditArm
	if err := readField(p, "arms", &arms); err != nil {
		t.Fatal(err)
	}
	if n := countAnswers(p, arms, [][]envs.Token{{0}, {299}, {1499}, {700}, {}}); n != 1 {
		t.Errorf("%d answers do not parse, want 1", n)
	}
	groups := lumped(byMembership(arms))
	if len(groups) != 2*(maxBarGroups+1) {
		t.Errorf("%d rows, want %d", len(groups), 2*(maxBarGroups+1))
	}
	count, mass, answered := 0, 0.0, 0
	for _, g := range groups {
		count, mass, answered = count+len(g.arms), mass+g.base(), answered+g.answered()
		if g.isRest() && g.answered() > 0 {
			t.Errorf("%s hides a mode with answers", g.title())
		}
	}
	if count != 1500 || math.Abs(mass-1) > 1e-9 || answered != 4 {
		t.Errorf("%d arms, mass %g, %d answers; want 1500, 1 and 4", count, mass, answered)
	}
}

func TestProblemDrawingIsDeterministic(t *testing.T) {
	shared := banditProblem(t, func(c *bandit.Config) { c.Form = "shared" })
	for env, p := range map[string]envs.Problem{
		"bandit": shared,
	} {
		for _, ext := range []string{".svg", ".png", ".pdf"} {
			var want []byte
			for range 3 {
				f, err := Draw(env, p, [][]envs.Token{{2}})
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), "problem"+ext)
				if err := f.Save(path); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s as %s: two drawings differ", env, ext)
				}
			}
		}
	}
}

func TestDrawProblemErrors(t *testing.T) {
	arm := func(name, value any) map[string]any {
		return map[string]any{"arms": []map[string]any{{"arm": name, "base": value}}}
	}
	for _, c := range []struct {
		reason, env string
		fields      map[string]any
		want        string
	}{
		{"unknown environment", "maez", nil, `problems of environment "maez" cannot be drawn`},
		{"no field", "bandit", nil, `bandit train/7: the problem has no field "arms"`},
		{"field of another type", "bandit", map[string]any{"arms": 3}, `bandit train/7: field "arms": json: cannot unmarshal number`},
		{"field that JSON cannot hold", "bandit", arm("a", math.NaN()), `bandit train/7: field "arms": json: unsupported value: NaN`},
		{"no arms", "bandit", map[string]any{"arms": []int{}}, `bandit train/7: the problem has no arms to draw`},
		{"below zero", "bandit", arm("a", -0.5), `bandit train/7: arm a: base is -0.5, want a probability`},
		{"above one", "bandit", arm("a", 1.5), `bandit train/7: arm a: base is 1.5, want a probability`},
	} {
		t.Run(c.reason, func(t *testing.T) { wantError(t, c.env, scripted{fields: c.fields}, nil, c.want) })
	}
}

// The arms of problems from elsewhere may have any names and rewards.
func TestForeignArms(t *testing.T) {
	long := strings.Repeat("a very long name ", 20)
	arms := []map[string]any{
		{"arm": long, "mode": "x", "reward": []float64{1.0 / 3, 2.0 / 3, 1e-9, -5, 7, 1234567}, "correct": true, "answer": long, "base": 0.5},
		{"arm": "\x00b", "mode": "y", "reward": nil, "answer": "", "base": 0.5},
		{"arm": "c", "mode": "x", "reward": []float64{0}, "answer": "A", "base": 0},
	}
	d := problemSVG(t, "bandit", scripted{fields: map[string]any{"arms": arms}})
	drawtest.WantTexts(t, d, "mode", "a very long name", "...", "bandit train/7: 3 modes, 1 correct")
}

func TestVectorText(t *testing.T) {
	for _, c := range []struct {
		reward []float64
		want   string
	}{
		{[]float64{0.5}, "0.5"},
		{nil, "()"},
		{[]float64{1, 1, 1}, "(1, 1, 1)"},
		{[]float64{1, 1, 1, 0}, "(3×1, 0)"},
		{[]float64{0, 0.25, 0, 1}, "(0, 0.25, 0, 1)"},
	} {
		if got := vectorText(c.reward); got != c.want {
			t.Errorf("%v is written %s, want %s", c.reward, got, c.want)
		}
	}
}
