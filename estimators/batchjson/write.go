package batchjson

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"modebench/envs"
	"modebench/estimators"
)

// Append appends the batch document that Read reads, on one line. It writes only the given
// fields of candidates, and the given facts of rollouts and groups. Its numbers are those
// of the batch to the last bit; an embedding's float32 is written as the float64 of that
// value. A number that is not finite, or text that is not UTF-8, is an error that names its path.
func Append(dst []byte, b *estimators.Batch, fields envs.Fields, facts estimators.RolloutFields) ([]byte, error) {
	w := documentWriter{out: dst, group: -1, rollout: -1, candidate: -1}
	w.raw(`{"seed":`)
	w.out = strconv.AppendUint(w.out, b.Seed, 10)
	w.raw(`,"step":`)
	w.out = strconv.AppendInt(w.out, int64(b.Step), 10)
	if b.Weights != nil {
		w.raw(`,"weights":`)
		w.numbers("weights", b.Weights)
	}
	w.raw(`,"groups":[`)
	for g := range b.Groups {
		w.comma(g)
		w.group, w.rollout, w.candidate = g, -1, -1
		w.writeGroup(&b.Groups[g], fields, facts)
	}
	w.raw(`]}`)
	return w.out, w.err
}

// A documentWriter appends one document. It goes on after an error, so that the error
// needs no check after each number.
type documentWriter struct {
	out                       []byte
	group, rollout, candidate int // being written; -1: outside of any
	err                       error
}

func (w *documentWriter) writeGroup(g *estimators.Group, fields envs.Fields, facts estimators.RolloutFields) {
	w.raw(`{"problem":`)
	w.text("problem", g.Problem)
	if facts&estimators.GroupGreedy != 0 {
		w.raw(`,"greedy":`)
		w.number("greedy", -1, g.Greedy)
	}
	if g.Weights != nil {
		w.raw(`,"weights":`)
		w.numbers("weights", g.Weights)
	}
	w.raw(`,"rollouts":[`)
	for i := range g.Rollouts {
		w.comma(i)
		w.rollout, w.candidate = i, -1
		w.writeRollout(&g.Rollouts[i], fields, facts)
	}
	w.raw(`]}`)
}

func (w *documentWriter) writeRollout(r *estimators.Rollout, fields envs.Fields, facts estimators.RolloutFields) {
	w.raw(`{`)
	if facts&estimators.RolloutTokens != 0 {
		w.raw(`"tokens":`)
		w.out = strconv.AppendInt(w.out, int64(r.Tokens), 10)
		w.raw(`,`)
	}
	if facts&estimators.RolloutLogprob != 0 {
		w.raw(`"logprob":`)
		w.number("logprob", -1, r.Logprob)
		w.raw(`,`)
	}
	if facts&estimators.RolloutEntropy != 0 {
		w.raw(`"entropy":`)
		w.number("entropy", -1, r.Entropy)
		w.raw(`,`)
	}
	w.writeTokens(r.PerToken, facts)
	if !r.Train {
		w.raw(`"train":false,`)
	}
	if facts&estimators.RolloutFinal != 0 {
		w.raw(`"final":`)
		w.text("final", r.Final)
		w.raw(`,`)
	}
	w.raw(`"candidates":[`)
	for k, c := range r.Candidates {
		w.comma(k)
		w.candidate = k
		w.writeCandidate(c, fields)
	}
	w.raw(`]}`)
}

// writeCandidate writes a comma after every field and takes the last one back.
func (w *documentWriter) writeCandidate(c *envs.Verdict, fields envs.Fields) {
	w.raw(`{`)
	if fields&envs.HasReward != 0 {
		w.raw(`"reward":`)
		w.numbers("reward", c.Reward)
		w.raw(`,`)
	}
	if fields&envs.HasCorrect != 0 {
		w.raw(`"correct":`)
		w.out = strconv.AppendBool(w.out, c.Correct)
		w.raw(`,`)
	}
	if fields&envs.HasValid != 0 {
		w.raw(`"valid":`)
		w.out = strconv.AppendBool(w.out, c.Err == nil)
		w.raw(`,`)
	}
	if fields&envs.HasAnswer != 0 {
		w.raw(`"answer":`)
		w.text("answer", c.Answer)
		w.raw(`,`)
	}
	if fields&envs.HasMode != 0 {
		w.raw(`"mode":`)
		w.nullable("mode", string(c.Mode))
		w.raw(`,`)
	}
	if fields&envs.HasEmbedding != 0 {
		w.raw(`"embedding":[`)
		for i, x := range c.Embedding {
			w.comma(i)
			w.number("embedding", i, float64(x))
		}
		w.raw(`],`)
	}
	if fields&envs.HasVariant != 0 {
		w.raw(`"variant":`)
		w.nullable("variant", c.Variant)
		w.raw(`,`)
	}
	if last := len(w.out) - 1; w.out[last] == ',' {
		w.out = w.out[:last]
	}
	w.raw(`}`)
}

func (w *documentWriter) raw(text string) { w.out = append(w.out, text...) }

// comma separates the entries of a list.
func (w *documentWriter) comma(entry int) {
	if entry > 0 {
		w.raw(`,`)
	}
}

func (w *documentWriter) numbers(field string, xs []float64) {
	w.raw(`[`)
	for i, x := range xs {
		w.comma(i)
		w.number(field, i, x)
	}
	w.raw(`]`)
}

// number writes an entry of a list, or with entry -1 the field itself.
func (w *documentWriter) number(field string, entry int, x float64) {
	if x-x != 0 {
		if entry >= 0 {
			field = fmt.Sprintf("%s[%d]", field, entry)
		}
		w.fail(field, fmt.Sprintf("got %v, want a finite number", x))
		return
	}
	w.out = strconv.AppendFloat(w.out, x, 'g', -1, 64)
}

// nullable writes text, and null for "".
func (w *documentWriter) nullable(field, text string) {
	if text == "" {
		w.raw(`null`)
		return
	}
	w.text(field, text)
}

func (w *documentWriter) text(field, text string) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			w.escaped(field, text)
			return
		}
	}
	w.out = append(w.out, '"')
	w.out = append(w.out, text...)
	w.out = append(w.out, '"')
}

// escaped leaves the rare text to encoding/json, which also escapes the line
// separators at which some programs would cut the line in two.
func (w *documentWriter) escaped(field, text string) {
	if !utf8.ValidString(text) {
		w.fail(field, fmt.Sprintf("got %.80q, want UTF-8", text))
		return
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		w.fail(field, err.Error())
		return
	}
	w.out = append(w.out, quoted...)
}

// fail keeps the first error, with the path to the field.
func (w *documentWriter) fail(field, problem string) {
	if w.err != nil {
		return
	}
	path := ""
	if w.group >= 0 {
		path = fmt.Sprintf("groups[%d].", w.group)
	}
	if w.rollout >= 0 {
		path += fmt.Sprintf("rollouts[%d].", w.rollout)
	}
	if w.candidate >= 0 {
		path += fmt.Sprintf("candidates[%d].", w.candidate)
	}
	w.err = fmt.Errorf("%s%s: %s", path, field, problem)
}
