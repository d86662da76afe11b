package plots

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/envs"
	_ "modebench/envs/countdown"
	"modebench/experiments/record"
	"modebench/internal/rng"
	"modebench/plots/draw/drawtest"
)

// demonstrated is a pool of the demonstrator's answers to the first problem of an
// environment; those of some seed, n of them and the first of them again times over.
func demonstrated(t testing.TB, env string, step, seed, n, again int) record.Pool {
	t.Helper()
	def, err := envs.Lookup(env)
	if err != nil {
		t.Fatal(err)
	}
	built, err := def.Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := built.Problem(envs.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	pool := record.Pool{Step: step, ID: p.ID()}
	var first []envs.Token
	for i := range n + again {
		answer := p.Demonstrate(rng.New(uint64(seed)).Int(uint64(i)).Rand())
		if i == 0 {
			first = answer
		}
		if i >= n {
			answer = first
		}
		v := p.Judge(answer)
		a := record.PoolAnswer{Rollout: i, Text: p.AnswerText(answer), Mode: string(v.Mode), Reward: v.Reward, Correct: v.Correct, Valid: v.Err == nil}
		for _, token := range answer {
			a.Tokens = append(a.Tokens, built.Info().Vocabulary[token])
		}
		a.Embedding = append(a.Embedding, v.Embedding...)
		pool.Answers = append(pool.Answers, a)
	}
	return pool
}

// answersRun has two variants with answers of the demonstrator, early and late.
func answersRun(t testing.TB, env string) *record.Run {
	run := emptyRun(t)
	for i, method := range []string{"grpo", "vpo"} {
		addAnswers(t, run, record.Variant{Method: method}, env, demonstrated(t, env, 0, i, 12, 0), demonstrated(t, env, 8, i+2, 6, 10+i))
	}
	return run
}

// TestAnswersOnMaze counts the answers of every mode in the records, and looks for the
// counts in the mode's row of the table.
func TestAnswersOnMaze(t *testing.T) {
	run := answersRun(t, "maze")
	fig := record.Figure{Kind: "answers", Title: "Routes"}
	d := drawSVG(t, run, fig)
	drawtest.CheckTexts(t, d)
	counts := map[string][2]int{}
	for i, v := range run.Variants {
		pools, err := run.Pools(v.Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range pools[1].Answers {
			if a.Correct {
				n := counts[a.Mode]
				n[i]++
				counts[a.Mode] = n
			}
		}
	}
	heads := [2]drawtest.Text{}
	for i, name := range []string{"grpo", "vpo"} {
		all := d.All(name) // over the panel, and over the column
		if len(all) != 2 {
			t.Fatalf("%q stands %d times, want over its panel and over its column", name, len(all))
		}
		heads[i] = all[1]
	}
	found := 0
	for mode, n := range counts {
		rows := d.All(mode)
		if len(rows) == 0 {
			continue // among the rest
		}
		found++
		_, y := rows[0].Middle()
		for i, head := range heads {
			if !slices.ContainsFunc(d.Texts, func(x drawtest.Text) bool {
				_, at := x.Middle()
				return x.Text == strconv.Itoa(n[i]) && at > y-3 && at < y+3 && x.Right > head.Right-1 && x.Right < head.Right+1
			}) {
				t.Errorf("mode %q: no count %d in the column of %s", mode, n[i], run.Variants[i].Label)
			}
		}
	}
	if found != min(len(counts), 7) {
		t.Errorf("%d modes of %d have rows", found, len(counts))
	}
	steps := fig
	steps.Steps = []int{0, 8}
	drawtest.CheckTexts(t, drawSVG(t, run, steps))
	if again := drawSVG(t, run, fig); string(again.Bytes) != string(d.Bytes) {
		t.Error("two drawings differ")
	}
}

// TestAnswersElsewhere draws answers to problems of other environments.
func TestAnswersElsewhere(t *testing.T) {
	run := answersRun(t, "countdown")
	d := drawSVG(t, run, record.Figure{Kind: "answers", Title: "Answers"})
	drawtest.WantTexts(t, d, "grpo", "vpo", "Problem train/0, seed 0. After 8 training steps.")
	other := emptyRun(t)
	wrong := demonstrated(t, "countdown", 0, 0, 2, 0)
	wrong.Answers[1].Tokens = []string{"UP"}
	addAnswers(t, other, record.Variant{Method: "grpo"}, "countdown", wrong)
	wantError(t, other, record.Figure{Kind: "answers"}, `answers[1]: the word "UP" is no word of countdown`)
	wrong.ID = "train/7"
	addPools(t, other, "countdown", wrong)
	wantError(t, other, record.Figure{Kind: "answers"}, "problem 0 is train/0, the answers kept are to train/7")
}

// TestNoteSaysTheStep: where the step is over no panel, the note has it, with the number of
// answers.
func TestNoteSaysTheStep(t *testing.T) {
	for _, c := range []struct {
		reason string
		steps  []int
		want   string
	}{
		{"the last", nil, "Problem train/0, seed 0. After 8 training steps."},
		{"one, before training", []int{0}, "Problem train/0, seed 0, 12 answers a panel. Before training."},
		{"one, trained", []int{8}, "Problem train/0, seed 0. After 8 training steps."},
		{"several, which the panels name", []int{0, 8}, "Problem train/0, seed 0."},
	} {
		d := drawSVG(t, answersRun(t, "countdown"), record.Figure{Kind: "answers", Steps: c.steps})
		if text := d.Joined(); !strings.Contains(text, c.want) || len(c.steps) > 1 && strings.Contains(text, "After") {
			t.Errorf("%s: no %q in %s", c.reason, c.want, text)
		}
	}
	for reason, d := range map[string]drawtest.Drawing{
		"routes":  drawSVG(t, answersRun(t, "maze"), record.Figure{Kind: "answers", Steps: []int{0}}),
		"a front": drawSVG(t, frontRun(t), record.Figure{Kind: "front", Steps: []int{0}, Components: []string{"gold", "diamond"}}),
	} {
		if !strings.Contains(d.Joined(), "Before training.") {
			t.Errorf("%s at step 0: %s", reason, d.Joined())
		}
	}
}

// TestOneProblem: variants that answer different problems have no figure together.
func TestOneProblem(t *testing.T) {
	env := func(name string, params map[string]any) record.Cell {
		return record.Cell{Env: record.Component{Name: name, Params: params}, Eval: map[string]any{"split": "train"}}
	}
	at := env("bandit", map[string]any{"modes": 6})
	other := at
	other.Eval = map[string]any{"split": "test"}
	for _, c := range []struct {
		reason string
		cell   record.Cell
		id     string
		want   string
	}{
		{"another environment", env("maze", nil), "train/0", `variants a and b answer different problems (env: bandit and maze), and a figure of answers shows one: filter with where = { "env" = "bandit" }, or name variants in panel`},
		{"another parameter", env("bandit", map[string]any{"modes": 8}), "train/0", `(env.modes: 6 and 8), and a figure of answers shows one: filter with where = { "env.modes" = 6 }`},
		{"another split", other, "train/0", `(eval.split: train and test)`},
		{"another problem", at, "train/7", "answer different problems, train/0 and train/7,"},
		{"the same", at, "train/0", ""},
	} {
		run := emptyRun(t)
		for i, cell := range []record.Cell{at, c.cell} {
			pool := record.Pool{ID: []string{"train/0", c.id}[i], Answers: []record.PoolAnswer{{Mode: "m", Reward: []float64{1}, Correct: true, Embedding: []float32{float32(i), 1}}}}
			addAnswers(t, run, record.Variant{Label: []string{"a", "b"}[i], Method: "grpo"}, "bandit", pool)
			cell.Version = record.Version
			text, err := json.Marshal(cell)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(run.Folder(run.Variants[i].Cells[0]), record.CellFile), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := drawError(run, record.Figure{Kind: "map"})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
		if err := drawError(run, record.Figure{Kind: "map", Panel: []string{"a"}}); err != nil {
			t.Errorf("%s, one variant alone: %v", c.reason, err)
		}
	}
}
