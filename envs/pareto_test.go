package envs_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/envs"
)

// bruteFront applies the definition to every pair.
func bruteFront(vectors [][]float64) [][]float64 {
	var front [][]float64
	for _, v := range vectors {
		dominated := false
		for _, u := range vectors {
			least, above := true, false
			for j := range v {
				least = least && u[j] >= v[j]
				above = above || u[j] > v[j]
			}
			dominated = dominated || least && above
		}
		same := func(u []float64) bool { return slices.Equal(u, v) }
		if !dominated && !slices.ContainsFunc(front, same) {
			front = append(front, v)
		}
	}
	slices.SortFunc(front, slices.Compare[[]float64])
	return front
}

// vectorsOf draws up to 40 vectors from a coarse grid, so that equal entries and
// equal vectors are common.
func vectorsOf(t *rapid.T) [][]float64 {
	d := rapid.IntRange(1, 4).Draw(t, "d")
	entry := rapid.Map(rapid.IntRange(-2, 3), func(i int) float64 { return float64(i) / 2 })
	return rapid.SliceOfN(rapid.SliceOfN(entry, d, d), 0, 40).Draw(t, "vectors")
}

func TestParetoFrontAgainstEveryPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vectors := vectorsOf(t)
		before := slices.Clone(vectors)
		got := envs.ParetoFront(vectors)
		if d := cmp.Diff(bruteFront(vectors), got); d != "" {
			t.Fatalf("(-every pair +front):\n%s", d)
		}
		for i := range vectors {
			if &vectors[i][0] != &before[i][0] {
				t.Fatal("the input was reordered")
			}
		}
	})
}

func TestParetoFront(t *testing.T) {
	for _, c := range []struct {
		reason   string
		in, want [][]float64
	}{
		{"no vectors, no front", nil, nil},
		{"one vector is its own front", [][]float64{{0, 0}}, [][]float64{{0, 0}}},
		{"equal vectors do not dominate each other, and are listed once", [][]float64{{1, 0}, {1, 0}}, [][]float64{{1, 0}}},
		{"at least as good everywhere and better somewhere dominates", [][]float64{{1, 0}, {1, 1}}, [][]float64{{1, 1}}},
		{"ties in one component still dominate in the other", [][]float64{{0, 1, 1}, {0, 1, 2}, {1, 0, 0}}, [][]float64{{0, 1, 2}, {1, 0, 0}}},
		{"lexicographic order", [][]float64{{2, 0}, {0, 2}, {1, 1}}, [][]float64{{0, 2}, {1, 1}, {2, 0}}},
		{"negative rewards are rewards", [][]float64{{-1, -1}, {-2, 0}}, [][]float64{{-2, 0}, {-1, -1}}},
	} {
		if d := cmp.Diff(c.want, envs.ParetoFront(c.in)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

func TestParetoFrontIsACopy(t *testing.T) {
	in := [][]float64{{1, 2}}
	envs.ParetoFront(in)[0][0] = 9
	if in[0][0] != 1 {
		t.Error("writing to the front changed the input")
	}
}

// TestBest: for weights >= 0 the best over the front is the best over all.
func TestBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vectors := vectorsOf(t)
		if len(vectors) == 0 {
			t.Skip("no answers")
		}
		w := rapid.SliceOfN(rapid.Float64Range(0, 1), len(vectors[0]), len(vectors[0])).Draw(t, "w")
		want := math.Inf(-1)
		for _, v := range vectors {
			s := 0.0
			for j := range v {
				s += float64(w[j] * v[j])
			}
			want = max(want, s)
		}
		if got := (envs.Truth{Front: envs.ParetoFront(vectors)}).Best(w); got != want {
			t.Fatalf("best under %v is %v, over all vectors it is %v", w, got, want)
		}
	})
}

func TestBestIsNegativeWhereAllRewardsAre(t *testing.T) {
	truth := envs.Truth{Front: [][]float64{{-3, -1}, {-2, -2}}}
	if got := truth.Best([]float64{0.5, 0.5}); got != -2 {
		t.Errorf("got %v, want -2", got)
	}
}

func TestUniformWeights(t *testing.T) {
	if d := cmp.Diff([]float64{0.25, 0.25, 0.25, 0.25}, envs.UniformWeights(4)); d != "" {
		t.Error(d)
	}
}
