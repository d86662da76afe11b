package plots

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"modebench/experiments/record"
	"modebench/plots/draw"
	"modebench/plots/draw/drawtest"
	"modebench/plots/numbers"
)

// ofMasses makes a seed with one evaluation: the masses of the rewarded modes in
// order, then one mode without reward and the degenerate one.
func ofMasses(plain, broken float64, rewarded ...float64) map[int]record.Eval {
	var e record.Eval
	for i, mass := range rewarded {
		e.Modes = append(e.Modes, record.Share{Mode: fmt.Sprintf("m%d", i), Correct: true, Mass: mass})
	}
	e.Modes = append(e.Modes, record.Share{Mode: "plain", Mass: plain}, record.Share{Mass: broken})
	return map[int]record.Eval{0: e}
}

func seedsOf(ids []int, seeds ...map[int]record.Eval) numbers.Evaluated {
	s := numbers.Evaluated{Evals: seeds, Variant: numbers.Variant{Steps: []int{0}}}
	s.Seeds = ids
	s.Rivers = s.RiversAt(s.Steps)
	return s
}

// Seeds that collapse onto different modes: the mean of each mode looks as if
// all were alive, the mean of each rank shows the collapse.
func TestRanksShowCollapse(t *testing.T) {
	s := seedsOf([]int{0, 1, 2, 3},
		ofMasses(0.1, 0.02, 0.8, 0.04, 0.04, 0), ofMasses(0.1, 0.02, 0, 0.8, 0.04, 0.04),
		ofMasses(0.1, 0.02, 0.04, 0, 0.8, 0.04), ofMasses(0.1, 0.02, 0.04, 0.04, 0, 0.8))
	layers, err := layersOf([]numbers.Variant{s.Variant})
	if err != nil {
		t.Fatal(err)
	}
	near := cmpopts.EquateApprox(0, 1e-12)
	for i, want := range []float64{0.22, 0.22, 0.22, 0.22, 0.1, 0.02} {
		if got := s.Rivers.Modes[i].Mass; math.Abs(got-want) > 1e-12 {
			t.Errorf("mode %d has a mean mass of %g, want %g", i, got, want)
		}
	}
	if diff := cmp.Diff([]float64{0.8, 0.84, 0.88, 0.88, 0.98, 1}, stack(s.Rivers, 0, byMode(layers)), near); diff != "" {
		t.Errorf("by mode, of the median seed: %s", diff)
	}
	by := byRank(layers)
	if diff := cmp.Diff([]float64{0.8, 0.84, 0.88, 0.88, 0.98, 1}, stack(s.Rivers, 0, by), near); diff != "" {
		t.Errorf("by rank: %s", diff)
	}
	var groups []int
	for _, l := range by.layers {
		groups = append(groups, l.group)
	}
	if diff := cmp.Diff([]int{rewardedMode, rewardedMode, rewardedMode, rewardedMode, plainModes, degenerate}, groups); diff != "" {
		t.Errorf("layers: %s", diff)
	}
}

// More rewarded modes than ranks: the smallest ones share a layer.
func TestRanksBeyondTheLast(t *testing.T) {
	s := seedsOf([]int{0}, ofMasses(0, 0, 0.01, 0.02, 0.03, 0.04, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4))
	layers, err := layersOf([]numbers.Variant{s.Variant})
	if err != nil {
		t.Fatal(err)
	}
	got := byRank(layers).split(s.Rivers, 0)
	want := []float64{0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.04, 0.06, 0, 0}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	var names []string
	for i := range rankLayers(layers) {
		names = append(names, rankName(i))
	}
	if got := strings.Join(names, ", "); got != "largest rewarded mode, 2nd, 3rd, 4th, 5th, 6th, 7th, 8th and smaller" {
		t.Errorf("names %s", got)
	}
}

// Nothing is rewarded: there are no ranks, and no layer is too many.
func TestNoRanks(t *testing.T) {
	s := seedsOf([]int{0}, map[int]record.Eval{0: {Modes: []record.Share{{Mode: "a", Mass: 0.4}, {Mode: "b", Mass: 0.6}}}})
	layers, err := layersOf([]numbers.Variant{s.Variant})
	if err != nil {
		t.Fatal(err)
	}
	if got := stack(s.Rivers, 0, byRank(layers)); !cmp.Equal(got, []float64{1}) {
		t.Errorf("got %v", got)
	}
}

func TestMedianSeed(t *testing.T) {
	even, two, one := ofMasses(0, 0, 0.25, 0.25, 0.25, 0.25), ofMasses(0, 0, 0, 0.5, 0.5, 0), ofMasses(0, 0, 0, 0, 0, 1)
	// The same masses in another order differ in the last bits of the entropy.
	odd, ddo := ofMasses(0.1, 0.3, 0.2, 0.15, 0.25), ofMasses(0.25, 0.15, 0.3, 0.2, 0.1)
	for _, c := range []struct {
		why  string
		s    numbers.Evaluated
		want int
	}{
		{"alone", seedsOf([]int{7}, two), 7},
		{"in the middle", seedsOf([]int{0, 1, 2}, even, one, two), 2},
		{"the lower of two", seedsOf([]int{0, 1}, even, one), 1},
		{"the lower of the middle two", seedsOf([]int{0, 1, 2, 3}, even, even, two, one), 2},
		{"of equals the lowest seed", seedsOf([]int{3, 9, 2, 1}, one, two, two, even), 2},
		{"equal but for rounding", seedsOf([]int{1, 0, 2}, odd, ddo, odd), 0},
	} {
		if got := c.s.Rivers.Seed; got != c.want {
			t.Errorf("%s: seed %d, want %d", c.why, got, c.want)
		}
	}
}

// The lower row names the median seed and how many modes it has left.
func TestModesShowsMedianSeed(t *testing.T) {
	run := emptyRun(t)
	alive := []float64{4, 1, 2}
	masses := [][]float64{{0.25, 0.25, 0.25, 0.25}, {0, 0, 1, 0}, {0.5, 0.5, 0, 0}}
	addVariant(t, run, record.Variant{Method: "grpo"}, 3, func(seed int) []record.Eval {
		e := ofMasses(0, 0, masses[seed]...)[0]
		e.Metrics = map[string]float64{"correct_modes_alive": alive[seed]}
		before := e
		e.Step = 10
		return []record.Eval{before, e}
	})
	d := drawSVG(t, run, record.Figure{Kind: "modes"})
	drawtest.WantLabels(t, d, "seed 2 (median entropy): 2 alive", "mean of 3 seeds, modes ranked: 2.3 alive")
}

// A single seed among several, and nothing to reward.
func TestModesWithOneSeedAndNoReward(t *testing.T) {
	run := emptyRun(t)
	for i, method := range []string{"grpo", "vpo"} {
		addVariant(t, run, record.Variant{Method: method}, 2*i+1, func(int) []record.Eval {
			return []record.Eval{{Step: 0, Modes: []record.Share{{Mode: "a", Mass: 1}}}, {Step: 1, Modes: []record.Share{{Mode: "a", Mass: 1}}}}
		})
	}
	d := drawSVG(t, run, record.Figure{Kind: "modes"})
	drawtest.CheckTexts(t, d)
	drawtest.WantLabels(t, d, "seed 0 alone, modes ranked", "seed 0 alone", "mean of 3 seeds, modes ranked", "seed 0 (median entropy)", "Both:", "1 mode without reward")
	if d.Has("Above:") || d.Has("Below:") {
		t.Error("a legend of ranks without ranks")
	}
}

// The colours of ranks run from dark to light and look like those of no mode.
func TestRankColors(t *testing.T) {
	others := []color.NRGBA{draw.RestColor, draw.DegenerateColor, draw.PlainColors[0], draw.PlainColors[1]}
	others = append(others, draw.ModeColors[:]...)
	for n := 1; n <= draw.MaxRewarded+1; n++ {
		before := -1
		for i := range n {
			c := rankColor(i, n)
			if l := int(color.GrayModel.Convert(c).(color.Gray).Y); l <= before {
				t.Errorf("rank %d of %d is not lighter than the one before", i, n)
			} else {
				before = l
			}
			for _, other := range others {
				if d := distance(c, other); d < 40 {
					t.Errorf("rank %d of %d: %v is only %.0f from %v", i, n, c, d, other)
				}
			}
		}
	}
	if rankColor(0, 4) != rankColor(0, 1) {
		t.Error("the largest mode has not the same colour everywhere")
	}
}

// distance is Euclidean in sRGB.
func distance(a, b color.NRGBA) float64 {
	square := func(x, y uint8) float64 { d := float64(x) - float64(y); return d * d }
	return math.Sqrt(square(a.R, b.R) + square(a.G, b.G) + square(a.B, b.B))
}
