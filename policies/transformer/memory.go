package transformer

import (
	"fmt"

	"modebench/envs"
	"modebench/internal/input"
	"modebench/internal/memory"
)

// What a policy takes of each parameter: it and the optimiser's two moments; and on the
// processor the packed matrices of both passes and the gradient, beside that of every chunk.
const (
	numbersOnCard      = 3
	numbersOnProcessor = numbersOnCard + 3
)

// Bytes is the memory, but for a card's own, that a policy of the configuration takes at least:
// of its parameters, and of the gradients of pre-training. What it computes on comes to that. A
// nil device is the processor.
func (d *Device) Bytes(config Config, encoding *envs.Encoding) uint64 {
	s := newShape(&config, encoding)
	return s.bytes(&config, encoding, d != nil && d.open != nil)
}

func (s *shape) bytes(config *Config, encoding *envs.Encoding, onCard bool) uint64 {
	if onCard {
		return 4 * numbersOnCard * uint64(s.size)
	}
	rows := 0
	if config.Steps > 0 {
		rows = config.Batch * (encoding.Prompt + 1)
	}
	return 4 * uint64(numbersOnProcessor+fewestChunks(rows, encoding.Prompt+encoding.Rollout)) * uint64(s.size)
}

// fewestChunks is how many chunks there are at least for a batch of so many rows, the longest
// part of which has so many.
func fewestChunks(rows, longest int) int { return max(1, rows/(chunkRows(rows)+longest)) }

// total is what the process may have; tests put another in its place.
var total = memory.Total

// checkMemory says that a policy of the shape has no room. A process that asks for more than
// there is would be ended by the system.
func (s *shape) checkMemory(config *Config, encoding *envs.Encoding, onCard bool) error {
	need := s.bytes(config, encoding, onCard)
	if most, known := total(); known && need > most {
		return &input.Error{Err: fmt.Errorf("a transformer with layers = %d and width = %d has %.0f million parameters and takes %s of memory at least, and there are %s for it",
			s.layers, s.d, float64(s.size)/1e6, memory.Text(need), memory.Text(most))}
	}
	return nil
}
