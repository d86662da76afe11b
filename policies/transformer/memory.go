package transformer

import (
	"fmt"
	"runtime"

	"modebench/envs"
	"modebench/internal/input"
	"modebench/internal/memory"
)

// What a policy takes of each parameter: it and the optimiser's two moments; and on the
// processor the packed matrices of both passes and the gradient, beside that of every chunk.
// Of a frozen policy there are the parameters and what is packed of one pass. Saving takes the
// first three once more as a payload, again as a checkpoint, and as a part of the file that
// says where an unfinished cell stands; of the policies that rollouts may be drawn by, their
// parameters.
const (
	numbersOnCard      = 3
	numbersOnProcessor = numbersOnCard + 3
	numbersOfFrozen    = 2
	numbersToSave      = 3 * 3
	numbersToSaveOfLag = 3
)

// A Work is what a policy is trained with, as far as the memory depends on it.
type Work struct {
	Prompts, Rollouts int  // of an update; of each prompt
	Reference         bool // it is compared with what it was
	Lag               int  // frozen policies that rollouts are drawn by, which are saved with it
}

// Bytes is about the memory, but for a card's own, that a policy of the configuration takes
// while it is pre-trained, trained and saved, with rollouts as long as the encoding has room
// for. A nil device is the processor. what says which policy it is, for an error.
func (d *Device) Bytes(config Config, encoding *envs.Encoding, work Work) (bytes uint64, what string) {
	s := newShape(&config, encoding)
	return s.working(&config, encoding, work, d.OnCard()), s.what()
}

func (s *shape) what() string {
	return fmt.Sprintf("a transformer with layers = %d and width = %d has %.0f million parameters and", s.layers, s.d, float64(s.size)/1e6)
}

// working adds to what bytes counts what is computed on the way.
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
	// Chunks of an update keep what they compute until the backward pass, and those of
	// pre-training, or of rollouts under way, until the goroutine takes the next one.
	rows := update + workers*min(lessons, chunkRows(lessons)+longest)
	lanes := workers * lanesAtOnce * longest
	numbers := uint64(copies)*uint64(s.size) + uint64(rows)*s.ofRow(longest) + uint64(lanes*2*s.layers*s.d)
	return 4 * (numbers + numbers/slack)
}

// The part of a slack-th is for what lies between what is in use: slices that grew, and what is
// not collected yet.
const slack = 7

// ofRow is how many numbers a pass and its way back write of a row: see activations and space.
func (s *shape) ofRow(width int) uint64 {
	const ofBlock, beside, ofTokens = 16, 13, 6
	return uint64(s.layers*(ofBlock*s.d+s.heads*width) + beside*s.d + ofTokens*s.vocabulary)
}

// mostGradients is how many chunks a batch of so many rows is cut into at most.
func mostGradients(rows int) int { return min(mostChunks, rows/leastRows+1) }

// bytes is what a policy takes at least: of its parameters, and of the gradients of
// pre-training.
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
		return &input.Error{Err: fmt.Errorf("%s takes %s of memory at least, and there are %s for it", s.what(), memory.Text(need), memory.Text(most))}
	}
	return nil
}
