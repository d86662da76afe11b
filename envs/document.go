package envs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/internal/strictjson"
)

// Fields is a set of verdict fields: those a document holds, or those a method
// or metric reads.
type Fields uint8

// The fields of a candidate document.
const (
	HasReward Fields = 1 << iota
	HasCorrect
	HasValid
	HasAnswer
	HasMode
	HasEmbedding
	HasVariant

	// HasAll is every field, as an environment's own judge gives.
	HasAll = HasReward | HasCorrect | HasValid | HasAnswer | HasMode | HasEmbedding | HasVariant
)

var fieldNames = []string{"reward", "correct", "valid", "answer", "mode", "embedding", "variant"}

// Names lists the names of the fields in the set, as documents spell them.
func (f Fields) Names() []string {
	var names []string
	for i, name := range fieldNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Provides returns the verdict fields that the environment's judge fills.
func (i Info) Provides() Fields {
	f := HasReward | HasCorrect | HasValid | HasMode
	if i.Votes {
		f |= HasAnswer
	}
	if i.Embeddings {
		f |= HasEmbedding
	}
	if i.Variants {
		f |= HasVariant
	}
	return f
}

// A Candidate is a verdict that came out of a document, with the set of fields
// the document gave. In JSON:
//
//	{"reward": [1, 0.5], "correct": true, "valid": true, "answer": "42",
//	 "mode": "A", "embedding": [0.1, ...], "variant": "a+b"}
//
// A VerdictDocument is a Candidate too: its "error" replaces "valid". "scalar", which
// follows from the reward, is passed over, and so is "reading", which bench judge adds. Its
// "id" names the problem of the answer: answers to several problems make no pool and no
// group (OneProblem).
//
// null marks a field that the candidate lacks: "answer": null abstains from votes, "mode":
// null is Degenerate, "error": null is valid. "" and [] mean the same. Every answer has a
// reward and is correct and valid or not, so in those fields null counts as missing, like
// an absent field. Numbers that are null or not finite (1e999; in an embedding, also
// numbers beyond float32) are errors.
type Candidate struct {
	Verdict
	Has Fields
	ID  string // of the problem that bench judge judged it for; "": not in the document
}

// OneProblem checks that candidates are answers to the same problem, as far as their IDs
// tell. It holds the first ID among the candidates before.
type OneProblem struct{ id, path string }

// Add takes one candidate more. An error names both, at their paths in the document.
func (o *OneProblem) Add(c *Candidate, path string) error {
	switch {
	case c.ID == "" || c.ID == o.id:
	case o.id == "":
		o.id, o.path = c.ID, path
	default:
		return fmt.Errorf("%s.id: %q, but %s is an answer to %q: each problem wants a list of its own", path, c.ID, o.path, o.id)
	}
	return nil
}

var errInvalid = errors.New("marked invalid in the document")

// UnmarshalJSON reads the document form. Unknown fields are errors.
func (c *Candidate) UnmarshalJSON(data []byte) error { return c.Decode(data, "") }

// Decode is UnmarshalJSON for a candidate at a path of a larger document
// ("groups[0].rollouts[1].candidates[0]"), which errors then name.
func (c *Candidate) Decode(data []byte, path string) error {
	if string(data) == "null" {
		return errors.New(strings.TrimPrefix(path+": got null, want a candidate", ": "))
	}
	var doc struct {
		// Pointers, because encoding/json reads null as 0 otherwise.
		Reward    []*float64      `json:"reward"`
		Scalar    *float64        `json:"scalar"`
		Correct   *bool           `json:"correct"`
		Valid     *bool           `json:"valid"`
		Error     json.RawMessage `json:"error"`
		Answer    json.RawMessage `json:"answer"`
		Mode      json.RawMessage `json:"mode"`
		Embedding json.RawMessage `json:"embedding"`
		Variant   json.RawMessage `json:"variant"`
		// Of bench judge: which problem it is about, and where the answer stood.
		ID      json.RawMessage `json:"id"`
		Reading json.RawMessage `json:"reading"`
	}
	if err := strictjson.Decode(data, path, &doc); err != nil {
		return err
	}
	*c = Candidate{}
	if doc.Reward != nil {
		reward, err := strictjson.Numbers(doc.Reward, strictjson.Join(path, "reward"))
		if err != nil {
			return err
		}
		c.Reward, c.Has = reward, c.Has|HasReward
	}
	_ = json.Unmarshal(doc.ID, &c.ID) // an id of another's, which is no text, names no problem of ours
	if doc.Correct != nil {
		c.Correct, c.Has = *doc.Correct, c.Has|HasCorrect
	}
	if err := c.decodeValid(doc.Valid, doc.Error, path); err != nil {
		return err
	}
	var mode string
	for _, f := range []struct {
		name string
		text json.RawMessage
		to   *string
		has  Fields
	}{
		{"answer", doc.Answer, &c.Answer, HasAnswer}, {"mode", doc.Mode, &mode, HasMode}, {"variant", doc.Variant, &c.Variant, HasVariant},
	} {
		if f.text == nil {
			continue
		}
		var err error
		if *f.to, err = strictjson.TextOrNull(f.text, strictjson.Join(path, f.name)); err != nil {
			return err
		}
		c.Has |= f.has
	}
	c.Mode = Mode(mode)
	if doc.Embedding == nil {
		return nil
	}
	c.Has |= HasEmbedding
	return c.decodeEmbedding(doc.Embedding, strictjson.Join(path, "embedding"))
}

// decodeValid reads whether the answer parses, from "valid" or from "error".
func (c *Candidate) decodeValid(valid *bool, failure json.RawMessage, path string) error {
	if valid != nil {
		c.Has |= HasValid
		if !*valid {
			c.Err = errInvalid
		}
	}
	if failure == nil {
		return nil
	}
	text, err := strictjson.TextOrNull(failure, strictjson.Join(path, "error"))
	if err != nil {
		return err
	}
	if valid != nil && *valid != (text == "") {
		return fmt.Errorf("%s: got %s, but valid is %t", strictjson.Join(path, "error"), strictjson.OneLine(string(failure)), *valid)
	}
	c.Has |= HasValid
	if text != "" {
		c.Err = errors.New(text)
	}
	return nil
}

// decodeEmbedding reads the list of numbers; null is no embedding.
func (c *Candidate) decodeEmbedding(data json.RawMessage, path string) error {
	var list []*float64
	if err := strictjson.Decode(data, path, &list); err != nil {
		return err
	}
	embedding, err := strictjson.Numbers(list, path)
	if err != nil || embedding == nil {
		return err
	}
	c.Embedding = make([]float32, len(embedding))
	for i, x := range embedding {
		// A finite float64 may overflow here, and no document could hold it.
		if c.Embedding[i] = float32(x); math.IsInf(float64(c.Embedding[i]), 0) {
			return fmt.Errorf("%s[%d]: got %v, want a number that a float32 holds", path, i, x)
		}
	}
	return nil
}

// MarshalJSON writes the document form with the fields of Has.
func (c Candidate) MarshalJSON() ([]byte, error) {
	doc := map[string]any{}
	if c.Has&HasReward != 0 {
		doc["reward"] = c.Reward
	}
	if c.Has&HasCorrect != 0 {
		doc["correct"] = c.Correct
	}
	if c.Has&HasValid != 0 {
		doc["valid"] = c.Err == nil
	}
	if c.Has&HasAnswer != 0 {
		doc["answer"] = TextOrNull(c.Answer)
	}
	if c.Has&HasMode != 0 {
		doc["mode"] = TextOrNull(c.Mode)
	}
	if c.Has&HasEmbedding != 0 {
		doc["embedding"] = c.Embedding
	}
	if c.Has&HasVariant != 0 {
		doc["variant"] = TextOrNull(c.Variant)
	}
	return json.Marshal(doc)
}

// A TextOrNull is a text of a document; null is the missing text, "".
type TextOrNull string

// MarshalJSON writes the text, or null.
func (t TextOrNull) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the encoder of the whole document decides
	err := enc.Encode(string(t))
	return b.Bytes(), err
}

// A VerdictDocument is a verdict as `bench judge` prints it, which is a Candidate. Fields
// that the environment lacks (votes, variants) and fields that were not asked for
// (embeddings) are absent; a field that one answer lacks is null. Read again, an embedding
// has the same bits.
type VerdictDocument struct {
	Reward    []float64   `json:"reward"`
	Scalar    float64     `json:"scalar"` // w*.r
	Correct   bool        `json:"correct"`
	Answer    *TextOrNull `json:"answer,omitempty"`
	Mode      TextOrNull  `json:"mode"`
	Variant   *TextOrNull `json:"variant,omitempty"`
	Error     TextOrNull  `json:"error"`
	Embedding *[]float32  `json:"embedding,omitempty"`
}

// Document returns the printed form under the scalarisation w, of an environment whose
// verdicts have these fields (Info.Provides): answer, variant and embedding only if they do.
func (v Verdict) Document(w []float64, has Fields) VerdictDocument {
	doc := VerdictDocument{Reward: v.Reward, Scalar: v.Scalar(w), Correct: v.Correct, Mode: TextOrNull(v.Mode)}
	if has&HasAnswer != 0 {
		doc.Answer = (*TextOrNull)(&v.Answer)
	}
	if has&HasVariant != 0 {
		doc.Variant = (*TextOrNull)(&v.Variant)
	}
	if has&HasEmbedding != 0 {
		doc.Embedding = &v.Embedding
	}
	if v.Err != nil {
		doc.Error = TextOrNull(v.Err.Error())
	}
	return doc
}

// Scalar is w.r, summed in component order.
func (v *Verdict) Scalar(w []float64) float64 {
	s := 0.0
	for i, r := range v.Reward {
		s += float64(w[i] * r)
	}
	return s
}

// SaysSame reports whether another verdict is of the same reasoning and outcome, as
// far as verdicts tell: one answer of a chain is then a copy of the other (SD-E2's
// parser, app. E, leaves copies out).
func (v *Verdict) SaysSame(other *Verdict) bool {
	return v == other || v.Mode == other.Mode && v.Variant == other.Variant && v.Answer == other.Answer && v.Correct == other.Correct &&
		slices.Equal(v.Embedding, other.Embedding)
}
