package cosine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func identity(i int) int { return i }

// random are embeddings of 7 numbers.
func random(r *rand.Rand, count int) [][]float32 {
	out := make([][]float32, count)
	for i := range out {
		for range 7 {
			out[i] = append(out[i], float32(r.NormFloat64()))
		}
	}
	return out
}

// kernel is the kernel of the embeddings.
func kernel(t *testing.T, embeddings [][]float32, lowest float64) *Kernel {
	t.Helper()
	k := &Kernel{}
	if err := k.Fill(embeddings, lowest, identity); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestDefinition holds the kernel against plain sums. Embeddings of zeros, or without
// numbers, are no members.
func TestDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for _, lowest := range []float64{-1, 0} {
		embeddings := slices.Insert(random(r, 9), 2, nil, make([]float32, 7))
		k := kernel(t, embeddings, lowest)
		if want := []int{0, 1, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(k.Members, want) {
			t.Fatalf("members %v, want %v", k.Members, want)
		}
		negative := 0
		for a, i := range k.Members {
			for b, j := range k.Members {
				var uv, uu, vv float64
				for x, u := range embeddings[i] {
					v := embeddings[j][x]
					uv, uu, vv = uv+float64(u)*float64(v), uu+float64(u)*float64(u), vv+float64(v)*float64(v)
				}
				want := max(uv/math.Sqrt(uu*vv), lowest)
				if got := k.Values[a*len(k.Members)+b]; math.Abs(got-want) > 1e-15 || i == j && got != 1 {
					t.Errorf("cosine of %d and %d: %v, want %v", i, j, got, want)
				}
				if uv < 0 {
					negative++
				}
			}
		}
		if negative == 0 {
			t.Error("no cosine is below 0, so that nothing is clamped")
		}
	}
}

// TestSharedEmbeddings: embeddings that share one vector in memory take a shorter way to
// the kernel, which must give the bits of the long one.
func TestSharedEmbeddings(t *testing.T) {
	vectors := random(rand.New(rand.NewPCG(31, 2)), 3)
	var shared, copied [][]float32
	for _, i := range []int{0, 1, 0, 2, 1, 0, 0, 2} {
		shared, copied = append(shared, vectors[i]), append(copied, slices.Clone(vectors[i]))
	}
	if got, want := kernel(t, shared, 0).Values, kernel(t, copied, 0).Values; !slices.Equal(got, want) {
		t.Errorf("shared vectors give %v, copies of them %v", got, want)
	}
}

// TestOrder: two embeddings have the same cosine to the bit in either order.
func TestOrder(t *testing.T) {
	embeddings := random(rand.New(rand.NewPCG(31, 3)), 12)
	plain := kernel(t, embeddings, -1)
	slices.Reverse(embeddings)
	slices.Reverse(plain.Values) // rows and columns at once
	if got := kernel(t, embeddings, -1).Values; !slices.Equal(got, plain.Values) {
		t.Errorf("in reverse order %v, want %v", got, plain.Values)
	}
}

func TestErrors(t *testing.T) {
	for want, bad := range map[string][]float32{
		"the embedding of rollout 12 is not finite":                             {1, float32(math.Inf(1))},
		"the embedding of rollout 12 has another length than the group's first": {1, 2, 3},
	} {
		err := new(Kernel).Fill([][]float32{{1, 0}, nil, bad}, 0, func(i int) int { return 10 + i })
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if Dot([]float32{1, 2}, []float32{1}) != 0 {
		t.Error("embeddings of different lengths have an inner product")
	}
}
