package multiplication

import (
	"math"
	"testing"

	"modebench/envs"
)

func cosine(x, y []float32) float64 {
	dot, a, b := 0.0, 0.0, 0.0
	for i := range x {
		dot += float64(x[i]) * float64(y[i])
		a += float64(x[i]) * float64(x[i])
		b += float64(y[i]) * float64(y[i])
	}
	return dot / math.Sqrt(a*b)
}

// TestEmbeddingsFollowFamilies: answers of one variant have one embedding, others
// mostly another; and two answers of one family are closer than two of different
// ones, whatever their terms.
func TestEmbeddingsFollowFamilies(t *testing.T) {
	p := drawn(t, 96, 84, 3)
	first := map[string][]float32{}
	var all []*envs.Verdict
	for _, left := range []string{"96", "(90+6)", "(100-4)", "(12*8)", "(48*2)", "(6*4*4)", "(50+46)", "(46+50)", "(99-3)", "(98-2)", "(60+30+6)"} {
		for _, right := range []string{"84", "(80+4)", "(90-6)", "(100-16)", "(12*7)", "(7*12)", "(42+42)", "(86-2)"} {
			v := p.JudgeText(left + "*" + right + " = 8064")
			if v.Mode == envs.Degenerate {
				continue
			}
			if e, met := first[v.Variant]; met && cosine(e, v.Embedding) < 1-1e-9 {
				t.Errorf("%s has two embeddings", v.Variant)
			}
			first[v.Variant] = v.Embedding
			all = append(all, v)
		}
	}
	nearest, farthest, alone := 1.0, 0.0, 0
	for i, v := range all {
		for _, w := range all[:i] {
			c := cosine(v.Embedding, w.Embedding)
			switch {
			case v.Mode == w.Mode:
				nearest = min(nearest, c)
			default:
				farthest = max(farthest, c)
			}
			if v.Variant != w.Variant && c > 1-1e-6 {
				alone++
			}
		}
	}
	if nearest <= farthest || nearest < alike-1e-6 || farthest > alike/2+1-alike+1e-6 {
		t.Errorf("the least cosine within a family is %.4f, the largest between two %.4f", nearest, farthest)
	}
	if alone > 0 {
		t.Errorf("%d pairs of variants share an embedding", alone)
	}
}

// TestCoordinates: terms are spread evenly, and their operand, their sign, and whether they
// are factors make a difference.
func TestCoordinates(t *testing.T) {
	counts := map[int]int{}
	const n = 5400
	for x := range int64(n) {
		at := coordinate(0, false, x)
		if at < 2*kinds || at >= dimensions {
			t.Fatalf("%d lies in coordinate %d", x, at)
		}
		counts[at]++
	}
	for at, c := range counts {
		if c < n/hashed/2 || c > n/hashed*2 {
			t.Errorf("coordinate %d gets %d of %d terms", at, c, n)
		}
	}
	same := 0
	for x := range int64(100) {
		for _, other := range []int{coordinate(1, false, x+2), coordinate(0, true, x+2), coordinate(0, false, -x-2)} {
			if other == coordinate(0, false, x+2) {
				same++
			}
		}
	}
	if same > 20 {
		t.Errorf("%d of 300 variations share the coordinate", same)
	}
}
