// Package cosine compares embeddings by the cosine of the angle between them. Two
// embeddings give the same bits in either order.
package cosine

import (
	"fmt"
	"math"
	"slices"
)

// A Kernel is the cosines of a group's embeddings, with the buffers that it takes to compute them.
type Kernel struct {
	Members []int     // the embeddings that are not zero, by their places in the list
	Values  []float64 // of the members, row by row
	norm    []float64 // of each member
	square  []float64 // of each norm
}

// Fill computes the kernel of the embeddings that have a direction; the others (an answer
// that does not parse has nothing to embed) are no members:
//
//	k_ij = clamp(cos(e_i, e_j), lowest, 1)
//
// An embedding that is not finite, or of another length than the first, is an error, which
// names the rollout at place i of the list by number(i).
func (k *Kernel) Fill(embeddings [][]float32, lowest float64, number func(int) int) error {
	k.Members, k.norm, k.square = k.Members[:0], k.norm[:0], k.square[:0]
	for i, v := range embeddings {
		square := Dot(v, v)
		if square == 0 {
			continue
		}
		if math.IsInf(square, 0) || math.IsNaN(square) {
			return fmt.Errorf("the embedding of rollout %d is not finite", number(i))
		}
		if len(k.Members) > 0 && len(v) != len(embeddings[k.Members[0]]) {
			return fmt.Errorf("the embedding of rollout %d has another length than the group's first", number(i))
		}
		k.Members = append(k.Members, i)
		k.norm = append(k.norm, math.Sqrt(square))
		k.square = append(k.square, square)
	}
	size := len(k.Members) * len(k.Members)
	k.Values = slices.Grow(k.Values[:0], size)[:size]
	for a := range k.Members {
		k.line(embeddings, a, lowest)
	}
	return nil
}

// line computes a member's cosines with those before it.
func (k *Kernel) line(embeddings [][]float32, a int, lowest float64) {
	g := len(k.Members)
	u := embeddings[k.Members[a]]
	k.Values[a*g+a] = 1
	twin := k.twin(embeddings, a)
	for b := range a {
		var dot float64
		switch {
		case twin < 0:
			dot = Dot(u, embeddings[k.Members[b]])
		case b == twin:
			dot = k.square[a]
		default:
			k.Values[a*g+b] = k.Values[twin*g+b]
			k.Values[b*g+a] = k.Values[a*g+b]
			continue
		}
		c := min(max(dot/(k.norm[a]*k.norm[b]), lowest), 1)
		k.Values[a*g+b], k.Values[b*g+a] = c, c
	}
}

// twin finds an earlier member with the very same embedding in memory, or -1:
// environments share the vectors of equal answers, and a policy that has converged
// gives few different ones. A copy from a twin has the bits that computing it again would give.
func (k *Kernel) twin(embeddings [][]float32, a int) int {
	u := embeddings[k.Members[a]]
	for b := range a {
		if &embeddings[k.Members[b]][0] == &u[0] {
			return b
		}
	}
	return -1
}

// Dot is the inner product of two embeddings in float64, in four interleaved sums whose
// order is fixed; 0 if their lengths differ.
func Dot(u, v []float32) float64 {
	if len(u) != len(v) {
		return 0
	}
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(u) && i+4 <= len(v); i += 4 {
		s0 += float64(float64(u[i]) * float64(v[i]))
		s1 += float64(float64(u[i+1]) * float64(v[i+1]))
		s2 += float64(float64(u[i+2]) * float64(v[i+2]))
		s3 += float64(float64(u[i+3]) * float64(v[i+3]))
	}
	for ; i < len(u); i++ {
		s0 += float64(float64(u[i]) * float64(v[i]))
	}
	return (s0 + s1) + (s2 + s3)
}
