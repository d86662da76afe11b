package problem

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/envs/bandit"
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
			want: []string{"answers", "2", "2 of the 5 answers given do not parse."},
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

// Each mark is in the row of the arm that was answered.
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
	d := problemSVG(t, "bandit", banditProblem(t, nil))
	for _, style := range []string{"fill:#0072B2", "fill:#E69F00", "fill:#009E73", "fill:#F0E442"} {
		if n := d.Paths(style); n != 2 {
			t.Errorf("%d areas with %s, want a bar and its entry in the legend", n, style)
		}
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

func TestUndrawableProblems(t *testing.T) {
	wantError(t, "maez", scripted{}, nil, "maez train/7: such problems cannot be drawn")
	if CanDraw(scripted{}) {
		t.Error("a problem without a drawing can be drawn")
	}
	if _, err := DrawPools(PoolSheet{Rows: [][]Pool{{{Variant: "a", Problem: scripted{}}}}}); err == nil || err.Error() != "variant a: such problems cannot be drawn" {
		t.Errorf("error %v", err)
	}
}

// TestPoolsShareADrawing: pools of a problem have a picture each under their heads, one legend and
// one table with a column for each; another problem has a section of its own.
func TestPoolsShareADrawing(t *testing.T) {
	p := banditProblem(t, nil)
	sheet := PoolSheet{Title: "Pools", Rows: [][]Pool{{
		{Head: "first", Problem: p, Answers: [][]envs.Token{{3}, {3}}}, {Head: "second", Problem: p, Answers: [][]envs.Token{{3}, {11}, {}}},
	}}}
	draws := func() drawtest.Drawing {
		f, err := DrawPools(sheet)
		if err != nil {
			t.Fatal(err)
		}
		return drawtest.Read(t, f)
	}
	d := draws()
	drawtest.WantTexts(t, d, "Pools", "first", "second", "1 of the 5 answers given does not parse.")
	if n := len(d.All("base probability")); n != 1 {
		t.Errorf("%d tables, want 1", n)
	}
	sheet.Rows[0][1].Problem = banditProblem(t, func(c *bandit.Config) { c.Modes = 8 })
	if n := len(draws().All("base probability")); n != 2 {
		t.Errorf("%d tables of two problems, want 2", n)
	}
}
