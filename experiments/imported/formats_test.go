package imported_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/imported"
	"modebench/experiments/internal/exptest"
	"modebench/internal/input"
	"modebench/internal/testkit"
)

// lines are records of JSON as a log.
func lines(t *testing.T, records ...any) string {
	t.Helper()
	var out strings.Builder
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	return out.String()
}

type object = map[string]any

// sameAnswers is a log of one set of completions, two to each of two problems, in each form.
func sameAnswers(t *testing.T) map[string]string {
	t.Helper()
	texts := []string{"<answer>12+10+3</answer>", `no "[{answer}]", \ ` + "\n", "10+10+1", ""}
	var plain, eval, vllm, chats, completions []any
	for _, filter := range []string{"strict", "flexible"} {
		for i := range 2 {
			eval = append(eval, object{"doc_id": i, "doc": object{"id": fmt.Sprint("coins/train/", i)}, "resps": [][]string{texts[2*i : 2*i+2]}, "filtered_resps": []string{"x"}, "filter": filter})
		}
	}
	for i := range 2 {
		id, two := fmt.Sprint("coins/train/", i), texts[2*i:2*i+2]
		var outputs, messages []any
		for k, text := range two {
			plain = append(plain, object{"id": id, "completion": text})
			outputs = append(outputs, object{"index": k, "text": text, "token_ids": []int{1}})
			messages = append(messages, object{"index": k, "message": object{"role": "assistant", "content": text}})
		}
		vllm = append(vllm, object{"request_id": fmt.Sprint(i), "id": id, "prompt": "p", "outputs": outputs})
		chats = append(chats, object{"custom_id": id, "response": object{"body": object{"choices": messages}}, "error": nil})
		completions = append(completions, object{"custom_id": id, "response": object{"body": object{"choices": outputs}}, "error": nil})
	}
	indented, err := json.MarshalIndent(vllm, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	log := map[string]string{
		"jsonl": lines(t, plain...), "lm-eval": lines(t, eval...), "vllm": lines(t, vllm...), "openai": lines(t, chats...),
		"openai of completions": lines(t, completions...), "list": string(indented), "list on one line": strings.TrimSpace(lines(t, plain)),
	}
	for name, text := range maps.Clone(log) {
		log[name+" in gzip"] = string(zipped(text))
	}
	return log
}

// TestFormsHaveTheSameRecords: the same completions make the same bytes in every form.
func TestFormsHaveTheSameRecords(t *testing.T) {
	logs := sameAnswers(t)
	records := func(name string) map[string]string {
		opt := options(t)
		opt.As = "m"
		imports(t, opt, file(t, "lm.log", logs[name]))
		tree := exptest.Tree(t, opt.Out)
		maps.DeleteFunc(tree, func(path, _ string) bool {
			return filepath.Base(path) == "provenance.json" || filepath.Base(path) == "DONE"
		})
		return tree
	}
	want := records("jsonl")
	if len(want) < 4 {
		t.Fatalf("the records are %v", want)
	}
	for name := range logs {
		if d := cmp.Diff(want, records(name)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestLabelsOfForms: lm-eval has a folder for each model, and a file in gzip is named as its content.
func TestLabelsOfForms(t *testing.T) {
	logs := sameAnswers(t)
	for _, c := range []struct{ name, file, label string }{
		{"lm-eval", "org__model/samples_coins.jsonl", "org__model"}, {"vllm", "a.json", "a"}, {"openai in gzip", "b.jsonl.gz", "b"},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(logs[c.name]), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := imports(t, options(t), path).Variants[0].Label; got != c.label {
			t.Errorf("%s has the label %q, want %q", c.file, got, c.label)
		}
	}
}

// TestMistakesOfForms: each is one line, which names the place.
func TestMistakesOfForms(t *testing.T) {
	for _, c := range []struct {
		name, log string
		parts     []string
	}{
		{"two forms", `{"id": "p", "text": "a", "outputs": [{"text": "a"}]}`, []string{"lm.jsonl:1: its fields fit several forms, vllm and jsonl: name one with --log"}},
		{"three forms", `{"doc": {}, "resps": [], "custom_id": "", "response": {}, "completion": ""}`, []string{"several forms, lm-eval and openai and jsonl: "}},
		{"log-likelihoods", `{"doc": {"id": "coins/train/0"}, "resps": [[["-7.5", "False"]]]}`, []string{`field "resps": got ["-7.5", "False"], want a text`}},
		{"no outputs", `{"id": "coins/train/0", "outputs": []}`, []string{`field "outputs": it lists no completion`}},
		{"an output without a text", `{"id": "coins/train/0", "outputs": [{"text": "a"}, {"text": null}]}`, []string{`field "outputs": got {"text": null}, want a text`}},
		{"null for an output", `{"id": "coins/train/0", "outputs": [null]}`, []string{`field "outputs": got null, want a text`}},
		{"a failed request", `{"custom_id": "coins/train/0", "response": null, "error": {"code": "batch_expired", "message": "late"}}`,
			[]string{"lm.jsonl:1: no completion: the request failed: ", "batch_expired"}},
		{"a refused request", `{"custom_id": "coins/train/0", "response": {"status_code": 400, "body": {"error": {"message": "bad"}}}, "error": null}`, []string{"the request failed: ", "bad"}},
		{"an embedding", `{"custom_id": "coins/train/0", "response": {"status_code": 200, "body": {"data": []}}, "error": null}`, []string{"want it in the field response.body.choices"}},
		{"an id that is none of ours", `{"custom_id": "request-1", "response": {"body": {"choices": [{"text": "a"}]}}}`, []string{`reference "request-1"`}},
		{"the end of a list", "[\n{\"id\": \"coins/train/0\",\n\"text\": \"\"},\n", []string{"lm.jsonl, record 2: the list has no end: the file is cut off"}},
		{"within a list", "[{\"id\": \"coins/train/0\", \"text\": \"\"}, {\"id", []string{"lm.jsonl, record 2: the list has no end"}},
		{"an entry of a list", "[{\"id\": \"coins/train/0\", \"text\": \"\"}, {\"id\":\n3}]", []string{`lm.jsonl, record 2: field "id": got 3, want a text`}},
		{"behind a list", "[{\"id\": \"coins/train/0\", \"text\": \"\"}] {}", []string{"lm.jsonl, record 2: something follows the end of the list"}},
		{"an empty list", "[]", []string{"lm.jsonl holds no completions"}},
		{"a long record", `[{"id": "` + strings.Repeat("x", imported.MaxLine) + `"}]`, []string{"lm.jsonl, record 1: it has more than 16777216 bytes"}},
		{"gzip that is cut off", string(zipped(coinsLog)[:60]), []string{"lm.jsonl:2: its gzip is damaged or cut off: unexpected EOF"}},
		{"gzip without a head", "\x1f\x8b", []string{"lm.jsonl: gzip: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := imported.Import(t.Context(), []string{file(t, "lm.jsonl", c.log)}, options(t))
			testkit.WantError(t, err, c.parts...)
			if bad := (*input.Error)(nil); !errors.As(err, &bad) {
				t.Errorf("%v is no mistake in the input", err)
			}
		})
	}
}

// TestSkipBad: records that cannot be read are left out, counted and named, and the rest is read as before.
func TestSkipBad(t *testing.T) {
	opt := options(t)
	opt.SkipBad = true
	var notes []string
	opt.Notes = func(line string) { notes = append(notes, line) }
	good := strings.SplitAfter(coinsLog, "\n")
	bad := []string{"{\n", "[1]\n", `{"id": "coins/train/0"}` + "\n", `{"id": "gsm8k/1", "answer": "a"}` + "\n"}
	log := bad[0] + good[0] + bad[1] + bad[2] + strings.Join(good[1:], "") + bad[3]
	run := imports(t, opt, file(t, "lm.jsonl", log))
	want := imports(t, options(t), file(t, "lm.jsonl", coinsLog))
	if !cmp.Equal(run.Variants, want.Variants) {
		t.Errorf("the variants %+v, want %+v", run.Variants, want.Variants)
	}
	if len(notes) != 4 || !strings.Contains(notes[0], "lm.jsonl:1: it is no object of JSON") || !strings.Contains(notes[2], "lm.jsonl:4: no completion") ||
		!strings.Contains(notes[3], "skipped: 4 of 12 records in ") {
		t.Errorf("the notes %q", notes)
	}
	notes = nil
	imports(t, opt, file(t, "cut.json", `[{"id": "coins/train/0", "text": "12+10+3"}, {"id": "coins/tr`))
	if len(notes) != 2 || !strings.Contains(notes[0], "record 2: the list has no end") || !strings.Contains(notes[1], "skipped: 1 of 2 records") {
		t.Errorf("the notes on a list that is cut off: %q", notes)
	}
	_, err := imported.Import(t.Context(), []string{file(t, "bad.jsonl", strings.Join(bad, ""))}, opt)
	testkit.WantError(t, err, "bad.jsonl holds no completions: all of its records are bad; the first: ", "bad.jsonl:1: it is no object")
}

// TestGzipIsBounded: a small file that holds much is refused when its limit is reached, and takes no
// memory for the rest.
func TestGzipIsBounded(t *testing.T) {
	line := strings.Repeat(" ", 1<<16-1) + "\n"
	bomb := zipped(strings.Repeat(line, 1<<7))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	records, err := imported.Records(bomb, 1<<20)
	runtime.ReadMemStats(&after)
	testkit.WantError(t, err, "a.json:17: its gzip holds more than 1073741824 bytes and 64 times as many as the file: unpack it first")
	if made := after.TotalAlloc - before.TotalAlloc; len(records) > 16 || made > 8<<20 {
		t.Errorf("%d bytes of gzip gave %d records and took %d kB", len(bomb), len(records), made>>10)
	}
	if records, err := imported.Records(bomb, 8<<20); err != nil || len(records) != 1<<7 {
		t.Errorf("at the limit there are %d records, %v", len(records), err)
	}
}
