package imported_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"modebench/envs"
	"modebench/envs/reference"
	"modebench/experiments/imported"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/internal/input"
	"modebench/internal/testkit"
)

// options are those of the command, into a folder of the test.
func options(t *testing.T) imported.Options {
	return imported.Options{Out: t.TempDir(), Name: "lm", Keep: 64, Notes: func(string) {}}
}

// file writes a log.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func imports(t *testing.T, opt imported.Options, files ...string) *record.Run {
	t.Helper()
	run, err := imported.Import(t.Context(), files, opt)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// evals are the evaluations of a variant's first cell.
func evals(t *testing.T, run *record.Run, variant int) []record.Eval {
	t.Helper()
	out, err := run.Evals(run.Variants[variant].Cells[0])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// trained is a spec that samples its evaluations and records all answers.
const trained = `
seeds = 2
[env]
name = "ENV"
[train]
steps = 4
problems = 3
batch = 2
group = 4
CANDIDATES
[eval]
every = 2
k = [1, 2, 4, 8]
samples = 8
enumerate = 0
keep = 3
measure = ["votes", "rollouts", "embeddings"]
[[method]]
name = "base"
[[method]]
name = "METHOD"
`

// TestRoundTrip writes what our own evaluations sampled as a log of texts, and imports it.
// Every metric that the import has is that of the evaluation, to the bit.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct{ env, method, train, query, word string }{
		{"coins", "grpo", "", "", ""},
		{"countdown", "grpo", "", "", ""},
		{"maze", "grpo", "", "", ""},
		{"maze", "vpo", "candidates = 2", "?candidates=2", "route"},
		{"multiplication", "grpo", "", "", ""},
	} {
		t.Run(c.env+c.query, func(t *testing.T) {
			spec := exptest.Load(t, "my.toml", strings.NewReplacer("ENV", c.env, "METHOD", c.method, "CANDIDATES", c.train).Replace(trained))
			own, err := sweep.Run(t.Context(), spec, sweep.Options{Out: t.TempDir(), Jobs: 1, Cache: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			opt := options(t)
			opt.Embeddings = true
			run := imports(t, opt, file(t, "log.jsonl", logOf(t, own, c.env, c.query, c.word)))
			compared := 0
			for i, v := range own.Variants {
				if got := run.Variants[i]; got.Label != v.Label || got.Trains != v.Trains || len(got.Cells) != len(v.Cells) {
					t.Fatalf("variant %+v of %+v", got, v)
				}
				for j, ref := range v.Cells {
					compared += sameMetrics(t, own, ref, run, run.Variants[i].Cells[j])
					samePools(t, own, ref, run, run.Variants[i].Cells[j])
				}
			}
			if compared < 200 {
				t.Errorf("%d numbers were compared", compared)
			}
		})
	}
}

// logOf is the log of the answers that a run recorded.
func logOf(t *testing.T, run *record.Run, env, query, word string) string {
	t.Helper()
	var out strings.Builder
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			pools, err := run.Pools(ref)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pools {
				texts := map[int]string{}
				for _, a := range p.Answers {
					if a.Chain == 0 {
						texts[a.Rollout] = a.Text
					} else {
						texts[a.Rollout] += fmt.Sprintf("<%s_%d>%s</%[1]s_%[2]d> ", word, a.Chain, a.Text)
					}
				}
				for i := range len(texts) {
					line, err := json.Marshal(map[string]any{"id": env + "/" + p.ID + query, "response": texts[i], "method": v.Label, "step": p.Step, "seed": ref.Seed})
					if err != nil {
						t.Fatal(err)
					}
					out.Write(append(line, '\n'))
				}
			}
		}
	}
	return out.String()
}

// ofPolicy are the metrics that take a policy or the tokens of its rollouts.
var ofPolicy = map[string]bool{"entropy_token": true, "entropy_sequence": true, "tokens": true}

// sameMetrics states how many metrics two cells have, and fails unless they are the same.
func sameMetrics(t *testing.T, own *record.Run, ref record.Ref, run *record.Run, other record.Ref) (compared int) {
	t.Helper()
	want, err := own.Evals(ref)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run.Evals(other)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d evaluations, want %d", len(got), len(want))
	}
	for i := range want {
		for name := range ofPolicy {
			delete(want[i].Metrics, name)
		}
		if want[i].Exact || got[i].Exact {
			t.Fatal("an evaluation is exact")
		}
		compared += len(want[i].Metrics)
		if d := cmp.Diff(want[i], got[i]); d != "" {
			t.Errorf("%s, evaluation %d:\n%s", ref.ID, i, d)
		}
	}
	return compared
}

// samePools fails unless two cells recorded the same answers. A chain's answers are recorded alike,
// and an answer within a malformed one has no tokens.
func samePools(t *testing.T, own *record.Run, ref record.Ref, run *record.Run, other record.Ref) {
	t.Helper()
	want, err := own.Pools(ref)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run.Pools(other)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if len(want[i].Answers) != len(got[i].Answers) || got[i].ID != want[i].ID || got[i].Step != want[i].Step || !cmp.Equal(got[i].Front, want[i].Front) {
			t.Fatalf("pool %d is %+v, want %+v", i, got[i], want[i])
		}
		for j, a := range want[i].Answers {
			if !a.Valid {
				a.Tokens = []string{}
			}
			if d := cmp.Diff(a, got[i].Answers[j]); d != "" && a.Valid {
				t.Fatalf("answer %d of pool %d:\n%s", j, i, d)
			}
		}
	}
}

// coinsLog has two problems of coins, whose metrics can be computed by hand.
//
// coins/train/0 pays 25 with 3, 6, 10, 12 in 4 modes: 12+10+3 is one, 10+12+3 is the same one,
// 10+3+3+3+3+3 is different. coins/train/1 pays 21 with 1, 6, 8, 10, in 4 modes too.
const coinsLog = `{"id": "coins/train/0", "answer": "12+10+3"}
{"id": "coins/train/0", "answer": "I pay <answer>10+12+3</answer>"}

{"id": "coins/train/0", "answer": "10+3+3+3+3+3"}
{"id": "coins/train/0", "answer": ""}
{"id": "coins/train/1", "answer": "10+10+1"}
{"id": "coins/train/1", "answer": "10+10"}
{"id": "coins/train/1", "answer": "10+10"}
{"id": "coins/train/1", "answer": "?"}
`

// TestByHand: metrics of a small log, computed by hand.
func TestByHand(t *testing.T) {
	run := imports(t, options(t), file(t, "lm.jsonl", coinsLog))
	all := evals(t, run, 0)
	if len(all) != 1 || all[0].Step != 0 || all[0].Exact || run.Variants[0].Trains || run.Variants[0].Label != "lm" {
		t.Fatalf("evaluations %+v of %+v", all, run.Variants)
	}
	// Of four answers to the first problem three are correct, of two modes, and one is empty;
	// of those to the second one is correct, two pay too little and one has no answer.
	ln := math.Log
	want := map[string]float64{
		"pass@1": (3./4 + 1./4) / 2,
		"pass@2": (1 + (1 - 3./6)) / 2, // of 6 pairs 3 hold the correct answer of the second
		"pass@4": 1,
		// Two modes of masses 2 and 1 of 4: 5/6 and 3/6 are seen among two, of 2 that could be.
		"coverage@2":         ((5./6+3./6)/2 + (3./6)/2) / 2,
		"coverage@4":         (2./4 + 1./4) / 2,
		"accuracy":           .5,
		"distinct_correct":   1.5,
		"distinct_incorrect": (0 + 1.) / 2,
		"entropy_mode":       ((-.5*ln(.5) - 2*.25*ln(.25)) * 2) / 2,
		"distinct_variants":  (3. + 1) / 2,
	}
	got := map[string]float64{}
	for name := range want {
		x, ok := all[0].Metrics[name]
		if !ok {
			t.Errorf("%s is missing", name)
		}
		got[name] = x
		testkit.Near(t, name, []float64{x}, []float64{want[name]}, 1e-12)
	}
	if _, more := all[0].Metrics["pass@8"]; more {
		t.Error("a k above the smallest pool")
	}
}

// TestColumnsOfNulls: a column without a value, which pyarrow writes with a type of its own if all
// entries are None, is as good as a missing one.
func TestColumnsOfNulls(t *testing.T) {
	run := imports(t, options(t), filepath.Join("testdata", "nulls.parquet"))
	if len(run.Variants) != 1 || run.Variants[0].Label != "nulls" || evals(t, run, 0)[0].Metrics["pass@1"] != .5 {
		t.Errorf("the variants %+v", run.Variants)
	}
}

// TestSameBytes: importing again gives the same bytes, in any number of files, and another
// log makes another cell beside the first.
func TestSameBytes(t *testing.T) {
	opt := options(t)
	log := file(t, "lm.jsonl", coinsLog)
	first := imports(t, opt, log)
	before := exptest.Tree(t, opt.Out)
	imports(t, opt, log)
	if d := cmp.Diff(before, exptest.Tree(t, opt.Out)); d != "" {
		t.Errorf("the second import changed files:\n%s", d)
	}
	elsewhere := opt
	elsewhere.Out, elsewhere.As = t.TempDir(), "lm"
	lines := strings.SplitAfter(coinsLog, "\n")
	split := imports(t, elsewhere, file(t, "a.jsonl", strings.Join(lines[:3], "")), file(t, "b.jsonl", strings.Join(lines[3:], "")))
	if !cmp.Equal(split.Variants, first.Variants) {
		t.Errorf("two files make %+v, want %+v", split.Variants, first.Variants)
	}
	other := imports(t, opt, file(t, "lm.jsonl", strings.Replace(coinsLog, "10+10+1", "1+10+10", 1)))
	if other.Variants[0].Cells[0] == first.Variants[0].Cells[0] {
		t.Error("another log is the same cell")
	}
	merged := t.TempDir()
	if m, err := sweep.Merge(merged, opt.Out, elsewhere.Out); err != nil || m.Copied != 2 || len(m.Damaged) > 0 {
		t.Errorf("merged %+v, %v", m, err)
	}
}

// frameworks are the files that TRL 1.16.0 and verl 0.9.1 write (testdata/make.py): 4
// completions to each of coins/train/0 and coins/train/1, of which those of the first two to
// the first problem are correct, and of one mode.
func TestFrameworks(t *testing.T) {
	first, err := reference.Parse("coins/train/0")
	if err != nil {
		t.Fatal(err)
	}
	asked := &imported.Prompts{First: first, Count: 10}
	trl := []string{"testdata/completions/completions_00005.parquet", "testdata/completions/completions_00010.parquet"}

	for _, c := range []struct {
		name  string
		files []string
		ask   *imported.Prompts
		label string
		steps []int
	}{
		{"TRL, texts and chats", trl, asked, "testdata", []int{5, 10}},
		{"verl by the ground truth", []string{"testdata/rollouts/5.jsonl"}, nil, "rollouts", []int{5}},
		{"verl by the prompt", []string{"testdata/rollouts/5.jsonl"}, asked, "rollouts", []int{5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := options(t)
			opt.Prompts = c.ask
			if c.name == "verl by the prompt" {
				opt.Fields = imported.Fields{"id": {"none"}}
			}
			run := imports(t, opt, c.files...)
			v := run.Variants[0]
			if len(run.Variants) != 1 || v.Label != c.label || v.Trains != (len(c.steps) > 1) {
				t.Errorf("variants %+v", run.Variants)
			}
			all := evals(t, run, 0)
			if len(all) != len(c.steps) {
				t.Fatalf("%d evaluations", len(all))
			}
			for i, step := range c.steps {
				m := all[i].Metrics
				if all[i].Step != step || m["pass@1"] != .25 || m["pass@4"] != .5 || m["distinct_correct"] != .5 {
					t.Errorf("evaluation %+v", all[i])
				}
			}
		})
	}

}

// TestUneven: pools of several sizes, problems at some steps only, equal lines, several labels,
// seeds and environments.
func TestUneven(t *testing.T) {
	log := strings.Join([]string{
		`{"id": "coins/train/3", "text": "1", "step": 10.0}`,
		`{"id": "coins/train/3", "text": "1", "step": 10}`,
		`{"id": "coins/train/3", "text": "1", "step": 10}`,
		`{"id": "coins/train/1", "text": "10+10+1", "step": 0}`,
		`{"id": "coins/train/1", "text": "10+10+1", "step": 0}`,
		`{"id": "coins/train/1", "text": "10+10+1", "step": 10}`,
		`{"id": "coins/train/1", "text": "10+10+1", "step": 10}`,
		`{"id": "coins/train/1?kinds=4", "text": "1", "seed": 7}`,
		`{"id": "coins/train/1", "text": "1", "seed": 7}`,
		`{"id": "bandit/test/1", "text": "m03", "label": "other"}`,
		`{"id": "bandit/test/1", "text": "m03", "label": "other"}`,
	}, "\n")
	opt := options(t)
	var notes []string
	opt.Notes = func(line string) { notes = append(notes, line) }
	run := imports(t, opt, file(t, "lm.jsonl", log))
	if len(run.Variants) != 2 || run.Variants[0].Label != "lm env=coins split=train" || run.Variants[1].Label != "other env=bandit split=test" {
		t.Fatalf("variants %+v", run.Variants)
	}
	if got := record.SeedsOf(run.Variants[0].Cells); !cmp.Equal(got, []int{0, 7}) {
		t.Errorf("seeds %v", got)
	}
	all := evals(t, run, 0)
	// Equal lines are answers of their own. At step 10 one of two problems is solved.
	if len(all) != 2 || all[0].Metrics["pass@2"] != 1 || all[1].Metrics["pass@2"] != .5 {
		t.Errorf("evaluations %+v", all)
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "2 to 3 answers") || !strings.Contains(notes[1], "not all steps answer the same problems") {
		t.Errorf("notes %q", notes)
	}
	pools, err := run.Pools(run.Variants[0].Cells[0])
	if err != nil || len(pools) != 3 || pools[0].Problem != 1 || pools[0].Front == nil || pools[1].Front != nil || pools[2].Problem != 3 || pools[2].Front == nil {
		t.Errorf("pools %+v, %v", pools, err)
	}
	opt.Samples, opt.Name, notes = 3, "three", nil
	run = imports(t, opt, file(t, "lm.jsonl", log))
	if len(run.Variants) != 1 || len(evals(t, run, 0)) != 1 || len(notes) != 1 || !strings.Contains(notes[0], "left out: 4 of 5 pools") {
		t.Errorf("with three samples: %+v, %q", run.Variants, notes)
	}
}

// TestEqualPrompts: numbers of a split that name one problem are one problem, so that a log
// with prompts alone is read: of every environment, with as many problems as the manual has.
func TestEqualPrompts(t *testing.T) {
	for _, name := range envs.Names() {
		t.Run(name, func(t *testing.T) {
			first, err := reference.Parse(name + "/train/0")
			if err != nil {
				t.Fatal(err)
			}
			const count = 1000
			var log strings.Builder
			prompts := map[string]int{} // the first number of each
			ref, env := *first, must(first.Build())
			for ref.Index = range count {
				q, err := ref.FindIn(env)
				if err != nil {
					t.Fatal(err)
				}
				text := q.Prompt()
				if _, known := prompts[text]; !known {
					prompts[text] = ref.Index
				}
				line, err := json.Marshal(map[string]string{"prompt": text, "completion": ""})
				if err != nil {
					t.Fatal(err)
				}
				log.Write(append(line, '\n'))
			}
			opt := options(t)
			opt.Prompts, opt.Keep = &imported.Prompts{First: first, Count: count}, count
			run := imports(t, opt, file(t, "lm.jsonl", log.String()))
			pools, err := run.Pools(run.Variants[0].Cells[0])
			if err != nil || len(pools) != len(prompts) {
				t.Fatalf("%d pools for %d prompts, %v", len(pools), len(prompts), err)
			}
			numbers := slices.Sorted(maps.Values(prompts))
			for i, pool := range pools {
				if pool.Problem != numbers[i] {
					t.Fatalf("pool %d is of problem %d, want %d", i, pool.Problem, numbers[i])
				}
			}
		})
	}
}

func must(env envs.Env, err error) envs.Env {
	if err != nil {
		panic(err)
	}
	return env
}

// TestMistakes: each is one line, which names the place.
func TestMistakes(t *testing.T) {
	first, err := reference.Parse("coins/train/0")
	if err != nil {
		t.Fatal(err)
	}
	one := &imported.Prompts{First: first, Count: 1}
	other, err := reference.Parse("bandit/train/0?form=shared")
	if err != nil {
		t.Fatal(err)
	}
	same := &imported.Prompts{First: other, Count: 2}
	good := `{"id": "coins/train/0", "text": ""}` + "\n"
	for _, c := range []struct {
		name, log string
		set       func(*imported.Options)
		parts     []string
	}{
		{"no object", good + "[1]\n", nil, []string{"lm.jsonl:2: ", "no object of JSON"}},
		{"cut off", good + `{"id": `, nil, []string{"lm.jsonl:2: ", "no object of JSON"}},
		{"no text", `{"id": "coins/train/0", "respons": "1"}`, nil, []string{"no completion: want it in the field completion, ", "--field text=respons"}},
		{"null", `{"id": "coins/train/0", "text": null}`, nil, []string{`field "text" is null`}},
		{"several", `{"id": "coins/train/0", "text": ["1", "2"]}`, nil, []string{`field "text"`, "one completion a line"}},
		{"no assistant", `{"id": "coins/train/0", "messages": [{"role": "user", "content": "1"}]}`, nil, []string{"no turn of the role assistant"}},
		{"bad step", `{"id": "coins/train/0", "text": "", "step": -1}`, nil, []string{`field "step" is -1`}},
		{"bad seed", `{"id": "coins/train/0", "text": "", "seed": 0.5}`, nil, []string{`field "seed" is 0.5`}},
		{"bad id", `{"id": "coins/trian/0", "text": ""}`, nil, []string{"lm.jsonl:1: ", "did you mean train?"}},
		{"a number for an id", `{"id": 17, "text": ""}`, nil, []string{`field "id": got 17, want a text`}},
		{"no id", `{"prompt": "Pay", "text": ""}`, nil, []string{"no id names the problem", "--env"}},
		{"unknown prompt", `{"prompt": "Pay", "text": ""}`, func(o *imported.Options) { o.Prompts = one }, []string{"lm.jsonl:1: ", `"Pay" belongs to no problem: 1 from coins/train/0 on`}},
		{"no prompt", `{"text": ""}`, func(o *imported.Options) { o.Prompts = one }, []string{"neither the reference of a problem nor a prompt"}},
		{"ambiguous prompt", `{"prompt": ` + quoted(t, same) + `, "text": ""}`, func(o *imported.Options) { o.Prompts = same }, []string{"belongs to several problems, bandit/train/0?form=shared and bandit/train/1?form=shared, whose solutions differ: lines need an id"}},
		{"empty", "\n\n", nil, []string{"holds no completions"}},
		{"k too large", good, func(o *imported.Options) { o.K = []int{1, 2} }, []string{"k = 2, but the smallest pool has 1 answer: coins/train/0 at step 0 of lm, seed 0", "--samples"}},
		{"too many samples", good, func(o *imported.Options) { o.Samples = 2 }, []string{"no problem has 2 completions"}},
		{"long line", `{"id": "` + strings.Repeat("x", imported.MaxLine) + `"}`, nil, []string{"lm.jsonl:1: it has more than 16777216 bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := options(t)
			if c.set != nil {
				c.set(&opt)
			}
			_, err := imported.Import(t.Context(), []string{file(t, "lm.jsonl", c.log)}, opt)
			testkit.WantError(t, err, c.parts...)
			if bad := (*input.Error)(nil); !errors.As(err, &bad) {
				t.Errorf("%v is no mistake in the input", err)
			}
			if left, _ := os.ReadDir(opt.Out); len(left) > 0 {
				t.Errorf("something was written: %v", left)
			}
		})
	}
}

// quoted is the prompt of the first problem as JSON.
func quoted(t *testing.T, p *imported.Prompts) string {
	t.Helper()
	q, err := p.First.Find()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(q.Prompt())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestNoNumbers: a Parquet file may hold NaN in columns of any type, and in lists, which are of no
// concern here.
func TestNoNumbers(t *testing.T) {
	type turn struct {
		Role    string    `parquet:"role"`
		Content string    `parquet:"content"`
		Scores  []float64 `parquet:"scores,list"`
	}
	type row struct {
		ID         string             `parquet:"id"`
		Completion []turn             `parquet:"completion,list"`
		Step       float64            `parquet:"step"` // as a column is that has gaps
		Advantage  float32            `parquet:"advantage"`
		Entropy    *float32           `parquet:"entropy,optional"`
		Loss       float64            `parquet:"loss"`
		Logprobs   []float32          `parquet:"logprobs,list"`
		Parts      map[string]float64 `parquet:"parts"`
	}
	nan, small := math.NaN(), float32(math.NaN())
	var table bytes.Buffer
	if err := parquet.Write(&table, []row{{
		"coins/train/0", []turn{{"assistant", "10+6", []float64{nan, 1}}}, nan, small, &small, math.Inf(1), []float32{-0.5, small}, map[string]float64{"format": nan},
	}}); err != nil {
		t.Fatal(err)
	}
	run := imports(t, options(t), file(t, "a.parquet", table.String()))
	if got := len(evals(t, run, 0)); got != 1 {
		t.Errorf("%d evaluations, want 1", got)
	}
}

// TestFiles: a file given twice, a missing file, a damaged Parquet file, a folder of an experiment
// that was run, and an end of the context are errors.
func TestFiles(t *testing.T) {
	opt := options(t)
	a, b := file(t, "a.jsonl", coinsLog), file(t, "b.jsonl", coinsLog)
	_, err := imported.Import(t.Context(), []string{a, b}, opt)
	testkit.WantError(t, err, "b.jsonl has the same bytes as", "a.jsonl")
	_, err = imported.Import(t.Context(), []string{filepath.Join(t.TempDir(), "none")}, opt)
	testkit.WantError(t, err, "none", "no such file")
	table, err := os.ReadFile("testdata/completions/completions_00005.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for i := range table {
		if i%37 == 0 { // the library's readable part is read, and all else is an error
			damaged := append([]byte{}, table...)
			damaged[i] ^= 0xff
			if _, err := imported.Import(t.Context(), []string{file(t, "a.parquet", string(damaged))}, opt); err == nil {
				t.Errorf("byte %d: no error, though no prompts were asked for", i)
			} else {
				testkit.OneLine(t, err)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := imported.Import(ended, []string{a}, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(opt.Out, "lm"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(opt.Out, "lm", record.ManifestFile), []byte(`{"variants": [{"method": "grpo"}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = imported.Import(t.Context(), []string{a}, opt)
	testkit.WantError(t, err, "holds an experiment that was not imported")
}
