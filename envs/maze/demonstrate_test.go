package maze

import (
	"math"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// A crowd has statistics of demonstrations, on the average over mazes.
type crowd struct {
	completion float64 // share that reaches E
	best1      float64 // mean reward under uniform weights
	best30     float64 // the highest of 30
	modes      float64 // distinct modes among the completed of 30
	bumped     float64 // share that runs into a wall
}

func observe(t testing.TB, e *Env, mazes int) crowd {
	const each = 30
	var sum crowd
	for i := range mazes {
		p := problem(t, e, envs.Train, i)
		best, seen := 0.0, map[envs.Mode]bool{}
		for j := range each {
			answer := p.Demonstrate(rng.New(1).Int(uint64(i)).Int(uint64(j)).Rand())
			v := p.Judge(answer)
			scalar := v.Scalar(e.Info().Weights)
			sum.best1 += scalar
			best = max(best, scalar)
			if v.Correct {
				sum.completion++
				seen[v.Mode] = true
			}
			if strings.Contains(p.caption(0, answer), "into walls") {
				sum.bumped++
			}
		}
		sum.best30 += best
		sum.modes += float64(len(seen))
	}
	n := float64(mazes)
	return crowd{sum.completion / (n * each), sum.best1 / (n * each), sum.best30 / n, sum.modes / n, sum.bumped / (n * each)}
}

// TestDemonstrator: the figures that a prototype of this demonstrator had. Over
// 200 mazes the standard errors are about 0.01, and figures were rounded.
func TestDemonstrator(t *testing.T) {
	for _, c := range []struct {
		tau, detour float64
		completion  float64
		best1       float64 // 0: not known
	}{
		{0.6, 0.1, 0.99, 0},
		{0.8, 0.1, 0.89, 0},
		{1.1, 0.1, 0.60, 0.27},
		{1.5, 0.1, 0.26, 0},
		{2, 0.1, 0.10, 0},
		{1.1, 0.05, 0.61, 0.27},
		{1.1, 0.2, 0.55, 0.27},
	} {
		got := observe(t, build(t, func(k *Config) { k.Tau, k.Detour = c.tau, c.detour }), 200)
		t.Logf("tau %v, detour %v: %+v", c.tau, c.detour, got)
		if math.Abs(got.completion-c.completion) > 0.03 || c.best1 > 0 && math.Abs(got.best1-c.best1) > 0.03 {
			t.Errorf("tau %v, detour %v: completion %.3f, best@1 %.3f; want %v, %v", c.tau, c.detour, got.completion, got.best1, c.completion, c.best1)
		}
		if c.tau == 1.1 && (got.best30 < 0.6 || got.best30 > 0.7) {
			t.Errorf("detour %v: best@30 %.3f, want 0.63 to 0.69", c.detour, got.best30)
		}
	}
}

// TestMovesFollowTheSoftmax compares the moves of walks that mean to go straight
// to E, cell by cell, with the formula on the printed grid.
func TestMovesFollowTheSoftmax(t *testing.T) {
	const tau = 0.9
	p := problem(t, build(t, func(c *Config) { c.Detour, c.Tau = 0, tau }), envs.Train, 4)
	s := readSheet(t, p)
	toExit := s.distances(s.find('E')[0], "#")
	counts := map[spot]*[4]float64{}
	for j := range 4000 {
		at := s.find('S')[0]
		for _, token := range p.Demonstrate(rng.New(2).Int(uint64(j)).Rand()) {
			if counts[at] == nil {
				counts[at] = &[4]float64{}
			}
			counts[at][token]++
			if to := (spot{at.r + around[token].r, at.c + around[token].c}); s.at(to) != '#' {
				at = to
			}
		}
	}
	chi, freedom := 0.0, 0.0
	for at, count := range counts {
		var weight [4]float64
		total, sum := 0.0, 0.0
		for i, d := range around {
			weight[i] = math.Exp(-1 / tau)
			if to := (spot{at.r + d.r, at.c + d.c}); s.at(to) != '#' && toExit.to(to) == toExit.to(at)-1 {
				weight[i] = math.Exp(1 / tau)
			}
			sum += weight[i]
			total += count[i]
		}
		if total < 200 {
			continue
		}
		for i, n := range count {
			want := total * weight[i] / sum
			chi += (n - want) * (n - want) / want
		}
		freedom += 3
	}
	if freedom < 90 || math.Abs(chi-freedom) > 5*math.Sqrt(2*freedom) {
		t.Errorf("chi-square %.1f with %v degrees of freedom", chi, freedom)
	}
}

// TestIntents: a walk that never errs goes over the corner it means to, each as
// often, or straight to E.
func TestIntents(t *testing.T) {
	const n = 2000
	for _, c := range []struct{ detour, each float64 }{{0, 0}, {0.5, 0.25}, {1, 0.5}} {
		p := problem(t, build(t, func(k *Config) { k.Detour, k.Tau = c.detour, 0.01 }), envs.Train, 6)
		var over [2]float64
		for j := range n {
			answer := p.Demonstrate(rng.New(3).Int(uint64(j)).Rand())
			at := cursor{problem: p, cell: p.start}
			var met [2]bool
			for _, token := range answer {
				at.move(token)
				for i := range met {
					met[i] = met[i] || at.cell == p.corners[i]
				}
			}
			if at.cell != p.exit || !met[0] && !met[1] && len(answer) != p.shortest {
				t.Fatalf("detour %v: a walk that never errs took %d steps, ended on cell %d", c.detour, len(answer), at.cell)
			}
			for i := range met {
				if met[i] {
					over[i]++
				}
			}
		}
		for i, count := range over {
			if math.Abs(count/n-c.each) > 4*math.Sqrt(0.25/n) {
				t.Errorf("detour %v: %v of %d walks go over corner %d, want a share of %v", c.detour, count, n, i, c.each)
			}
		}
	}
}
