package judging_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"modebench/envs"
	_ "modebench/envs/bandit"
	_ "modebench/envs/coins"
	_ "modebench/envs/countdown"
	_ "modebench/envs/derivation"
	"modebench/envs/envtest"
	"modebench/envs/judging"
	_ "modebench/envs/maze"
	_ "modebench/envs/multiplication"
	_ "modebench/envs/polynomial"
	"modebench/envs/reference"
)

// slowly is a judgement for encoding/json, by the promise of the package comment of cmd/bench. The
// fast writer is held against it; package envs tests the form of a single verdict.
func slowly(q *reference.Posed, response string, has envs.Fields) any {
	document := func(v *envs.Verdict) json.RawMessage {
		return append(v.AppendDocument([]byte{'{'}, q.Weights, has), '}')
	}
	if q.Chain == nil {
		return document(q.Problem.JudgeText(response))
	}
	var out struct {
		Answers []json.RawMessage `json:"answers"`
		Named   int               `json:"named"`
		Final   **string          `json:"final,omitempty"`
	}
	verdicts := q.Chain.JudgeText(response)
	for _, v := range verdicts {
		out.Answers = append(out.Answers, document(v))
	}
	if !q.Chain.Stops() {
		return out.Answers
	}
	out.Named = q.Chain.NamedText(response)
	if has&envs.HasAnswer != 0 {
		out.Final = new(*string)
		if v := envs.FinalVerdict(verdicts, out.Named); v != nil && v.Answer != "" {
			*out.Final = &v.Answer
		}
	}
	return out
}

func encoded(t *testing.T, doc any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// TestAppend: judgements are written as encoding/json writes them, alone and with the id.
func TestAppend(t *testing.T) {
	responses, err := envtest.Responses(3000)
	if err != nil {
		t.Fatal(err)
	}
	cache := reference.NewCache(1000)
	correct, wrong, invalid := 0, 0, 0
	for i, r := range responses {
		q, err := cache.Find(r.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		has := judging.Fields(q, i%2 == 0)
		j := judging.Judge(q, r.Text, judging.Strict)
		for _, v := range j.Verdicts {
			switch {
			case v.Correct:
				correct++
			case v.Err != nil:
				invalid++
			default:
				wrong++
			}
		}
		want := encoded(t, slowly(q, r.Text, has))
		if got := j.Append(nil, has); !bytes.Equal(got, want) {
			t.Fatalf("%s, %q:\n got %s\nwant %s", r.ID, r.Text, got, want)
		}
		named := append(append([]byte(`{"id":`), encoded(t, r.ID)...), ',')
		switch {
		case want[0] == '[':
			named = append(append(append(named, `"answers":`...), want...), '}')
		default:
			named = append(named, want[1:]...)
		}
		if got := j.AppendNamed(nil, r.ID, has); !bytes.Equal(got, named) {
			t.Fatalf("%s, %q:\n got %s\nwant %s", r.ID, r.Text, got, named)
		}
	}
	if min(correct, wrong, invalid) < 300 {
		t.Errorf("%d correct, %d wrong, %d invalid answers: too few of a kind", correct, wrong, invalid)
	}
}

func TestAppendFault(t *testing.T) {
	id := "x\ny"
	for _, c := range []struct {
		id   *string
		want string
	}{{nil, `{"id":null,"fault":"no \"way\""}`}, {&id, `{"id":"x\ny","fault":"no \"way\""}`}} {
		if got := string(judging.AppendFault(nil, c.id, errors.New(`no "way"`))); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
