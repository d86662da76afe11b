package envs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// sameVerdict compares errors only by whether there is one, as a document holds no more.
var sameVerdict = cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) })

func TestCandidateReads(t *testing.T) {
	invalid := errors.New("some error")
	for _, c := range []struct {
		reason, text string
		want         envs.Candidate
	}{
		{"the whole document",
			`{"reward": [1, 0.5], "correct": true, "valid": true, "answer": "42", "mode": "A", "embedding": [0.25, -1], "variant": "a"}`,
			envs.Candidate{Has: envs.HasAll, Verdict: envs.Verdict{Reward: []float64{1, 0.5}, Correct: true, Answer: "42", Mode: "A", Variant: "a", Embedding: []float32{0.25, -1}}}},
		{"absent fields are missing, not zero", `{}`, envs.Candidate{}},
		{"variant null is none, and is there", `{"variant": null}`, envs.Candidate{Has: envs.HasVariant}},
		{"false is there", `{"correct": false}`, envs.Candidate{Has: envs.HasCorrect}},
		{"mode null is Degenerate, and is there", `{"mode": null}`, envs.Candidate{Has: envs.HasMode}},
		{"an invalid answer", `{"valid": false, "answer": "", "mode": null}`,
			envs.Candidate{Has: envs.HasValid | envs.HasAnswer | envs.HasMode, Verdict: envs.Verdict{Err: invalid}}},
		{"answer null abstains, and is there", `{"answer": null}`, envs.Candidate{Has: envs.HasAnswer}},
		{"as an empty one does", `{"answer": ""}`, envs.Candidate{Has: envs.HasAnswer}},
		{"embedding null is none, and is there", `{"embedding": null}`, envs.Candidate{Has: envs.HasEmbedding}},
		{"what every answer has is missing where it is null", `{"reward": null, "correct": null, "valid": null}`, envs.Candidate{}},
		{"a verdict as bench judge prints it", `{"reward": [1], "scalar": 0.5, "correct": true, "answer": "7", "mode": "A", "variant": null, "error": null}`,
			envs.Candidate{Has: envs.HasAll &^ envs.HasEmbedding, Verdict: envs.Verdict{Reward: []float64{1}, Correct: true, Answer: "7", Mode: "A"}}},
		{"one of an answer that does not parse", `{"reward": [0], "scalar": 0, "correct": false, "answer": null, "mode": null, "error": "no"}`,
			envs.Candidate{Has: envs.HasAll &^ (envs.HasEmbedding | envs.HasVariant), Verdict: envs.Verdict{Reward: []float64{0}, Err: invalid}}},
		{"one of many problems, read leniently", `{"id": "bandit/train/0", "reward": [1], "error": null, "reading": "boxed"}`,
			envs.Candidate{Has: envs.HasReward | envs.HasValid, ID: "bandit/train/0", Verdict: envs.Verdict{Reward: []float64{1}}}},
		{"the id of another's is passed over", `{"id": 7, "reward": [1]}`, envs.Candidate{Has: envs.HasReward, Verdict: envs.Verdict{Reward: []float64{1}}}},
		{"valid and error may agree", `{"valid": false, "error": "no"}`, envs.Candidate{Has: envs.HasValid, Verdict: envs.Verdict{Err: invalid}}},
		{"no components are some", `{"reward": [], "embedding": []}`,
			envs.Candidate{Has: envs.HasReward | envs.HasEmbedding, Verdict: envs.Verdict{Reward: []float64{}, Embedding: []float32{}}}},
	} {
		var got envs.Candidate
		if err := got.Decode([]byte(c.text), "at"); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		} else if d := cmp.Diff(c.want, got, sameVerdict); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

func TestCandidateErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`null`, "at: got null, want a candidate"},
		{`[]`, "at: got array, want an object"},
		{`{"rewards": [1]}`, `at: unknown field "rewards"`},
		{`{"reward": 1}`, "at.reward: got number, want an array"},
		{`{"reward": [1, null]}`, "at.reward[1]: got null, want a number"},
		{`{"reward": [1e999]}`, "at.reward: got number 1e999, want a finite number"},
		{`{"reward": ["1"]}`, "at.reward: got string, want a finite number"},
		{`{"correct": 1}`, "at.correct: got number, want true or false"},
		{`{"answer": 42}`, "at.answer: got 42, want a string or null"},
		{`{"error": true}`, "at.error: got true, want a string or null"},
		{`{"valid": true, "error": "no"}`, `at.error: got "no", but valid is true`},
		{`{"valid": false, "error": null}`, "at.error: got null, but valid is false"},
		{`{"scalar": "1"}`, "at.scalar: got string, want a finite number"},
		{`{"embedding": 1}`, "at.embedding: got number, want an array"},
		{`{"variant": 42}`, "at.variant: got 42, want a string or null"},
		{`{"mode": 3}`, "at.mode: got 3, want a string or null"},
		{"{\"mode\": {\n}}", "at.mode: got { }, want a string or null"},
		{`{"embedding": [0, null]}`, "at.embedding[1]: got null, want a number"},
		{`{"embedding": [0, 1e39]}`, "at.embedding[1]: got 1e+39, want a number that a float32 holds"},
	} {
		var got envs.Candidate
		if err := got.Decode([]byte(c.text), "at"); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestCandidateStartsAfresh(t *testing.T) {
	var c envs.Candidate
	for _, text := range []string{`{"reward": [1], "correct": true, "mode": "A", "valid": false}`, `{"answer": "7"}`} {
		if err := c.Decode([]byte(text), "at"); err != nil {
			t.Fatal(err)
		}
	}
	want := envs.Candidate{Has: envs.HasAnswer, Verdict: envs.Verdict{Answer: "7"}}
	if d := cmp.Diff(want, c, sameVerdict); d != "" {
		t.Errorf("a second document kept fields of the first (-want +got):\n%s", d)
	}
}

// FuzzCandidate: a verdict that is read and written is read again unchanged; any text that is no
// candidate gives an error of one line.
func FuzzCandidate(f *testing.F) {
	for _, text := range []string{
		`{"reward": [1, 0.5], "correct": true, "valid": true, "answer": "42", "mode": "A", "embedding": [0.1]}`,
		`{"reward": [], "mode": null, "embedding": []}`, `{"embedding": [1e39]}`, `{"reward": [1e-400, -0]}`, `null`, `{"mode": "\ud800"}`, `{"answer": null, "error": null, "scalar": 1, "embedding": null}`, `{"valid": true, "error": ""}`, `{"reward": [0.1], "correct": true, "mode": null, "error": "no", "variant": "", "answer": "a\nb"}`, "{\"x\": \n}", `{"Mode":"a","mode":null}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second envs.Candidate
		if err := first.Decode(data, "at"); err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || !strings.HasPrefix(err.Error(), "at") {
				t.Fatalf("%q: error %q, want one line that begins with the path", data, err)
			}
			return
		}
		if written := envs.HasReward | envs.HasCorrect | envs.HasValid | envs.HasMode; first.Has&written != written {
			return
		}
		text := "{" + string(first.AppendDocument(nil, make([]float64, len(first.Reward)), first.Has)) + "}"
		if err := second.Decode([]byte(text), "at"); err != nil {
			t.Fatalf("%q was written as %s, which cannot be read: %v", data, text, err)
		}
		first.ID = "" // bench judge writes it beside the verdict
		if d := cmp.Diff(first, second, sameVerdict); d != "" {
			t.Fatalf("%q changed on the way through %s (-before +after):\n%s", data, text, d)
		}
	})
}

func TestFieldNames(t *testing.T) {
	for _, c := range []struct {
		fields envs.Fields
		want   []string
	}{
		{0, nil},
		{envs.HasAll, []string{"reward", "correct", "valid", "answer", "mode", "embedding", "variant"}},
		{envs.HasMode | envs.HasReward, []string{"reward", "mode"}},
	} {
		if d := cmp.Diff(c.want, c.fields.Names()); d != "" {
			t.Errorf("%b (-want +got):\n%s", c.fields, d)
		}
	}
}

func TestProvides(t *testing.T) {
	always := envs.HasReward | envs.HasCorrect | envs.HasValid | envs.HasMode
	for _, c := range []struct {
		info envs.Info
		want envs.Fields
	}{
		{envs.Info{}, always},
		{envs.Info{Votes: true}, always | envs.HasAnswer},
		{envs.Info{Embeddings: true}, always | envs.HasEmbedding},
		{envs.Info{Variants: true}, always | envs.HasVariant},
		{envs.Info{Votes: true, Embeddings: true, Variants: true}, envs.HasAll},
	} {
		if got := c.info.Provides(); got != c.want {
			t.Errorf("%+v: provides %v, want %v", c.info, got.Names(), c.want.Names())
		}
	}
}

func TestAppendDocument(t *testing.T) {
	w := []float64{0.75, 0.25}
	for _, c := range []struct {
		reason  string
		verdict envs.Verdict
		has     envs.Fields
		want    string
	}{
		{"a correct answer", envs.Verdict{Reward: []float64{1, 0.5}, Correct: true, Answer: "7", Mode: "A"}, envs.HasAnswer,
			`{"reward":[1,0.5],"scalar":0.875,"correct":true,"answer":"7","mode":"A","error":null}`},
		{"one that does not parse", envs.Verdict{Reward: []float64{0, 0}, Err: errors.New("why")}, envs.HasAnswer | envs.HasVariant,
			`{"reward":[0,0],"scalar":0,"correct":false,"answer":null,"mode":null,"variant":null,"error":"why"}`},
		{"of an environment without votes", envs.Verdict{Reward: []float64{0, 0}, Mode: "<A>"}, 0,
			`{"reward":[0,0],"scalar":0,"correct":false,"mode":"<A>","error":null}`},
		{"with its embedding", envs.Verdict{Reward: []float64{0, 0}, Mode: "A", Embedding: []float32{0.1, -1}}, envs.HasEmbedding,
			`{"reward":[0,0],"scalar":0,"correct":false,"mode":"A","error":null,"embedding":[0.1,-1]}`},
		{"which it has not", envs.Verdict{Reward: []float64{0, 0}, Mode: "A"}, envs.HasEmbedding,
			`{"reward":[0,0],"scalar":0,"correct":false,"mode":"A","error":null,"embedding":null}`},
	} {
		if got := "{" + string(c.verdict.AppendDocument(nil, w, c.has)) + "}"; got != c.want {
			t.Errorf("%s: got %s\nwant %s", c.reason, got, c.want)
		}
	}
}

// TestSaysSame: everything that tells two answers apart does, one thing at a time; the
// reward, which follows from the answer, and pointers do not.
func TestSaysSame(t *testing.T) {
	one := func() *envs.Verdict {
		return &envs.Verdict{Mode: "m", Variant: "v", Answer: "a", Correct: true, Embedding: []float32{1, 0}}
	}
	if v := one(); !v.SaysSame(v) || !v.SaysSame(one()) {
		t.Error("a copy does not say the same")
	}
	for what, change := range map[string]func(*envs.Verdict){
		"mode":      func(v *envs.Verdict) { v.Mode = "n" },
		"variant":   func(v *envs.Verdict) { v.Variant = "w" },
		"answer":    func(v *envs.Verdict) { v.Answer = "b" },
		"correct":   func(v *envs.Verdict) { v.Correct = false },
		"embedding": func(v *envs.Verdict) { v.Embedding = []float32{0, 1} },
	} {
		other := one()
		change(other)
		if one().SaysSame(other) || other.SaysSame(one()) {
			t.Errorf("another %s says the same", what)
		}
	}
}
