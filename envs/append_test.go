package envs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"modebench/envs"
)

// plainJSON is a document by encoding/json without the escapes for HTML.
func plainJSON(t *testing.T, doc any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// orNull is a text, or nil in place of "".
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// document is a verdict for encoding/json. Members that the environment lacks are nil.
func document(v *envs.Verdict, w []float64, has envs.Fields) any {
	doc := struct {
		Reward    []float64  `json:"reward"`
		Scalar    float64    `json:"scalar"`
		Correct   bool       `json:"correct"`
		Answer    **string   `json:"answer,omitempty"`
		Mode      *string    `json:"mode"`
		Variant   **string   `json:"variant,omitempty"`
		Error     *string    `json:"error"`
		Embedding *[]float32 `json:"embedding,omitempty"`
	}{Reward: v.Reward, Scalar: v.Scalar(w), Correct: v.Correct, Mode: orNull(string(v.Mode))}
	if has&envs.HasAnswer != 0 {
		doc.Answer = new(orNull(v.Answer))
	}
	if has&envs.HasVariant != 0 {
		doc.Variant = new(orNull(v.Variant))
	}
	if has&envs.HasEmbedding != 0 {
		doc.Embedding = &v.Embedding
	}
	if v.Err != nil {
		doc.Error = orNull(v.Err.Error())
	}
	return doc
}

// FuzzAppendDocument: the fast writer gives the bytes of encoding/json.
func FuzzAppendDocument(f *testing.F) {
	f.Add("m03", "a<b>&c", `\ " / `, "é\u2028\xff\x00\x1f\x7f\ufffd", 0.1, 1e-7, float32(0.3), uint8(255), true)
	f.Add("", "", "", "", 0.0, 1e21, float32(1e-7), uint8(0), false)
	f.Add("a\tb\nc\r\b\f", "x", "y", "", -1e-300, 123456789.25, float32(-1e30), uint8(127), true)
	f.Fuzz(func(t *testing.T, answer, mode, variant, failure string, a, b float64, c float32, has uint8, list bool) {
		v := envs.Verdict{Reward: []float64{a, b}, Correct: list, Answer: answer, Mode: envs.Mode(mode), Variant: variant}
		if list {
			v.Embedding = []float32{c, float32(a), 0}
		}
		if failure != "" {
			v.Err = errors.New(failure)
		}
		w := []float64{0.5, 0.25}
		for _, x := range []float64{a, b, v.Scalar(w), float64(c), float64(float32(a))} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Skip()
			}
		}
		want := plainJSON(t, document(&v, w, envs.Fields(has)))
		if got := "{" + string(v.AppendDocument(nil, w, envs.Fields(has))) + "}"; got != want {
			t.Fatalf("\n got %s\nwant %s", got, want)
		}
		if got, want := string(envs.AppendText(nil, failure)), plainJSON(t, failure); got != want {
			t.Fatalf("text\n got %s\nwant %s", got, want)
		}
	})
}
