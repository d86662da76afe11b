package numbers

import (
	"modebench/experiments/record"
	"modebench/plots/draw"
)

// Rivers are the masses of a variant's modes during training, as a figure of modes shows
// them. All lists by step go with the steps of the variant.
type Rivers struct {
	// Modes are all modes with their masses, averaged over seeds and evaluations: which
	// of them have a layer of their own.
	Modes []record.Share `json:"modes"`
	// Ranks are the masses of the rewarded modes by rank within a seed and step, the
	// largest first, by step, averaged over seeds; the last of 8 has all smaller ones.
	Ranks [][]float64 `json:"ranks,omitempty"`
	// Plain and Degenerate are the masses, averaged over seeds, of all modes without reward
	// and of degenerate answers, by step; nil without such modes.
	Plain      []float64 `json:"plain,omitempty"`
	Degenerate []float64 `json:"degenerate,omitempty"`
	// Seed is the number of the seed of median entropy, Masses are its masses, by mode as
	// in Modes and step.
	Seed   int         `json:"seed"`
	Masses [][]float64 `json:"masses"`
	// MeanAlive and Alive are how many rewarded modes are left at the last step, over
	// seeds and in that seed; nil if not measured.
	MeanAlive *float64 `json:"mean_alive,omitempty"`
	Alive     *float64 `json:"alive,omitempty"`
}

// KeyOf is the mode of a share. A degenerate answer is never correct.
func KeyOf(s record.Share) draw.ModeKey {
	return draw.ModeKey{Name: s.Mode, Correct: s.Correct && s.Mode != ""}
}
