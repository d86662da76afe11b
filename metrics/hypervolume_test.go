package metrics

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"modebench/envs"
	"modebench/internal/rng"
)

// ones is a scale that changes nothing.
func ones(d int) []float64 { return slices.Repeat([]float64{1}, d) }

func randomPoints(n, d int, key string) [][]float64 {
	r := rng.New(1).Str(key).Int(uint64(n)).Int(uint64(d)).Rand()
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, d)
		for j := range points[i] {
			points[i][j] = float64(1+r.IntN(16)) / 16 // ties happen
		}
	}
	return points
}

// inclusionExclusion sums the signed volumes of all intersections.
func inclusionExclusion(points [][]float64) float64 {
	sum := 0.0
	for set := uint(1); set < 1<<len(points); set++ {
		meet := slices.Repeat([]float64{math.Inf(1)}, len(points[0]))
		for i, p := range points {
			if set>>i&1 == 1 {
				for j, x := range p {
					meet[j] = min(meet[j], x)
				}
			}
		}
		volume := product(meet)
		if bits.OnesCount(set)%2 == 0 {
			volume = -volume
		}
		sum += volume
	}
	return sum
}

func TestHypervolumeAgainstInclusionExclusion(t *testing.T) {
	for d := 2; d <= 6; d++ {
		for n := 1; n <= 9; n++ {
			points := randomPoints(n, d, "small")
			got, ok := unionVolume(points, ones(d))
			if !ok {
				t.Fatalf("%d points in %d dimensions: no volume", n, d)
			}
			near(t, "volume", got, inclusionExclusion(points), 1e-13)
		}
	}
	// As many components as a document may have.
	points := randomPoints(6, 64, "many")
	for _, p := range points {
		for j := range p {
			p[j] = 0.9 + p[j]/10
		}
	}
	got, ok := unionVolume(points, ones(64))
	if want := inclusionExclusion(points); !ok || math.Abs(got-want) > 1e-12*want {
		t.Errorf("64 components: got %v %v, want %v", got, ok, want)
	}
}

func TestHypervolumeAgainstMonteCarlo(t *testing.T) {
	const draws = 100_000
	r := rng.New(2).Rand()
	for d := 2; d <= 5; d++ {
		points := randomPoints(25, d, "monte carlo")
		inside, x := 0, make([]float64, d)
		for range draws {
			for j := range x {
				x[j] = r.Float64()
			}
			if slices.ContainsFunc(points, func(p []float64) bool { return envs.Covers(p, x) }) {
				inside++
			}
		}
		got, ok := unionVolume(points, ones(d))
		// Four standard errors of a share near a half.
		if want := float64(inside) / draws; !ok || math.Abs(got-want) > 4*0.5/math.Sqrt(draws) {
			t.Errorf("%d components: volume %v, %v of the draws lie in it", d, got, want)
		}
	}
}

// fromReference moves vectors given from the reference point to where they are.
func fromReference(vectors [][]float64) [][]float64 {
	var out [][]float64
	for _, r := range vectors {
		moved := slices.Clone(r)
		for j := range moved {
			moved[j] -= hypervolumeBelow
		}
		out = append(out, moved)
	}
	return out
}

func TestHypervolumeByHand(t *testing.T) {
	front := [][]float64{{1, 2}, {2, 1}} // volume 3
	for _, test := range []struct {
		reason         string
		vectors, front [][]float64
		want           float64
		defined        bool
	}{
		{"the front itself", front, front, 1, true},
		{"in another order and with others", [][]float64{{2, 1}, {0, 2}, {1, 1}, {1, 2}}, front, 1, true},
		{"one vector of two", [][]float64{{1, 2}}, front, 2. / 3, true},
		{"both halved", [][]float64{{0.5, 1}, {1, 0.5}}, front, 0.25, true},
		{"nothing but zeros", [][]float64{{0, 2}, {2, 0}, {0, 0}}, front, 0, true},
		{"a negative component adds no volume", [][]float64{{-1, 2}, {1, 1}}, front, 1. / 3, true},
		{"no front", front, nil, 0, false},
		{"a front on the reference point's level", [][]float64{{1, 0}}, [][]float64{{1, 0}, {0, 1}}, 0, false},
		{"a front below it", [][]float64{{1, 1}}, [][]float64{{1, 1}, {2, -1}}, 0, false},
		{"a huge front", [][]float64{{1e150, 1e150}}, [][]float64{{1e150, 1e150}}, 1, true},
		{"a small one", [][]float64{{1e-9, 1e-9}}, [][]float64{{1e-9, 1e-9}}, 1, true},
	} {
		// Volumes are easier by hand seen from the reference point.
		got, defined := hypervolumeRatio(fromReference(test.vectors), fromReference(test.front))
		if defined != test.defined {
			t.Errorf("%s: defined is %v", test.reason, defined)
		} else if defined {
			near(t, test.reason, got, test.want, 1e-14)
		}
	}
	// A maze's two best vectors: boxes of 1.1^3 0.1 that share 1.1^2 0.1^2. One of
	// them is 0.1331/0.2541 = 11/21 of both.
	maze := [][]float64{{1, 0, 1, 1}, {1, 1, 0, 1}}
	got, defined := hypervolumeRatio(maze[:1], maze)
	if near(t, "one of the maze's vectors", got, 11./21, 1e-14); !defined {
		t.Error("a maze's front has no hypervolume")
	}
	// Three boxes 1 x 1 x 2 along the axes: 3*2 - 3*1 + 1.
	got, _ = unionVolume([][]float64{{2, 1, 1}, {1, 2, 1}, {1, 1, 2}}, ones(3))
	near(t, "three boxes", got, 4, 0)
}

// TestHypervolumeGivesUp: random vectors in many dimensions do not dominate each
// other, and the recursion is exponential. It has to stop, always at the same
// point, while large pools in two dimensions are no trouble.
func TestHypervolumeGivesUp(t *testing.T) {
	r := rng.New(3).Rand()
	var hard [][]float64
	for range 100 {
		p := make([]float64, 64)
		for j := range p {
			p[j] = r.Float64() + 0.1
		}
		hard = append(hard, p)
	}
	if _, ok := unionVolume(hard, ones(64)); ok {
		t.Error("100 random vectors of 64 components have no hypervolume in reasonable time")
	}
	if _, ok := hypervolumeRatio(hard[:1], hard); ok {
		t.Error("nor does a pool whose front has none")
	}
	var easy [][]float64
	for i := range 1024 {
		easy = append(easy, []float64{1 + float64(i), 1024 - float64(i)})
	}
	if v, ok := unionVolume(easy, ones(2)); !ok || v != 1024*1025/2 {
		t.Errorf("a staircase of 1024: got %v %v", v, ok)
	}
}

func TestHypervolumeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 5).Draw(t, "d")
		component := rapid.OneOf(rapid.Float64Range(-0.05, 1), rapid.SampledFrom([]float64{-0.1, 0, 0.5, 1}))
		vectors := rapid.SliceOfN(rapid.SliceOfN(component, d, d), 1, 10).Draw(t, "vectors")
		front := envs.ParetoFront(vectors)
		whole, defined := hypervolumeRatio(vectors, front)
		if !defined {
			if hasVolume(front) {
				t.Error("not defined though the front has a volume")
			}
			return
		}
		if whole != 1 {
			t.Errorf("the vectors that make the front have a ratio of %v", whole)
		}
		fewer, _ := hypervolumeRatio(vectors[1:], front)
		if fewer < 0 || fewer > whole {
			t.Errorf("%v with fewer vectors", fewer)
		}
		again, _ := hypervolumeRatio(rapid.Permutation(vectors[1:]).Draw(t, "again"), front)
		if again != fewer {
			t.Errorf("%v, but %v in another order", fewer, again)
		}
	})
}
