package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	code, out, errs := call(t, "m03\n{\"answer\": \"m11\"}\nnone of them\n", "judge", "bandit")
	want := `{"reward":[1],"scalar":1,"correct":true,"answer":"A0","mode":"m03","error":null}
{"reward":[0],"scalar":0,"correct":false,"answer":"A8","mode":"m11","error":null}
{"reward":[0],"scalar":0,"correct":false,"answer":null,"mode":null,"error":"\"none of them\" is no arm; arms are m00 to m11"}
`
	if code != exitOK || out != want {
		t.Errorf("exit code %d %s\n got %s\nwant %s", code, errs, out, want)
	}
}

// TestJudgeEmbeddings: embeddings are printed on request, and an environment without them is a
// mistake.
func TestJudgeEmbeddings(t *testing.T) {
	code, out, errs := call(t, "m1\nnone of them\n", "judge", "bandit", "--set", "modes=2", "--set", "rewarded=1", "--set", "dim=2", "--embeddings")
	want := `{"reward":[0],"scalar":0,"correct":false,"answer":"A1","mode":"m1","error":null,"embedding":[0.0030805883,-0.99999523]}
{"reward":[0],"scalar":0,"correct":false,"answer":null,"mode":null,"error":"\"none of them\" is no arm; arms are m0 to m1","embedding":null}
`
	if code != exitOK || out != want {
		t.Errorf("exit code %d %s\n got %s\nwant %s", code, errs, out, want)
	}
	code, _, errs = call(t, "m1\n", "judge", "bandit", "--set", "dim=0", "--embeddings")
	if code != exitUsage || !strings.Contains(errs, "--embeddings: answers of bandit have no embedding under these settings") {
		t.Errorf("without any: exit code %d %s", code, errs)
	}
}

// TestJudgeOddLines: a line that looks like JSON and is not is judged as text, and the batch
// goes on. A JSON text is judged by its content.
func TestJudgeOddLines(t *testing.T) {
	in := []string{
		`"m03`, `"m03" he said`, `{m03}`, `{"answer": "m03"`, `{"answer": "m03"} {"answer": "m03"}`, `"`, `{`,
		`"m03"`, ` "<answer>m\u0030\u0033</answer>\nor so" `, `{"answer": "m03", "tokens": 1}`,
	}
	code, out, errs := call(t, strings.Join(in, "\n")+"\n", "judge", "bandit")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitOK || errs != "" || len(lines) != len(in) {
		t.Fatalf("exit code %d, %d verdicts of %d, %s", code, len(lines), len(in), errs)
	}
	for i, line := range lines {
		var verdict struct {
			Mode  *string
			Error *string
		}
		if err := json.Unmarshal([]byte(line), &verdict); err != nil {
			t.Fatal(err)
		}
		if read := i >= 7; read != (verdict.Mode != nil) || read != (verdict.Error == nil) {
			t.Errorf("%s: %s", in[i], line)
		}
	}
}
