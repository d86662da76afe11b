package maze

import (
	"slices"
	"sync"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// TestCachedVerdicts judges more routes than a problem caches verdicts of, again and
// again and from several goroutines: each verdict is that of the simulator, whatever
// stood in its slot before, and that of the route judged last is still there.
func TestCachedVerdicts(t *testing.T) {
	e := build(t, nil)
	p := problem(t, e, envs.OOD, 0)
	s := readSheet(t, p)
	r := rng.New(7).Rand()
	var routes [][]envs.Token
	places := map[placeSet]bool{}
	for len(places) < 4*cachedVerdicts {
		route := p.Demonstrate(r)
		routes = append(routes, route, randomMoves(r, 1+r.IntN(p.budget)))
		places[p.walk(route)] = true
	}
	if first, second := p.Judge(routes[0]), p.Judge(routes[0]); first != second {
		t.Error("a route judged twice in a row has two verdicts, want the cached one")
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for _, route := range slices.Backward(routes) {
				p.Judge(route)
			}
		})
	}
	for _, route := range routes {
		var words []string
		for _, token := range route {
			words = append(words, moveNames[token])
		}
		verdict := p.Judge(route)
		want := s.simulate(words)
		if string(verdict.Mode) != want.mode || verdict.Correct != want.correct || !slices.Equal(verdict.Reward, want.reward) {
			t.Errorf("%v: verdict %+v, want %+v", words, verdict, want)
			break
		}
		for i, x := range verdict.Embedding {
			at := spot{i / (e.config.Size + 2), i % (e.config.Size + 2)}
			if want.visited[at] != (x > 0) {
				t.Fatalf("%v: embedding %v at %v, visited: %v", words, x, at, want.visited[at])
			}
		}
	}
	wg.Wait()
}
