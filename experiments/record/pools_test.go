package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pooled is a run of one cell with that file of answers.
func pooled(t testing.TB, text string) (*Run, Ref) {
	t.Helper()
	run, err := folder(t, manifest, "", "")
	if err != nil {
		t.Fatal(err)
	}
	ref := run.Variants[0].Cells[0]
	if err := os.WriteFile(filepath.Join(run.Folder(ref), PoolsFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	finish(t, run.Folder(ref))
	return run, ref
}

const pool = `{"step":0,"problem":0,"id":"train/0","answers":[` +
	`{"rollout":0,"chain":1,"text":"UP UP","mode":"exit","reward":[1,0.5],"correct":true,"valid":true,"embedding":[0.1,-1],"tokens":["UP","UP"]},` +
	`{"rollout":0,"chain":2,"text":"","mode":"","reward":[0,0],"correct":false,"valid":false,"tokens":[]}],"front":[[1,0.5]]}` + "\n"

func TestPools(t *testing.T) {
	run, ref := pooled(t, pool+strings.Replace(pool, `"problem":0`, `"problem":1`, 1))
	got, err := run.Pools(ref)
	if err != nil {
		t.Fatal(err)
	}
	want := Pool{
		ID: "train/0", Front: [][]float64{{1, 0.5}}, Answers: []PoolAnswer{
			{Chain: 1, Text: "UP UP", Mode: "exit", Reward: []float64{1, 0.5}, Correct: true, Valid: true, Embedding: []float32{0.1, -1}, Tokens: []string{"UP", "UP"}},
			{Chain: 2, Reward: []float64{0, 0}, Tokens: []string{}},
		},
	}
	second := want
	second.Problem = 1
	if d := cmp.Diff([]Pool{want, second}, got); d != "" {
		t.Error(d)
	}
	if err := os.Remove(filepath.Join(run.Folder(ref), PoolsFile)); err != nil {
		t.Fatal(err)
	}
	finish(t, run.Folder(ref))
	if got, err := run.Pools(ref); got != nil || err != nil {
		t.Errorf("no file: got %v, %v", got, err)
	}
}

func TestDamagedPools(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"cut off", pool[:60], "pools.jsonl: the last line is cut off"},
		{"another record", `{"step":0,"exact":true}` + "\n", `pools.jsonl:1: unknown field "exact"`},
		{"one problem twice", pool + pool, "pools.jsonl:2: step 0, problem 0 after step 0, problem 0, want ascending ones"},
		{"a step backwards", strings.Replace(pool, `"step":0`, `"step":2`, 1) + pool, "pools.jsonl:2: step 0, problem 0 after step 2, problem 0"},
		{"a negative step", strings.Replace(pool, `"step":0`, `"step":-1`, 1), "pools.jsonl:1: step -1, problem 0, want 0 or more"},
		{"a negative rollout", strings.Replace(pool, `"rollout":0`, `"rollout":-2`, 1), "pools.jsonl:1: answers[0]: rollout -2, chain 1, want 0 or more"},
		{"a reward of another length", strings.Replace(pool, `[0,0]`, `[0]`, 1), "pools.jsonl:1: answers[1]: a reward of 1 components, want 2"},
		{"no reward", strings.Replace(pool, `[[1,0.5]]`, `[[]]`, 1), "pools.jsonl:1: front[0]: a reward of 0 components, want 1"},
		{"an embedding of another length", strings.Replace(pool, `"valid":false`, `"valid":false,"embedding":[1]`, 1), "pools.jsonl:1: answers[1]: an embedding of 1 numbers, want 2 as before"},
	} {
		run, ref := pooled(t, c.text)
		if _, err := run.Pools(ref); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant one line with %q", c.reason, err, c.want)
		}
	}
}

// FuzzPools: accepted pools are consistent, and are read as they are written.
func FuzzPools(f *testing.F) {
	f.Add(pool)
	f.Add(pool + strings.Replace(pool, `"step":0`, `"step":5`, 1))
	f.Add("{}\n")
	run, ref := pooled(f, "")
	path := filepath.Join(run.Folder(ref), PoolsFile)
	readBack := func(t *testing.T, text string) ([]Pool, error) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return run.Pools(ref)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pools, err := readBack(t, text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %v", err)
			}
			return
		}
		var again strings.Builder
		for i, p := range pools {
			if i > 0 && !pools[i-1].before(&p) {
				t.Errorf("pool %d is not after the one before it", i)
			}
			line, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(line, '\n'))
		}
		back, err := readBack(t, again.String())
		if d := cmp.Diff(pools, back); err != nil || d != "" {
			t.Errorf("written and read again (%v):\n%s", err, d)
		}
	})
}
