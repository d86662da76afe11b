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
	"reward":    ofCandidates(envs.HasReward, rows, func(c *envs.Verdict, row []float64) { c.Reward = row }),
	"correct":   ofCandidates(envs.HasCorrect, truths, func(c *envs.Verdict, x bool) { c.Correct = x }),
	"valid":     ofCandidates(envs.HasValid, truths, markValid),
	"answer":    ofCandidates(envs.HasAnswer, texts, func(c *envs.Verdict, x string) { c.Answer = x }),
	"mode":      ofCandidates(envs.HasMode, texts, func(c *envs.Verdict, x string) { c.Mode = envs.Mode(x) }),
	"variant":   ofCandidates(envs.HasVariant, texts, func(c *envs.Verdict, x string) { c.Variant = x }),
	"embedding": ofCandidates(envs.HasEmbedding, embeddings, func(c *envs.Verdict, x []float32) { c.Embedding = x }),
	"tokens":    ofRollouts(estimators.RolloutTokens, counts, func(r *estimators.Rollout, n int) { r.Tokens = n }),
	"logprob":   ofRollouts(estimators.RolloutLogprob, numbers, func(r *estimators.Rollout, x float64) { r.Logprob = x }),
	"entropy":   ofRollouts(estimators.RolloutEntropy, numbers, func(r *estimators.Rollout, x float64) { r.Entropy = x }),
	"final":     ofRollouts(estimators.RolloutFinal, texts, func(r *estimators.Rollout, x string) { r.Final = x }),
	"train":     ofRollouts(0, truths, func(r *estimators.Rollout, x bool) { r.Train = x }),
	"greedy":    ofGroups(estimators.GroupGreedy, numbers, func(g *estimators.Group, x float64) { g.Greedy = x }),
	"problem":   ofGroups(0, texts, func(g *estimators.Group, x string) { g.Problem = x }),
	"weights":   {width: 8, fill: fillWeights},

	"token_logprobs":     perToken(estimators.TokenLogprob),
	"token_entropies":    perToken(estimators.TokenEntropy),
	"token_ref_logprobs": perToken(estimators.TokenReference),
	"token_squares":      perToken(estimators.TokenSquares),
}

// A reading hands over the entries of an array with a row for each candidate, rollout or group.
type reading[T any] struct {
	width int
	each  func(v *values, rows int, set func(row int, x T)) error
}

var (
	rows       = reading[[]float64]{8, (*values).rows}
	numbers    = reading[float64]{8, (*values).numbers}
	truths     = reading[bool]{1, (*values).truths}
	texts      = reading[string]{4, (*values).texts}
	counts     = reading[int]{4, (*values).counts}
	embeddings = reading[[]float32]{4, (*values).embeddings}
)

func ofCandidates[T any](f envs.Fields, read reading[T], set func(*envs.Verdict, T)) field {
	return field{width: read.width, required: f, fill: func(b *builder, v *values) error {
		return read.each(v, len(b.candidates), func(i int, x T) { set(b.candidates[i], x) })
	}}
}

func ofRollouts[T any](f estimators.RolloutFields, read reading[T], set func(*estimators.Rollout, T)) field {
	return field{width: read.width, known: f, fill: func(b *builder, v *values) error {
		return read.each(v, len(b.rollouts), func(i int, x T) { set(b.rollouts[i], x) })
	}}
}

func ofGroups[T any](f estimators.RolloutFields, read reading[T], set func(*estimators.Group, T)) field {
	return field{width: read.width, known: f, fill: func(b *builder, v *values) error {
		return read.each(v, len(b.Groups), func(g int, x T) { set(&b.Groups[g], x) })
	}}
}

var errInvalid = errors.New("marked invalid")

func markValid(c *envs.Verdict, valid bool) {
	if !valid {
		c.Err = errInvalid
	}
}

// perToken is an array with one entry per token of each rollout.
func perToken(known estimators.RolloutFields) field {
	return field{width: 8, known: known, fill: func(b *builder, v *values) error {
		if b.RolloutFields&estimators.RolloutTokens == 0 {
			return errors.New(`the array "tokens", which counts them, has to come before`)
		}
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
			*r.PerToken.Numbers(known), all = all[:r.Tokens:r.Tokens], all[r.Tokens:]
		}
		return nil
	}}
}

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

type values struct {
	array
	raw []byte
}

// count returns the entries of a row, and an error unless the array is of numbers with these rows.
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

func (v *values) truths(rows int, set func(i int, x bool)) error {
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
