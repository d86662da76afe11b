package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAppendTop: the places that a stable sort by falling log-probability begins with, on
// random distributions with many ties and with tokens that never happen.
func TestAppendTop(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 31))
	for n := range 9 {
		for range 40 {
			p, logp := make([]float64, n), make([]float64, n)
			var want []int
			for j := range p {
				p[j] = float64(r.IntN(4)) / 8
				logp[j] = math.Log(p[j])
				if p[j] > 0 {
					want = append(want, j)
				}
			}
			slices.SortStableFunc(want, func(i, j int) int {
				switch {
				case p[i] > p[j]:
					return -1
				case p[i] < p[j]:
					return 1
				}
				return 0
			})
			for k := 1; k <= n+1; k++ {
				first := want[:min(k, len(want))]
				if got := AppendTop(nil, k, p, logp); !slices.Equal(got, first) {
					t.Errorf("the %d likeliest of %v: %v, want %v", k, p, got, first)
				}
				if got := AppendTop([]int{7, 8}, k, p, logp); !slices.Equal(got, slices.Concat([]int{7, 8}, first)) {
					t.Errorf("the %d likeliest of %v behind others: %v, want %v", k, p, got, first)
				}
			}
		}
	}
}
