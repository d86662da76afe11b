package transformer

import (
	"fmt"
	"runtime"

	"modebench/envs"
	"modebench/internal/input"
	"modebench/internal/memory"
)

// Copies of each parameter that a policy takes: the parameter and the optimiser's two moments; and
// on the processor the packed matrices of both passes and the gradient, beside that of every chunk.
// A frozen policy has the parameters and the packed matrices of one pass. Saving takes the first
// three once more as a payload, again as a checkpoint, and as a part of the file with the progress
// of an unfinished cell; of the policies that rollouts may be drawn by, their parameters.
const (
	numbersOnCard      = 3
	numbersOnProcessor = numbersOnCard + 3
	numbersOfFrozen    = 2
	numbersToSave      = 3 * 3
	numbersToSaveOfLag = 3
)

// A Work holds the sizes of training that the memory depends on.
type Work struct {
	Prompts, Rollouts int  // of an update; of each prompt
	Reference         bool // it is compared with its beginning
	Interpolates      bool // evaluations interpolate it with its beginning
	Lag               int  // frozen policies that rollouts are drawn by, which are saved with it
}

// Bytes is about the memory, but for a card's own, that a policy of the configuration takes
// while it is pre-trained, trained and saved, with rollouts as long as the encoding has room
// for. A nil device is the processor. The text describes it, for an error.
func (d *Device) Bytes(config Config, encoding *envs.Encoding, work Work) (bytes uint64, text string) {
	s := newShape(&config, encoding)
	return s.working(&config, encoding, work, d.OnCard()), s.describe()
}

func (s *shape) describe() string {
	return fmt.Sprintf("a transformer with layers = %d and width = %d has %.0f million parameters and", s.layers, s.d, float64(s.size)/1e6)
}

func (s *shape) working(config *Config, encoding *envs.Encoding, work Work, onCard bool) uint64 {
	toSave := numbersToSave + work.Lag*numbersToSaveOfLag
	if onCard {
		return 4 * uint64(numbersOnCard+toSave) * uint64(s.size)
	}
	longest, workers := encoding.Prompt+encoding.Rollout, runtime.GOMAXPROCS(0)
	lessons := 0
	if config.Steps > 0 {
		lessons = config.Batch * longest
	}
	update := work.Prompts * (encoding.Prompt + work.Rollouts*encoding.Rollout)
	copies := numbersOnProcessor + toSave + work.Lag*numbersOfFrozen + max(mostGradients(lessons), mostGradients(update))
	if work.Reference {
		copies += numbersOfFrozen
	}
	if work.Interpolates {
		copies += 2 * numbersOfFrozen // the base policy and the interpolated one
	}
	// Chunks of an update keep what they compute until the backward pass, and those of
	// pre-training, or of rollouts under way, until the goroutine takes the next one.
	rows := update + workers*min(lessons, chunkRows(lessons)+longest)
	lanes := workers * (lanesAtOnce*longest + tasksAtOnce*encoding.Prompt)
	numbers := uint64(copies)*uint64(s.size) + uint64(rows)*s.ofRow(longest) + uint64(lanes*2*s.layers*s.d)
	numbers += min(mostKept, uint64(update)*uint64(s.keptNumbers(longest)))
	return 4 * (numbers + numbers/slack)
}

// A slack-th is added for memory between the parts in use: slices that grew, and garbage.
const slack = 7

// ofRow is how many numbers a pass and its way back write of a row: see activations and space.
func (s *shape) ofRow(width int) uint64 {
	const ofBlock, beside, ofTokens = 16, 13, 6
	return uint64(s.layers*(ofBlock*s.d+s.heads*width) + beside*s.d + ofTokens*s.vocabulary)
}

// mostGradients is the largest number of chunks of a batch.
func mostGradients(rows int) int { return min(mostChunks, rows/leastRows+1) }

// bytes is a lower bound on a policy's memory: its parameters, and the gradients of pre-training.
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

// fewestChunks is the least number of chunks of a batch whose longest part has longest rows.
func fewestChunks(rows, longest int) int { return max(1, rows/(chunkRows(rows)+longest)) }

// total is the limit on the process's memory; tests replace it.
var total = memory.Total

// checkMemory is an error if a policy has no room: the system would end a process that takes too much.
func (s *shape) checkMemory(config *Config, encoding *envs.Encoding, onCard bool) error {
	need := s.bytes(config, encoding, onCard)
	if limit, known := total(); known && need > limit {
		return &input.Error{Err: fmt.Errorf("%s takes %s of memory at least, and there are %s for it", s.describe(), memory.Text(need), memory.Text(limit))}
	}
	return nil
}
