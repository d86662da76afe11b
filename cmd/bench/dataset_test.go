package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/envs/judging"
	"modebench/envs/reference"
)

// TestDataset: a line of --jsonl has the fields of --format json for the same problem, in every
// environment, and its id names that problem.
func TestDataset(t *testing.T) {
	for _, name := range envs.Names() {
		flags := []string{"--split", "test", "--env-seed", "2"}
		out, _ := succeed(t, append([]string{"env", name, "--jsonl", "--index", "3", "--count", "2"}, flags...)...)
		for i, text := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			var line, whole map[string]any
			index := fmt.Sprint(3 + i)
			doc, _ := succeed(t, append([]string{"env", name, "--format", "json", "--index", index}, flags...)...)
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(doc), &whole); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"split", "index", "prompt", "truth"} {
				if d := cmp.Diff(whole[key], line[key]); d != "" {
					t.Errorf("%s: %s (-json +jsonl):\n%s", name, key, d)
				}
			}
			if want := name + "/test/" + index + "?env_seed=2"; line["id"] != want || line["env"] != name {
				t.Errorf("got %v of %v, want %s", line["id"], line["env"], want)
			}
		}
	}
}

// TestDatasetUnique: --unique leaves out what an earlier line has, and changes no line.
func TestDatasetUnique(t *testing.T) {
	all, _ := succeed(t, "env", "multiplication", "--jsonl", "--count", "300")
	unique, _ := succeed(t, "env", "multiplication", "--jsonl", "--count", "300", "--unique")
	want, seen := "", map[string]bool{}
	for line := range strings.Lines(all) {
		var doc struct{ Prompt string }
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatal(err)
		}
		if !seen[doc.Prompt] {
			want += line
		}
		seen[doc.Prompt] = true
	}
	if len(seen) == 300 || unique != want {
		t.Errorf("%d distinct problems of 300, and --unique prints\n%s", len(seen), unique)
	}
}

func TestDatasetMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--count", "3"}, "--count is about --jsonl, which is missing"},
		{[]string{"--no-truth"}, "--no-truth is about --jsonl"},
		{[]string{"--unique"}, "--unique is about --jsonl"},
		{[]string{"--jsonl", "--format", "json"}, "--jsonl prints a data set: leave out --format, --answer and --draw"},
		{[]string{"--jsonl", "--count", "-1"}, "--count is -1, want 0 or more"},
		{[]string{"--jsonl", "--shots", "-1"}, "--shots is -1, want 0 or more"},
		{[]string{"--jsonl", "--reasoning"}, "--reasoning is about the examples of --shots"},
		{[]string{"--jsonl", "--shots", "1", "--split", "pretrain"}, "examples are problems of the split pretrain"},
		{[]string{"--jsonl", "--weights", "1"}, "--weights: got 1 numbers, want 2: correct, format"},
		{[]string{"--jsonl", "--set", "min_number=30"}, `--set: field "min_number"`},
		{[]string{"--jsonl", "--index", "9223372036854775807", "--count", "2"}, "numbers up to"},
	} {
		code, out, errs := call(t, "", append([]string{"env", "countdown"}, c.args...)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit code %d, %s%s; want %s", c.args, code, out, errs, c.want)
		}
	}
}

// asLines writes responses as lines of bench judge --jsonl.
func asLines(t *testing.T, responses []envtest.Response) string {
	t.Helper()
	var b strings.Builder
	for _, r := range responses {
		line, err := json.Marshal(map[string]any{"id": r.ID, "answer": r.Text, "step": 7})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// TestJudgeLines: the verdict on a line is that of bench judge NAME on its problem.
func TestJudgeLines(t *testing.T) {
	responses, err := envtest.Responses(70)
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := call(t, asLines(t, responses), "judge", "--jsonl", "--embeddings")
	if code != exitOK || errs != "" {
		t.Fatalf("exit code %d %s", code, errs)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(responses) {
		t.Fatalf("%d verdicts on %d lines", len(lines), len(responses))
	}
	for i, r := range responses {
		ref, err := reference.Parse(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"judge", ref.Env, "--embeddings", "--split", string(ref.Split), "--index", fmt.Sprint(ref.Index), fmt.Sprintf("--stops=%t", ref.Stops), "--candidates", fmt.Sprint(ref.Candidates)}
		if strings.Contains(r.ID, "env_seed") {
			args = append(args, "--env-seed", "1")
		}
		answer, _ := json.Marshal(r.Text)
		code, one, errs := call(t, string(answer)+"\n", args...)
		if code != exitOK {
			t.Fatalf("exit code %d %s", code, errs)
		}
		want := `{"id":"` + r.ID + `",` + strings.TrimPrefix(one, "{")
		if one[0] == '[' {
			want = `{"id":"` + r.ID + `","answers":` + strings.TrimSuffix(one, "\n") + "}\n"
		}
		if got := lines[i] + "\n"; got != want {
			t.Errorf("%s, %q:\n got %swant %s", r.ID, r.Text, got, want)
		}
	}
}

// TestJudgeLinesEscaped: the bound of an answer is on its text, however JSON writes it. Python writes six
// bytes for a character of Chinese, which has three.
func TestJudgeLinesEscaped(t *testing.T) {
	for _, c := range []struct {
		character string
		n, code   int
		want      string
	}{
		{`\u6211`, judging.MaxAnswer / 3, exitOK, `"correct":false`},
		{`\u6211`, judging.MaxAnswer/3 + 1, exitInput, `"fault":"an answer of more than 1048576 bytes"`},
		{`\u0061`, judging.MaxAnswer, exitOK, `"correct":false`}, // six bytes for one
	} {
		in := `{"id":"bandit/train/0","answer":"` + strings.Repeat(c.character, c.n) + `"}`
		code, out, errs := call(t, in, "judge", "--jsonl")
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%d of %s: exit code %d %.300s %s", c.n, c.character, code, out, errs)
		}
	}
}

// TestJudgeLinesFaults: each line gets a line, and the exit code is 3 if some have no verdict.
func TestJudgeLinesFaults(t *testing.T) {
	in := strings.Join([]string{
		`{"id":"bandit/train/0","answer":"m03"}`, ``, `m03`, `{"id":"bandit/train/0"}`, `{"id":3,"answer":"m03"}`, `{"id":"bandit/train/x","answer":"m03"}`,
		`{"id":"bandit/train/0?modes=2&rewarded=3","answer":"m03"}`, `{"id":"bandit/train/0","answer":"` + strings.Repeat("x", judging.MaxAnswer+1) + `"}`, strings.Repeat("x", judging.MaxLine+1), `{"id":"bandit/train/0","answer":"m11"}`,
	}, "\n") // and no end of the last line
	code, out, errs := call(t, in, "judge", "--jsonl")
	want := `{"id":"bandit/train/0","reward":[1],"scalar":1,"correct":true,"answer":"A0","mode":"m03","error":null}
{"id":null,"fault":"want {\"id\": \"...\", \"answer\": \"...\"}, both of them text"}
{"id":null,"fault":"want {\"id\": \"...\", \"answer\": \"...\"}, both of them text"}
{"id":"bandit/train/0","fault":"want {\"id\": \"...\", \"answer\": \"...\"}, both of them text"}
{"id":null,"fault":"want {\"id\": \"...\", \"answer\": \"...\"}, both of them text"}
{"id":"bandit/train/x","fault":"reference \"bandit/train/x\": the index is \"x\", want a whole number from 0 to 9223372036854775807"}
{"id":"bandit/train/0?modes=2&rewarded=3","fault":"reference \"bandit/train/0?modes=2&rewarded=3\": field \"rewarded\": got 3, want at most the number of modes, 2"}
{"id":"bandit/train/0","fault":"an answer of more than 1048576 bytes"}
{"id":null,"fault":"a line of more than 6356992 bytes"}
{"id":"bandit/train/0","reward":[0],"scalar":0,"correct":false,"answer":"A8","mode":"m11","error":null}
`
	if out != want {
		t.Errorf(" got %s\nwant %s", out, want)
	}
	if said := "standard input: no verdict on 8 lines of 10; the output for a line has the reason"; code != exitInput || !strings.Contains(errs, said) {
		t.Errorf("exit code %d %s", code, errs)
	}
	for _, args := range [][]string{{"judge", "bandit", "--jsonl"}, {"judge", "--jsonl", "--index", "3"}} {
		if code, _, errs := call(t, "", args...); code != exitUsage {
			t.Errorf("%v: exit code %d %s", args, code, errs)
		}
	}
}

// TestJudgeLinesAtOnce: a client that waits for a verdict before its next line gets it, and lines
// that are read together are answered together.
func TestJudgeLinesAtOnce(t *testing.T) {
	in, toBench := io.Pipe()
	fromBench, out := io.Pipe()
	ended := make(chan int)
	go func() {
		var errs bytes.Buffer
		ended <- bench(context.Background(), streams{in: in, out: out, err: &errs}, []string{"judge", "--jsonl"})
	}()
	const line = `{"id":"coins/train/0","answer":"12+10+3"}` + "\n"
	one := make([]byte, 1<<12)
	for range 20 {
		if _, err := io.WriteString(toBench, line); err != nil {
			t.Fatal(err)
		}
		n, err := fromBench.Read(one)
		if err != nil || !bytes.HasSuffix(one[:n], []byte("\n")) || !bytes.Contains(one[:n], []byte(`"correct":true`)) {
			t.Fatalf("%v %s", err, one[:n])
		}
	}
	go io.WriteString(toBench, line+line+line)
	n, err := fromBench.Read(one)
	if err != nil || bytes.Count(one[:n], []byte("\n")) != 3 {
		t.Errorf("%v: three lines gave in one write %s", err, one[:n])
	}
	toBench.Close()
	if code := <-ended; code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
