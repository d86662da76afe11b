package envs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"modebench/internal/strictjson"
)

// Fields is a set of verdict fields: those a document holds, or those a method or metric reads.
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
// A verdict that `bench judge` prints (Verdict.AppendDocument) is a Candidate too: its "error"
// replaces "valid". "scalar", which follows from the reward, and "reading" are passed over. Its
// "id" names the problem of the answer: answers to several problems make no pool and no group
// (OneProblem).
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

// candidateDocument is the JSON form of a Candidate.
type candidateDocument struct {
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
	// Of bench judge: which problem it is about, and where the answer was found.
	ID      json.RawMessage `json:"id"`
	Reading json.RawMessage `json:"reading"`
}

// Decode reads the document of a candidate at a path of a larger document
// ("groups[0].rollouts[1].candidates[0]"), which errors name. Unknown fields are errors.
func (c *Candidate) Decode(data []byte, path string) error {
	if string(data) == "null" {
		return fmt.Errorf("%s: got null, want a candidate", path)
	}
	var doc candidateDocument
	if err := strictjson.Decode(data, path, &doc); err != nil {
		return err
	}
	*c = Candidate{}
	_ = json.Unmarshal(doc.ID, &c.ID) // an ID that is no text names no problem of ours
	reward, err := strictjson.Numbers(doc.Reward, path+".reward")
	if err != nil {
		return err
	}
	if reward != nil {
		c.Reward, c.Has = reward, c.Has|HasReward
	}
	if doc.Correct != nil {
		c.Correct, c.Has = *doc.Correct, c.Has|HasCorrect
	}
	if err := c.decodeValid(doc.Valid, doc.Error, path); err != nil {
		return err
	}
	for _, f := range []struct {
		text json.RawMessage
		to   *string
		has  Fields
	}{{doc.Answer, &c.Answer, HasAnswer}, {doc.Mode, (*string)(&c.Mode), HasMode}, {doc.Variant, &c.Variant, HasVariant}} {
		if f.text == nil {
			continue
		}
		if *f.to, err = strictjson.TextOrNull(f.text, path+"."+f.has.Names()[0]); err != nil {
			return err
		}
		c.Has |= f.has
	}
	if doc.Embedding == nil {
		return nil
	}
	c.Has |= HasEmbedding
	return c.decodeEmbedding(doc.Embedding, path+".embedding")
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
	path += ".error"
	text, err := strictjson.TextOrNull(failure, path)
	if err != nil {
		return err
	}
	if valid != nil && *valid != (text == "") {
		return fmt.Errorf("%s: got %s, but valid is %t", path, strictjson.OneLine(string(failure)), *valid)
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

// Scalar is w.r, summed in component order.
func (v *Verdict) Scalar(w []float64) float64 { return scalar(w, v.Reward) }

// SaysSame reports whether another verdict is of the same reasoning and outcome, as
// far as verdicts tell: one answer of a chain is then a copy of the other (SD-E2's
// parser, app. E, leaves copies out).
func (v *Verdict) SaysSame(u *Verdict) bool {
	return v == u || v.Mode == u.Mode && v.Variant == u.Variant && v.Answer == u.Answer && v.Correct == u.Correct &&
		slices.Equal(v.Embedding, u.Embedding)
}
