package maze

import (
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// walked is a cursor that has taken moves.
func walked(t *testing.T, p *Problem, moves string) envs.Viewer {
	t.Helper()
	c := p.Start()
	for _, token := range tokens(t, moves) {
		if err := c.Push(token); err != nil {
			t.Fatalf("%s: %v", moves, err)
		}
	}
	return c.(envs.Viewer)
}

// TestKeys lists the parts that two routes must share to share a state or a view.
func TestKeys(t *testing.T) {
	p := draw(small, 6)
	for _, c := range []struct {
		reason      string
		a, b        string
		state, view bool
	}{
		{"cell, steps and items agree", "DOWN UP", "UP LEFT", true, true},
		{"a bump costs a step, which views do not show", "", "UP", false, true},
		{"another cell", "DOWN", "RIGHT", false, false},
		{"gold makes a difference", "RIGHT RIGHT LEFT", "RIGHT UP UP", false, false},
		{"which gold makes a difference", "RIGHT DOWN RIGHT LEFT", "RIGHT RIGHT LEFT DOWN", false, false},
		{"lava is no part of a view", "RIGHT DOWN UP", "RIGHT UP UP", false, true},
		{"two items of one kind, in either order", "RIGHT RIGHT DOWN UP", "RIGHT DOWN RIGHT UP", false, true},
		{"the budget is used up on a cell where it was not", "UP UP UP UP UP UP", "UP UP UP UP UP", false, false},
		{"a route that is done is done, wherever it stands", "UP UP UP UP UP RIGHT", "UP UP UP UP UP DOWN", false, true},
		{"at E or not", "DOWN DOWN RIGHT RIGHT", "DOWN DOWN RIGHT UP DOWN DOWN", false, true},
		{"but with what it has collected", "DOWN DOWN RIGHT RIGHT", "RIGHT RIGHT DOWN DOWN", false, false},
	} {
		a, b := walked(t, p, c.a), walked(t, p, c.b)
		state := slices.Equal(a.AppendState(nil), b.AppendState(nil))
		view := slices.Equal(a.AppendView(nil), b.AppendView(nil))
		if state != c.state || view != c.view {
			t.Errorf("%s: %q and %q share state %v, view %v; want %v, %v", c.reason, c.a, c.b, state, view, c.state, c.view)
		}
	}
}

func TestPush(t *testing.T) {
	p := draw(small, 6)
	for _, c := range []struct {
		reason, before string
		token          envs.Token
		want           string
	}{
		{"a cell is no move", "DOWN", 4, "token 4 is no move; moves are 0 to 3"},
		{"a negative token", "", -1, "token -1 is no move; moves are 0 to 3"},
		{"after E", "DOWN DOWN RIGHT RIGHT", 0, "token 0 comes after the end of the route"},
		{"past the budget", "UP UP UP UP UP UP", 3, "token 3 comes after the end of the route"},
	} {
		cursor := walked(t, p, c.before)
		state := cursor.AppendState(nil)
		if err := cursor.Push(c.token); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
		if !slices.Equal(state, cursor.AppendState(nil)) {
			t.Errorf("%s: the refused token changed the state", c.reason)
		}
	}
}

// TestViewsOfOneKindShareTheirTokens is the promise of envs.Viewer on walks of a default
// maze: states of one view are all done or all not.
func TestViewsOfOneKindShareTheirTokens(t *testing.T) {
	p := problem(t, build(t, nil), envs.Train, 2)
	done := map[string]bool{}
	r := rng.New(8).Rand()
	for range 300 {
		c := p.Start().(envs.Viewer)
		for {
			view := string(c.AppendView(nil))
			if before, seen := done[view]; seen && before != c.Done() {
				t.Fatalf("the view %q belongs to a done state and to one that is not", view)
			}
			done[view] = c.Done()
			if c.Done() {
				break
			}
			if err := c.Push(randomMoves(r, 1)[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestKeysDoNotAllocate: sampling asks for one at every token.
func TestKeysDoNotAllocate(t *testing.T) {
	p := problem(t, build(t, nil), envs.Train, 0)
	c, room := p.Start().(envs.Viewer), make([]byte, 0, 64)
	n := testing.AllocsPerRun(100, func() {
		c.AppendState(room)
		c.AppendView(room)
		if !c.Done() {
			_ = c.Push(c.Legal()[0])
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
