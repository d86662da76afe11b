package metrics

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"modebench/envs"
)

// maxKernel is the number of distinct embeddings up to which all their cosines are
// stored (4 MiB). With more of them, a cosine is computed each time that it is needed.
const maxKernel = 1024

// embeddings holds the distinct embeddings of one problem's candidates: a policy that has
// collapsed gives few. They are in lexicographic order, so that sums over them do not
// depend on the order of the chains.
//
// Three kinds of candidates are not compared: degenerate ones, where modes are known, those
// without an embedding, and those whose embedding is all zeros and has no direction.
type embeddings struct {
	number  []int32     // of each candidate; -1: nothing to compare
	vectors [][]float32 // distinct to the last bit, all of one length
	values  []float64   // the same, row by row
	square  []float64   // inner product of each with itself
	kernel  []float64   // cosine of i and each j < i, row after row; empty above maxKernel

	// mass is of each vector and total their sum: numbers of candidates in a pool;
	// probabilities, given that there is an embedding, in a distribution.
	mass  []float64
	total float64

	byBits   map[string]int32
	byPlace  map[*float32]int32 // environments share the embeddings of equal answers
	key      []byte
	local    []float64 // of each vector: sum of its similarities
	chosen   []int32   // U of SD-E2 eq. 15
	visited  []bool
	matrix   []float64 // that vendi is the spectrum of
	spectrum spectrum
	chain    []int32 // the vectors of one rollout
	averages [3][]float64
}

// numberEmbeddings numbers the distinct embeddings of the candidates.
func (a *answers) numberEmbeddings() error {
	e := &a.embedded
	if e.byBits == nil {
		e.byBits, e.byPlace = map[string]int32{}, map[*float32]int32{}
	}
	clear(e.byBits)
	clear(e.byPlace)
	e.number, e.vectors = e.number[:0], e.vectors[:0]
	first := -1
	for i, v := range a.all {
		number := int32(-1)
		if len(v.Embedding) > 0 && !a.degenerate(i) {
			if first < 0 {
				first = i
			}
			if got, want := len(v.Embedding), len(a.all[first].Embedding); got != want {
				return fmt.Errorf("%s: embedding: %d entries, want %d as in %s", a.where(i), got, want, a.where(first))
			}
			var err error
			if number, err = e.find(v.Embedding); err != nil {
				return fmt.Errorf("%s: %w", a.where(i), err)
			}
		}
		e.number = append(e.number, number)
	}
	e.vectors = renumber(e.vectors, e.number, slices.Compare[[]float32])
	e.fill()
	return nil
}

// degenerate reports whether a candidate has no mode, where modes are known.
func (a *answers) degenerate(candidate int) bool {
	return len(a.mode) > 0 && a.all[candidate].Mode == envs.Degenerate
}

// find returns the number of a vector, a new number if the vector is new, and -1 for a vector
// without a direction.
func (e *embeddings) find(v []float32) (int32, error) {
	if number, known := e.byPlace[&v[0]]; known {
		return number, nil
	}
	key, zero := e.key[:0], true
	for _, x := range v {
		if x == 0 {
			x = 0 // -0 is the same entry
		} else {
			zero = false
		}
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(x))
	}
	e.key = key
	number, known := e.byBits[string(key)]
	if !known {
		for i, x := range v {
			if x-x != 0 {
				return 0, fmt.Errorf("embedding[%d]: got %v, want a finite number", i, x)
			}
		}
		if number = -1; !zero {
			number = int32(len(e.vectors))
			e.vectors = append(e.vectors, v)
		}
		e.byBits[string(key)] = number
	}
	e.byPlace[&v[0]] = number
	return number, nil
}

// fill computes values, squares and cosines of the vectors.
func (e *embeddings) fill() {
	e.values, e.square, e.kernel = e.values[:0], e.square[:0], e.kernel[:0]
	for _, v := range e.vectors {
		for _, x := range v {
			e.values = append(e.values, float64(x))
		}
	}
	for i := range e.vectors {
		e.square = append(e.square, inner(e.row(i), e.row(i)))
	}
	if len(e.vectors) > maxKernel {
		return
	}
	for i := range e.vectors {
		for j := range i {
			e.kernel = append(e.kernel, e.compute(i, j))
		}
	}
}

func (e *embeddings) row(i int) []float64 {
	d := len(e.vectors[i])
	return e.values[i*d : (i+1)*d]
}

// cosine of two vectors, in [-1, 1]; exactly 1 of a vector with itself.
func (e *embeddings) cosine(i, j int) float64 {
	switch {
	case i == j:
		return 1
	case i < j:
		i, j = j, i
	}
	if len(e.kernel) > 0 {
		return e.kernel[i*(i-1)/2+j]
	}
	return e.compute(i, j)
}

func (e *embeddings) compute(i, j int) float64 {
	// Fourth powers of numbers of type float32 are within the range of float64.
	scale := math.Sqrt(float64(e.square[i] * e.square[j]))
	return min(1, max(-1, inner(e.row(i), e.row(j))/scale)) // rounding may take it out
}

// inner is the inner product of two rows, in four interleaved sums whose order is fixed.
func inner(u, v []float64) float64 {
	v = v[:len(u)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(u); i += 4 {
		s0 += float64(u[i] * v[i])
		s1 += float64(u[i+1] * v[i+1])
		s2 += float64(u[i+2] * v[i+2])
		s3 += float64(u[i+3] * v[i+3])
	}
	for ; i < len(u); i++ {
		s0 += float64(u[i] * v[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// weigh sums up the mass of each vector.
func (e *embeddings) weigh(a *answers) {
	e.mass = zeros(e.mass, len(e.vectors))
	for i, number := range e.number {
		if number >= 0 {
			e.mass[number] += a.mass[i/a.m]
		}
	}
	e.total = total(e.mass)
	if a.exact && e.total > 0 {
		for i := range e.mass {
			e.mass[i] /= e.total
		}
		e.total = 1
	}
}
