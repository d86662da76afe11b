package multiplication

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"modebench/envs"
)

// maxAttempts bounds the pairs drawn for one problem. A quarter or more of the
// pairs belong to each split, so it is not reached.
const maxAttempts = 10_000

// Problem implements envs.Env.
func (e *Env) Problem(split envs.Split, index int) (envs.Problem, error) {
	if err := envs.CheckRequest(split, index); err != nil {
		return nil, err
	}
	f := e.usual
	if split == envs.OOD {
		f = e.larger
	}
	stream, _ := e.streams.Get().(*rand.PCG)
	if stream == nil {
		stream = &rand.PCG{}
	}
	defer e.streams.Put(stream)
	e.config.SplitKey("multiplication", split).Str(string(split)).Int(uint64(index)).Seed(stream)
	for range maxAttempts {
		a, b := drawOperand(stream, f.digits[0]), drawOperand(stream, f.digits[1])
		if split == envs.OOD || e.dealt(a, b) == split {
			return e.newProblem(f, e.config.ID(split, index), a, b), nil
		}
	}
	return nil, fmt.Errorf("multiplication %s/%d: none of %d pairs drawn belongs to the split", split, index, maxAttempts)
}

// drawOperand returns a uniform number with the given digits that does not end in 0.
func drawOperand(stream *rand.PCG, digits int) int64 {
	tens := powers[digits-2]
	high, _ := bits.Mul64(stream.Uint64(), uint64(81*tens)) // the bias that remains is below 2^-43
	i := int64(high)
	return 10*(tens+i/9) + 1 + i%9
}

// dealt is the split that a pair of operands belongs to, in either order. The first quarter of
// the hashes belongs to train and the second to test.
func (e *Env) dealt(a, b int64) envs.Split {
	return envs.Owner(e.key.Str("pair").Int(uint64(min(a, b))).Int(uint64(max(a, b))).Uint64()>>62 + 2)
}
