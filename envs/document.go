package envs

import (
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

	// HasAll is every field; what an environment's own judge gives.
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
// "mode": null is Degenerate, and "variant": null is no variant. Any other field that is
// null counts as missing, as an absent one does. Numbers that are null or not finite
// (1e999; in an embedding, also what no float32 holds) are errors.
type Candidate struct {
	Verdict
	Has Fields
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
		Correct   *bool           `json:"correct"`
		Valid     *bool           `json:"valid"`
		Answer    *string         `json:"answer"`
		Mode      json.RawMessage `json:"mode"`
		Embedding []*float64      `json:"embedding"`
		Variant   json.RawMessage `json:"variant"`
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
	if doc.Correct != nil {
		c.Correct, c.Has = *doc.Correct, c.Has|HasCorrect
	}
	if doc.Valid != nil {
		c.Has |= HasValid
		if !*doc.Valid {
			c.Err = errInvalid
		}
	}
	if doc.Answer != nil {
		c.Answer, c.Has = *doc.Answer, c.Has|HasAnswer
	}
	if doc.Mode != nil {
		mode, err := nullable(doc.Mode, path, "mode")
		if err != nil {
			return err
		}
		c.Mode, c.Has = Mode(mode), c.Has|HasMode
	}
	if doc.Embedding != nil {
		embedding, err := strictjson.Numbers(doc.Embedding, strictjson.Join(path, "embedding"))
		if err != nil {
			return err
		}
		c.Embedding, c.Has = make([]float32, len(embedding)), c.Has|HasEmbedding
		for i, x := range embedding {
			// A finite float64 may overflow here, and no document could hold it.
			if c.Embedding[i] = float32(x); math.IsInf(float64(c.Embedding[i]), 0) {
				return fmt.Errorf("%s[%d]: got %v, want a number that a float32 holds", strictjson.Join(path, "embedding"), i, x)
			}
		}
	}
	if doc.Variant != nil {
		variant, err := nullable(doc.Variant, path, "variant")
		if err != nil {
			return err
		}
		c.Variant, c.Has = variant, c.Has|HasVariant
	}
	return nil
}

// nullable reads a text where null stands for "", and is there.
func nullable(data json.RawMessage, path, field string) (string, error) {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return "", fmt.Errorf("%s: got %s, want a string or null", strictjson.Join(path, field), strictjson.OneLine(string(data)))
	}
	if text == nil {
		return "", nil
	}
	return *text, nil
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
		doc["answer"] = c.Answer
	}
	if c.Has&HasMode != 0 {
		doc["mode"] = nil
		if c.Mode != Degenerate {
			doc["mode"] = c.Mode
		}
	}
	if c.Has&HasEmbedding != 0 {
		doc["embedding"] = c.Embedding
	}
	if c.Has&HasVariant != 0 {
		doc["variant"] = nil
		if c.Variant != "" {
			doc["variant"] = c.Variant
		}
	}
	return json.Marshal(doc)
}

// A VerdictDocument is a verdict as `bench judge` prints it.
type VerdictDocument struct {
	Reward  []float64 `json:"reward"`
	Scalar  float64   `json:"scalar"` // w*.r
	Correct bool      `json:"correct"`
	Answer  *string   `json:"answer"`
	Mode    *string   `json:"mode"`
	Variant *string   `json:"variant,omitempty"` // absent where there is none
	Error   *string   `json:"error"`
}

// Document returns the printed form under the scalarisation w.
func (v Verdict) Document(w []float64) VerdictDocument {
	doc := VerdictDocument{Reward: v.Reward, Scalar: v.Scalar(w), Correct: v.Correct}
	if v.Answer != "" {
		doc.Answer = &v.Answer
	}
	if v.Mode != Degenerate {
		mode := string(v.Mode)
		doc.Mode = &mode
	}
	if v.Variant != "" {
		doc.Variant = &v.Variant
	}
	if v.Err != nil {
		text := v.Err.Error()
		doc.Error = &text
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
