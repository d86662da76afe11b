package imported_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/imported"
	"modebench/internal/testkit"
)

// Records of other programs, with the fields that these write.
const (
	lmEval = `{"doc_id": 0, "doc": {"id": "coins/train/0", "prompt": "Pay 25"}, "target": "", "arguments": {"gen_args_0": {"arg_0": "<s>Pay 25", "arg_1": {"until": ["\n\n"]}}},
		"resps": [["a", "b"]], "filtered_resps": ["a"], "filter": "none", "metrics": ["exact_match"], "doc_hash": "1", "prompt_hash": "2", "target_hash": "3", "exact_match": NaN}`
	vllm = `{"request_id": "0", "id": "coins/train/0", "prompt": "Pay 25", "prompt_token_ids": [1, 2], "prompt_logprobs": null, "finished": true, "metrics": null, "outputs": [
		{"index": 0, "text": "a", "token_ids": [3], "cumulative_logprob": -Infinity, "logprobs": null, "finish_reason": "stop", "stop_reason": null},
		{"index": 1, "text": "b", "token_ids": [4], "cumulative_logprob": -0.5, "logprobs": null, "finish_reason": "length", "stop_reason": null}]}`
	batch = `{"id": "batch_req_1", "custom_id": "coins/train/0", "response": {"status_code": 200, "request_id": "r", "body": {"id": "chatcmpl-1", "object": "chat.completion", "model": "m",
		"choices": [{"index": 0, "message": {"role": "assistant", "content": "a", "refusal": null}, "finish_reason": "stop"},
		{"index": 1, "message": {"role": "assistant", "content": null, "refusal": "no"}, "finish_reason": "stop"}], "usage": {}}}, "error": null}`
)

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		reason, line string
		want         imported.Line
	}{
		{"all fields", `{"id": "p", "completion": "t", "prompt": "q", "step": 3, "label": "a", "seed": 2, "more": [1]}`,
			imported.Line{ID: "p", Texts: []string{"t"}, Prompt: "q", Label: "a", Step: 3, Seed: 2}},
		{"only a text", `{"completion": ""}`, imported.Line{Texts: []string{""}}},
		{"null is no field", `{"id": null, "completion": "t", "label": null, "run": "r", "step": null}`, imported.Line{Texts: []string{"t"}, Label: "r"}},
		{"a number that JSON does not have", `{"completion": "NaN \" NaN\\", "score": NaN, "low": -Infinity, "step": 1}`, imported.Line{Texts: []string{`NaN " NaN\`}, Step: 1}},
		{"the last turn of each role", `{"prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}],
			"completion": [{"role": "assistant", "content": "1"}, {"role": "tool", "content": "x"}, {"role": "assistant", "content": "2"}]}`, imported.Line{Prompt: "q", Texts: []string{"2"}}},
		{"parts", `{"messages": [{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}]}`, imported.Line{Texts: []string{"ab"}}},
		{"a call of a tool says nothing", `{"messages": [{"role": "assistant", "content": null}]}`, imported.Line{Texts: []string{""}}},
		{"the first field that it has", `{"messages": [{"role": "user", "content": "q"}], "completion": "t"}`, imported.Line{Texts: []string{"t"}}},
		{"samples of lm-eval, as save_results_samples writes them", lmEval, imported.Line{ID: "coins/train/0", Prompt: "Pay 25", Texts: []string{"a", "b"}}},
		{"lm-eval's own prompt", `{"doc": {"id": "p"}, "resps": [["a"], ["b"]], "arguments": {"gen_args_0": {"arg_0": "q", "arg_1": {"until": []}}}}`,
			imported.Line{ID: "p", Prompt: "q", Texts: []string{"a", "b"}}},
		{"vLLM's RequestOutput", vllm, imported.Line{ID: "coins/train/0", Prompt: "Pay 25", Texts: []string{"a", "b"}}},
		{"vLLM's, without an id of ours", `{"request_id": "7", "prompt": null, "outputs": [{"text": "a"}]}`, imported.Line{ID: "7", Texts: []string{"a"}}},
		{"OpenAI's batch of chats", batch, imported.Line{ID: "coins/train/0", Texts: []string{"a", ""}}},
		{"OpenAI's batch of completions", `{"id": "batch_req_1", "custom_id": "p", "response": {"status_code": 200, "body": {"choices": [{"index": 0, "text": "a"}]}}, "error": null}`,
			imported.Line{ID: "p", Texts: []string{"a"}}},
		{"OpenAI's batch of responses", `{"custom_id": "p", "response": {"status_code": 200, "body": {"object": "response", "output": [{"type": "reasoning", "id": "rs_1", "summary": []},
			{"type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "a", "annotations": []}]}]}}, "error": null}`,
			imported.Line{ID: "p", Texts: []string{"a"}}},
		{"a field whose name has a dot", `{"doc.id": "p", "doc": {"id": "q"}, "resps": [["a"]]}`, imported.Line{ID: "p", Texts: []string{"a"}}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			got, err := imported.ParseLine([]byte(c.line))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(&c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// FuzzParseLine: any line is read or refused in one line. A line that is read can be written with
// plain fields, and is read as the same again.
func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{
		`{"id": "coins/train/0", "completion": "<answer>12+10+3</answer>", "step": 1e3}`,
		`{"prompt": [{"role": "user", "content": "q"}], "messages": [{"role": "assistant", "content": [{"text": "a"}]}], "score": NaN}`,
		`{"completion": "\"", "x": -Infinity, "seed": 9007199254740992}`,
		lmEval, vllm, batch, `{"custom_id": "p", "response": null, "error": {"code": "batch_expired"}}`, `{"doc": {}, "resps": [[["-1", "False"]]], "outputs": []}`,
		`{"custom_id": "p", "response": {"body": {"output": [{"role": "assistant", "content": [{"text": "a"}]}]}}}`, `{"resps": [], "doc": 1}`, `{"outputs": [{"text": null}, {"message": {"content": [{"text": "a"}]}}], "text": "b"}`,
		`{"completion": null}`, `[]`, `null`, "", `{"completion": "\ud800"}`, `{"completion": "NaN\\`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := imported.ParseLine(line)
		if err != nil {
			testkit.OneLine(t, err)
			return
		}
		for _, text := range got.Texts {
			want := *got
			want.Texts = []string{text}
			plain, err := json.Marshal(map[string]any{"id": got.ID, "completion": text, "prompt": got.Prompt, "label": got.Label, "step": got.Step, "seed": got.Seed})
			if err != nil {
				t.Fatal(err)
			}
			again, err := imported.ParseLine(plain)
			if err != nil || !cmp.Equal(again, &want) || got.Step < 0 || got.Seed < 0 {
				t.Fatalf("%s is read as %+v, and that as %+v, %v", line, got, again, err)
			}
		}
	})
}

// FuzzRecords: a list of JSON has the records that the standard library finds in it, in gzip too.
func FuzzRecords(f *testing.F) {
	for _, seed := range []string{
		"[]", " \r\n[ {\"a\": [1, \"],\\\"\"]},\n {} ]\n", "[1", "[1] 2", "[[1,2],3]", "\ufeff[{\"a\": \"\\\\\"}, null]", "{}\n{}", "[}]", "[1,,2]", "",
	} {
		f.Add([]byte(seed))
		f.Add(zipped(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := imported.Records(data, 1<<20)
		if err != nil {
			testkit.OneLine(t, err)
		}
		var want []json.RawMessage
		if json.Unmarshal(data, &want) != nil || len(want) == 0 {
			return
		}
		again, zerr := imported.Records(zipped(string(data)), 1<<20)
		if err != nil || zerr != nil || len(got) != len(want) || !cmp.Equal(got, again) {
			t.Fatalf("%q has the records %q, %v, and in gzip %q, %v", data, got, err, again, zerr)
		}
		for i, record := range got {
			var a, b any
			if json.Unmarshal([]byte(record), &a) != nil || json.Unmarshal(want[i], &b) != nil || !cmp.Equal(a, b) || strings.Contains(record, "\n") {
				t.Errorf("record %d is %q, want %q", i, record, want[i])
			}
		}
	})
}

func zipped(text string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.Bytes()
}

// TestPartsAreJoinedOnce: a turn of twice as many parts takes twice the memory, not four times.
func TestPartsAreJoinedOnce(t *testing.T) {
	made := func(n int) uint64 {
		part := `{"type":"text","text":"0123456789"},`
		line := []byte(`{"id":"p","completion":[{"role":"assistant","content":[` + strings.TrimSuffix(strings.Repeat(part, n), ",") + `]}]}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		l, err := imported.ParseLine(line)
		runtime.ReadMemStats(&after)
		if err != nil || len(l.Texts[0]) != 10*n {
			t.Fatal(err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if once, twice := made(20_000), made(40_000); float64(twice) > 2.5*float64(once) {
		t.Errorf("20000 parts take %d bytes and 40000 take %d", once, twice)
	}
}
