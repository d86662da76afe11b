package maze

import (
	"math"
	"testing"

	"modebench/envs"
)

// TestBaselineIsBlind: after every prefix of its own walks the baseline's moves are those
// that shorten the Manhattan distance to E, as the picture's rows give it, with equal
// probability, whatever is in the way.
func TestBaselineIsBlind(t *testing.T) {
	env, err := Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	bumps := 0
	for i := range 20 {
		problem, err := env.Problem(envs.Test, i)
		if err != nil {
			t.Fatal(err)
		}
		p := problem.(*Problem)
		find := func(kind byte) (row, col int) {
			for r := range p.geo.size {
				for c := range p.geo.size {
					if p.cells[p.geo.cell(r, c)] == kind {
						return r, c
					}
				}
			}
			t.Fatalf("%s has no %c", p.ID(), kind)
			return 0, 0
		}
		row, col := find(startCell)
		exitRow, exitCol := find(exitCell)
		distance := func(r, c int) int { return max(r-exitRow, exitRow-r) + max(c-exitCol, exitCol-c) }
		var prefix []envs.Token
		for step := 0; step < p.budget && distance(row, col) > 0; step++ {
			logits := p.AppendBaseline(nil, prefix)
			var moves []envs.Token
			for m, by := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				closer := distance(row+by[0], col+by[1]) < distance(row, col)
				if taken := math.Exp(logits[m]); taken != 0 && taken != 1 || (taken == 1) != closer {
					t.Fatalf("%s after %v: move %d has weight %v, and closer is %v", p.ID(), prefix, m, taken, closer)
				}
				if closer {
					moves = append(moves, envs.Token(m))
				}
			}
			move := moves[step%len(moves)]
			prefix = append(prefix, move)
			by := [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}[move]
			if p.cells[p.geo.cell(row+by[0], col+by[1])] == wallCell {
				bumps++
			} else {
				row, col = row+by[0], col+by[1]
			}
		}
	}
	if bumps == 0 {
		t.Error("no walk met a wall: nothing was blind")
	}
}
