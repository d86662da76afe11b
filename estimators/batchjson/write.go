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
	w.whole("step", b.Step)
	if b.Weights != nil {
		writeNumbers(&w, "weights", b.Weights)
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

// A documentWriter appends one document. It continues after an error, and keeps the first.
type documentWriter struct {
	out                       []byte
	group, rollout, candidate int // being written; -1: outside of any
	err                       error
}

func (w *documentWriter) writeGroup(g *estimators.Group, fields envs.Fields, facts estimators.RolloutFields) {
	w.raw(`{`)
	w.text("problem", g.Problem)
	if facts&estimators.GroupGreedy != 0 {
		w.number("greedy", g.Greedy)
	}
	if g.Weights != nil {
		writeNumbers(w, "weights", g.Weights)
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
		w.whole("tokens", r.Tokens)
	}
	if facts&estimators.RolloutLogprob != 0 {
		w.number("logprob", r.Logprob)
	}
	if facts&estimators.RolloutEntropy != 0 {
		w.number("entropy", r.Entropy)
	}
	w.writeTokens(r.PerToken, facts)
	if !r.Train {
		w.truth("train", false)
	}
	if facts&estimators.RolloutFinal != 0 {
		w.text("final", r.Final)
	}
	w.key("candidates")
	w.raw(`[`)
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
		writeNumbers(w, "reward", c.Reward)
	}
	if fields&envs.HasCorrect != 0 {
		w.truth("correct", c.Correct)
	}
	if fields&envs.HasValid != 0 {
		w.truth("valid", c.Err == nil)
	}
	if fields&envs.HasAnswer != 0 {
		w.text("answer", c.Answer)
	}
	if fields&envs.HasMode != 0 {
		w.nullable("mode", string(c.Mode))
	}
	if fields&envs.HasEmbedding != 0 {
		writeNumbers(w, "embedding", c.Embedding)
	}
	if fields&envs.HasVariant != 0 {
		w.nullable("variant", c.Variant)
	}
	w.raw(`}`)
}

func (w *documentWriter) raw(text string) { w.out = append(w.out, text...) }

func (w *documentWriter) comma(entry int) {
	if entry > 0 {
		w.out = append(w.out, ',')
	}
}

// key begins a field of an object, whose name needs no escapes.
func (w *documentWriter) key(name string) {
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, '"')
	w.out = append(w.out, name...)
	w.out = append(w.out, '"', ':')
}

func (w *documentWriter) whole(name string, n int) {
	w.key(name)
	w.out = strconv.AppendInt(w.out, int64(n), 10)
}

func (w *documentWriter) truth(name string, holds bool) {
	w.key(name)
	w.out = strconv.AppendBool(w.out, holds)
}

func (w *documentWriter) number(name string, x float64) {
	w.key(name)
	w.value(name, -1, x)
}

func writeNumbers[T float32 | float64](w *documentWriter, name string, xs []T) {
	w.key(name)
	writeList(w, name, xs)
}

func writeList[T float32 | float64](w *documentWriter, name string, xs []T) {
	w.raw(`[`)
	for i, x := range xs {
		w.comma(i)
		w.value(name, i, float64(x))
	}
	w.raw(`]`)
}

// value writes the number of an entry of a list, or with entry -1 of the field itself.
func (w *documentWriter) value(name string, entry int, x float64) {
	if x-x != 0 {
		if entry >= 0 {
			name = fmt.Sprintf("%s[%d]", name, entry)
		}
		w.fail(name, fmt.Sprintf("got %v, want a finite number", x))
		return
	}
	w.out = strconv.AppendFloat(w.out, x, 'g', -1, 64)
}

func (w *documentWriter) nullable(name, text string) {
	if text != "" {
		w.text(name, text)
		return
	}
	w.key(name)
	w.raw(`null`)
}

func (w *documentWriter) text(name, text string) {
	w.key(name)
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			w.escaped(name, text)
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

func (w *documentWriter) writeTokens(p *estimators.PerToken, facts estimators.RolloutFields) {
	if facts&estimators.AllTokenFields == 0 {
		return
	}
	if p == nil {
		p = &estimators.PerToken{} // a rollout without tokens
	}
	for _, field := range estimators.TokenNumbers {
		if facts&field != 0 {
			writeNumbers(w, field.Names()[0], *p.Numbers(field))
		}
	}
	if facts&estimators.TokenLegal == 0 {
		return
	}
	w.key(distributions)
	w.raw(`[`)
	for t, probabilities := range p.Legal {
		w.comma(t)
		writeList(w, fmt.Sprintf("%s[%d]", distributions, t), probabilities)
	}
	w.raw(`]`)
}
