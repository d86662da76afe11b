package batcharrays

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"modebench/envs"
	"modebench/estimators"
)

// A field is one array that a message may have.
type field struct {
	width    int                      // bytes of an entry
	required envs.Fields              // fields that every candidate then carries
	known    estimators.RolloutFields // facts then known of every rollout or group
	fill     func(*builder, *values) error
}

// fields are the arrays by name: the batch document's fields.
var fields = map[string]field{
	"reward": {width: 8, required: envs.HasReward, fill: func(b *builder, v *values) error {
		b.CandidateFields |= envs.HasReward
		return v.rows(len(b.candidates), func(i int, row []float64) { b.candidates[i].Reward = row })
	}},
	"correct": {width: 1, required: envs.HasCorrect, fill: func(b *builder, v *values) error {
		b.CandidateFields |= envs.HasCorrect
		return v.bools(len(b.candidates), func(i int, x bool) { b.candidates[i].Correct = x })
	}},
	"valid": {width: 1, required: envs.HasValid, fill: func(b *builder, v *values) error {
		b.CandidateFields |= envs.HasValid
		return v.bools(len(b.candidates), func(i int, x bool) {
			if !x {
				b.candidates[i].Err = errInvalid
			}
		})
	}},
	"answer": {width: 4, required: envs.HasAnswer, fill: func(b *builder, v *values) error {
		b.CandidateFields |= envs.HasAnswer
		return v.texts(len(b.candidates), func(i int, x string) { b.candidates[i].Answer = x })
	}},
	"mode": {width: 4, required: envs.HasMode, fill: func(b *builder, v *values) error {
		b.CandidateFields |= envs.HasMode
		return v.texts(len(b.candidates), func(i int, x string) { b.candidates[i].Mode = envs.Mode(x) })
	}},
	"variant": {width: 4, required: envs.HasVariant, fill: func(b *builder, v *values) error {
		b.CandidateFields |= envs.HasVariant
		return v.texts(len(b.candidates), func(i int, x string) { b.candidates[i].Variant = x })
	}},
	"embedding": {width: 4, required: envs.HasEmbedding, fill: func(b *builder, v *values) error {
		b.CandidateFields |= envs.HasEmbedding
		return v.embeddings(len(b.candidates), func(i int, x []float32) { b.candidates[i].Embedding = x })
	}},
	"tokens": {width: 4, known: estimators.RolloutTokens, fill: func(b *builder, v *values) error {
		b.RolloutFields |= estimators.RolloutTokens
		return v.counts(len(b.rollouts), func(i, n int) { b.rollouts[i].Tokens = n })
	}},
	"logprob": {width: 8, known: estimators.RolloutLogprob, fill: func(b *builder, v *values) error {
		b.RolloutFields |= estimators.RolloutLogprob
		return v.numbers(len(b.rollouts), func(i int, x float64) { b.rollouts[i].Logprob = x })
	}},
	"entropy": {width: 8, known: estimators.RolloutEntropy, fill: func(b *builder, v *values) error {
		b.RolloutFields |= estimators.RolloutEntropy
		return v.numbers(len(b.rollouts), func(i int, x float64) { b.rollouts[i].Entropy = x })
	}},
	"final": {width: 4, known: estimators.RolloutFinal, fill: func(b *builder, v *values) error {
		b.RolloutFields |= estimators.RolloutFinal
		return v.texts(len(b.rollouts), func(i int, x string) { b.rollouts[i].Final = x })
	}},
	"train": {width: 1, fill: func(b *builder, v *values) error {
		return v.bools(len(b.rollouts), func(i int, x bool) { b.rollouts[i].Train = x })
	}},
	"greedy": {width: 8, known: estimators.GroupGreedy, fill: func(b *builder, v *values) error {
		b.RolloutFields |= estimators.GroupGreedy
		return v.numbers(len(b.Groups), func(g int, x float64) { b.Groups[g].Greedy = x })
	}},
	"weights": {width: 8, fill: fillWeights},
	"problem": {width: 4, fill: func(b *builder, v *values) error {
		return v.texts(len(b.Groups), func(g int, x string) { b.Groups[g].Problem = x })
	}},
	"token_logprobs":     perToken(estimators.TokenLogprob, func(p *estimators.PerToken) *[]float64 { return &p.Logprob }),
	"token_entropies":    perToken(estimators.TokenEntropy, func(p *estimators.PerToken) *[]float64 { return &p.Entropy }),
	"token_ref_logprobs": perToken(estimators.TokenReference, func(p *estimators.PerToken) *[]float64 { return &p.Reference }),
	"token_squares":      perToken(estimators.TokenSquares, func(p *estimators.PerToken) *[]float64 { return &p.Squares }),
}

var errInvalid = errors.New("marked invalid")

// perToken is an array with one entry per token of each rollout.
func perToken(known estimators.RolloutFields, list func(*estimators.PerToken) *[]float64) field {
	return field{width: 8, known: known, fill: func(b *builder, v *values) error {
		if b.RolloutFields&estimators.RolloutTokens == 0 {
			return errors.New(`the array "tokens", which counts them, has to come before`)
		}
		b.RolloutFields |= known
		total := 0
		for _, r := range b.rollouts {
			total += r.Tokens
		}
		all := make([]float64, total)
		if err := v.numbers(total, func(i int, x float64) { all[i] = x }); err != nil {
			return err
		}
		for _, r := range b.rollouts {
			if r.PerToken == nil {
				r.PerToken = &estimators.PerToken{}
			}
			*list(r.PerToken), all = all[:r.Tokens:r.Tokens], all[r.Tokens:]
		}
		return nil
	}}
}

// fillWeights reads w*, or the weights of each group.
func fillWeights(b *builder, v *values) error {
	rows := 1
	if len(v.Shape) == 2 {
		rows = len(b.Groups)
	} else if len(v.Shape) == 1 {
		v.Shape = []int{1, v.Shape[0]}
	}
	negative := false
	err := v.rows(rows, func(g int, row []float64) {
		for _, w := range row {
			negative = negative || w < 0
		}
		if b.Groups[g].Weights = row; g == 0 {
			b.Weights = row
		}
	})
	if err == nil && negative {
		return errors.New("want numbers of 0 or more")
	}
	if rows == 1 {
		b.Groups[0].Weights = nil
	}
	return err
}

// values are the entries of an array.
type values struct {
	array
	raw []byte
}

// count returns the entries of a row, and an error unless the array is of numbers with these
// rows.
func (v *values) count(rows, dimensions int) (per int, err error) {
	if v.Texts != nil {
		return 0, errors.New("has texts, want numbers")
	}
	if len(v.Shape) != dimensions || v.Shape[0] != rows {
		return 0, fmt.Errorf("has shape %v, want %d rows in %d dimensions", v.Shape, rows, dimensions)
	}
	if dimensions == 1 {
		return 1, nil
	}
	return v.Shape[1], nil
}

func (v *values) float(i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(v.raw[8*i:]))
}

func (v *values) integer(i int) int { return int(int32(binary.LittleEndian.Uint32(v.raw[4*i:]))) }

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

func (v *values) numbers(rows int, set func(i int, x float64)) error {
	if _, err := v.count(rows, 1); err != nil {
		return err
	}
	for i := range rows {
		x := v.float(i)
		if notFinite(x) {
			return fmt.Errorf("[%d] is %v, want a finite number", i, x)
		}
		set(i, x)
	}
	return nil
}

// rows gives each row of a matrix, which the batch keeps.
func (v *values) rows(rows int, set func(i int, row []float64)) error {
	per, err := v.count(rows, 2)
	if err != nil {
		return err
	}
	if per == 0 {
		return errors.New("has rows without an entry")
	}
	all := make([]float64, rows*per)
	for i := range all {
		if all[i] = v.float(i); notFinite(all[i]) {
			return fmt.Errorf("[%d, %d] is %v, want a finite number", i/per, i%per, all[i])
		}
	}
	for i := range rows {
		set(i, all[i*per:(i+1)*per:(i+1)*per])
	}
	return nil
}

// embeddings gives each row of a matrix of float32, nil for a row of zeros.
func (v *values) embeddings(rows int, set func(i int, row []float32)) error {
	per, err := v.count(rows, 2)
	if err != nil {
		return err
	}
	all := make([]float32, rows*per)
	for i := range rows {
		row, some := all[i*per:(i+1)*per:(i+1)*per], false
		for k := range row {
			row[k] = math.Float32frombits(binary.LittleEndian.Uint32(v.raw[4*(i*per+k):]))
			if notFinite(float64(row[k])) {
				return fmt.Errorf("[%d, %d] is %v, want a finite number", i, k, row[k])
			}
			some = some || row[k] != 0
		}
		if some {
			set(i, row)
		}
	}
	return nil
}

func (v *values) bools(rows int, set func(i int, x bool)) error {
	if _, err := v.count(rows, 1); err != nil {
		return err
	}
	for i := range rows {
		if v.raw[i] > 1 {
			return fmt.Errorf("[%d] is %d, want 0 or 1", i, v.raw[i])
		}
		set(i, v.raw[i] == 1)
	}
	return nil
}

func (v *values) counts(rows int, set func(i, n int)) error {
	if _, err := v.count(rows, 1); err != nil {
		return err
	}
	sum := 0
	for i := range rows {
		n := v.integer(i)
		if sum += n; n < 0 || sum > MaxEntries {
			return fmt.Errorf("[%d] is %d, want 0 or more, and at most %d in all", i, n, MaxEntries)
		}
		set(i, n)
	}
	return nil
}

// texts gives each text, "" for none, or the numeral of each number.
func (v *values) texts(rows int, set func(i int, x string)) error {
	if v.Texts == nil {
		if _, err := v.count(rows, 1); err != nil {
			return err
		}
		for i := range rows {
			if n := v.integer(i); n >= 0 {
				set(i, strconv.Itoa(n))
			}
		}
		return nil
	}
	if len(v.Texts) != rows {
		return fmt.Errorf("has %d texts, want %d", len(v.Texts), rows)
	}
	for i, text := range v.Texts {
		if text != nil {
			set(i, *text)
		}
	}
	return nil
}
