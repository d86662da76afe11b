package metrics

import (
	"testing"

	"pgregory.net/rapid"
)

func TestCollapseStep(t *testing.T) {
	steps := []int{0, 50, 100, 150}
	for _, c := range []struct {
		reason    string
		entropies []float64
		step      int
		collapsed bool
	}{
		{"it falls for good after 100 steps", []float64{2, 1, 0.1, 0.05}, 100, true},
		{"a tenth of the first one counts", []float64{2, 0.2, 0.2, 0.2}, 50, true},
		{"it comes back, and goes again", []float64{2, 0.1, 1, 0.1}, 150, true},
		{"it comes back to stay: the run is the bound", []float64{2, 0.1, 0.1, 0.3}, 150, false},
		{"it never falls that far", []float64{2, 1, 0.5, 0.3}, 150, false},
		{"there was none to lose", []float64{0, 0, 0, 0}, 0, true},
		{"from none to some", []float64{0, 0, 0.1, 0.2}, 150, false},
	} {
		step, collapsed := CollapseStep(steps, c.entropies)
		if step != c.step || collapsed != c.collapsed {
			t.Errorf("%s: got %d, %v, want %d, %v", c.reason, step, collapsed, c.step, c.collapsed)
		}
	}
}

// TestCollapseStepByDefinition holds it against the sentence of its comment.
func TestCollapseStepByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entropies := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.1, 0.2, 1, 2}), 1, 8).Draw(t, "entropies")
		steps := make([]int, len(entropies))
		for i := range steps {
			steps[i] = 10 * i
		}
		step, collapsed := CollapseStep(steps, entropies)
		stays := func(from int) bool {
			for _, h := range entropies[from:] {
				if h > entropies[0]/10 {
					return false
				}
			}
			return true
		}
		want, found := steps[len(steps)-1], false
		for from := range entropies {
			if stays(from) {
				want, found = steps[from], true
				break
			}
		}
		if step != want || collapsed != found {
			t.Fatalf("%v: got %d, %v, want %d, %v", entropies, step, collapsed, want, found)
		}
	})
}
