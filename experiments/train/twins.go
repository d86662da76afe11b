package train

import (
	"encoding/binary"

	"modebench/envs"
)

// twins finds rollouts to a task with the same tokens, which have the same verdicts.
type twins struct {
	numbers map[string]int // of the first rollouts, by the bytes of their tokens
	key     []byte
}

// first is the number of the first rollout with the tokens of rollout i, of those that it was asked about.
func (t *twins) first(i int, tokens []envs.Token) int {
	t.key = t.key[:0]
	for _, token := range tokens {
		t.key = binary.AppendUvarint(t.key, uint64(token))
	}
	j, known := t.numbers[string(t.key)]
	if !known {
		t.numbers[string(t.key)] = i
		return i
	}
	return j
}
