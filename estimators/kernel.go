package estimators

import (
	"fmt"
	"math"
)

// similarities is the cosine kernel of a group's embeddings, with the buffers that
// it takes to compute it.
type similarities struct {
	kernel  []float64 // of the members, row by row
	members []int     // the embedded rollouts, by their places in the list
	norm    []float64
	square  []float64 // of each norm
}

// fill computes the kernel of the rollouts that have an embedding; the others (an
// answer that does not parse has nothing to embed) are no members:
//
//	k_ij = clamp(cos(e_i, e_j), lowest, 1)
//
// Two embeddings give the same bits in whatever order they stand. An error names
// the rollout at place i of the list by number(i).
func (s *similarities) fill(rollouts []*Rollout, lowest float64, number func(int) int) error {
	s.members, s.norm, s.square = s.members[:0], s.norm[:0], s.square[:0]
	for i, r := range rollouts {
		v := r.Candidates[0].Embedding
		square := dot32(v, v)
		if square == 0 {
			continue
		}
		if math.IsInf(square, 0) || math.IsNaN(square) {
			return fmt.Errorf("the embedding of rollout %d is not finite", number(i))
		}
		if len(s.members) > 0 && len(v) != len(rollouts[s.members[0]].Candidates[0].Embedding) {
			return fmt.Errorf("the embedding of rollout %d has another length than the group's first", number(i))
		}
		s.members = append(s.members, i)
		s.norm = append(s.norm, math.Sqrt(square))
		s.square = append(s.square, square)
	}
	s.kernel = resize(s.kernel, len(s.members)*len(s.members))
	for a := range s.members {
		s.line(rollouts, a, lowest)
	}
	return nil
}

// line computes a member's similarities to those before it.
func (s *similarities) line(rollouts []*Rollout, a int, lowest float64) {
	g := len(s.members)
	u := rollouts[s.members[a]].Candidates[0].Embedding
	s.kernel[a*g+a] = 1
	twin := s.twin(rollouts, a)
	for b := range a {
		var dot float64
		switch {
		case twin < 0:
			dot = dot32(u, rollouts[s.members[b]].Candidates[0].Embedding)
		case b == twin:
			dot = s.square[a]
		default:
			s.kernel[a*g+b] = s.kernel[twin*g+b]
			s.kernel[b*g+a] = s.kernel[a*g+b]
			continue
		}
		k := min(max(dot/(s.norm[a]*s.norm[b]), lowest), 1)
		s.kernel[a*g+b], s.kernel[b*g+a] = k, k
	}
}

// twin finds an earlier member with the very same embedding in memory, or -1:
// environments share the vectors of equal answers, and a policy that has converged
// gives few different ones. What is copied from a twin has the bits that
// computing it again would give.
func (s *similarities) twin(rollouts []*Rollout, a int) int {
	u := rollouts[s.members[a]].Candidates[0].Embedding
	for b := range a {
		if &rollouts[s.members[b]].Candidates[0].Embedding[0] == &u[0] {
			return b
		}
	}
	return -1
}

// dot32 is the inner product of two embeddings of equal length in float64, in
// four interleaved sums whose order is fixed.
func dot32(u, v []float32) float64 {
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
