package imported_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/imported"
	"modebench/internal/testkit"
)

// fields are those of all forms in one.
var fields = imported.Fields{
	"id": {"id"}, "text": {"completion", "messages"}, "prompt": {"prompt"}, "step": {"step"}, "label": {"label", "run"}, "seed": {"seed"},
}

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		reason, line string
		want         imported.Line
	}{
		{"all fields", `{"id": "p", "completion": "t", "prompt": "q", "step": 3, "label": "a", "seed": 2, "more": [1]}`,
			imported.Line{ID: "p", Text: "t", Prompt: "q", Label: "a", Step: 3, Seed: 2}},
		{"only a text", `{"completion": ""}`, imported.Line{}},
		{"null is no field", `{"id": null, "completion": "t", "label": null, "run": "r", "step": null}`, imported.Line{Text: "t", Label: "r"}},
		{"a number that JSON does not have", `{"completion": "NaN \" NaN\\", "score": NaN, "low": -Infinity, "step": 1}`, imported.Line{Text: `NaN " NaN\`, Step: 1}},
		{"the last turn of each role", `{"prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}],
			"completion": [{"role": "assistant", "content": "1"}, {"role": "tool", "content": "x"}, {"role": "assistant", "content": "2"}]}`, imported.Line{Prompt: "q", Text: "2"}},
		{"parts", `{"messages": [{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}]}`, imported.Line{Text: "ab"}},
		{"a call of a tool says nothing", `{"messages": [{"role": "assistant", "content": null}]}`, imported.Line{}},
		{"the first field that it has", `{"messages": [{"role": "user", "content": "q"}], "completion": "t"}`, imported.Line{Text: "t"}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			got, err := imported.ParseLine([]byte(c.line), fields)
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
		`{"completion": null}`, `[]`, `null`, "", `{"completion": "\ud800"}`, `{"completion": "NaN\\`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, err := imported.ParseLine(line, fields)
		if err != nil {
			testkit.OneLine(t, err)
			return
		}
		plain, err := json.Marshal(map[string]any{"id": got.ID, "completion": got.Text, "prompt": got.Prompt, "label": got.Label, "step": got.Step, "seed": got.Seed})
		if err != nil {
			t.Fatal(err)
		}
		again, err := imported.ParseLine(plain, fields)
		if err != nil || *again != *got || got.Step < 0 || got.Seed < 0 {
			t.Fatalf("%s is read as %+v, and that as %+v, %v", line, got, again, err)
		}
	})
}

// TestPartsAreJoinedOnce: a turn of twice as many parts takes twice the memory, not four times.
func TestPartsAreJoinedOnce(t *testing.T) {
	made := func(n int) uint64 {
		part := `{"type":"text","text":"0123456789"},`
		line := []byte(`{"id":"p","completion":[{"role":"assistant","content":[` + strings.TrimSuffix(strings.Repeat(part, n), ",") + `]}]}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		l, err := imported.ParseLine(line, imported.Fields{"id": {"id"}, "text": {"completion"}})
		runtime.ReadMemStats(&after)
		if err != nil || len(l.Text) != 10*n {
			t.Fatal(err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if once, twice := made(20_000), made(40_000); float64(twice) > 2.5*float64(once) {
		t.Errorf("20000 parts take %d bytes and 40000 take %d", once, twice)
	}
}
