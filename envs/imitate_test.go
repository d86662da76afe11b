package envs_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

// A shownEnv has a demonstrator: it ends a run at any length with probability one
// half. Problems know their index.
type shownEnv struct{ describedEnv }

func (shownEnv) Problem(split envs.Split, index int) (envs.Problem, error) {
	return shown{id: fmt.Sprint(split, "/", index)}, nil
}

type shown struct {
	described
	id string
}

func (p shown) ID() string { return p.id }

func (shown) Demonstrate(r *rand.Rand) []envs.Token {
	var out []envs.Token
	for len(out) < 4 && !slices.Contains(out, 1) {
		out = append(out, envs.Token(r.IntN(2)))
	}
	return out
}

// A schoolEnv teaches: answer i of a lesson is a run of i plus signs.
type schoolEnv struct {
	shownEnv
	err error
}

func (e schoolEnv) Lesson(index, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	var answers [][]envs.Token
	for i := range n {
		answers = append(answers, append(make([]envs.Token, i), 1))
	}
	return shown{id: fmt.Sprint("lesson/", index, "/", n)}, answers, e.err
}

// TestImitate compares with demonstrations of the same stream, put together by hand.
func TestImitate(t *testing.T) {
	p := shown{id: "train/0"}
	demonstrations := func(n int) []envs.Token {
		out, r := []envs.Token{7}, rng.New(3).Rand()
		for range n {
			out = append(out, p.Demonstrate(r)...)
		}
		return out
	}
	chain := chainFor(t, p, 3, envs.ChainOptions{})
	for _, c := range []struct {
		reason string
		task   envs.Task
		want   []envs.Token
	}{
		{"a problem: one demonstration", p, demonstrations(1)},
		{"a chain: one for each answer", chain, demonstrations(3)},
		{"a goal changes nothing", envs.NewGoal(chain, [][]float64{{1, 0}}, 0), demonstrations(3)},
		{"no problem, no rollout", orphan{}, demonstrations(0)},
	} {
		if got := envs.Imitate([]envs.Token{7}, c.task, rng.New(3).Rand()); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestImitateStops: after an answer each legal control token is as likely as the
// next. Of up to two answers, with V+1 for a plain stop and V+2 and V+3 for a named
// answer, those are three after the first (go on, stop, name it) and three after
// the second (stop, name one of two).
func TestImitateStops(t *testing.T) {
	const n = 9000
	task := chainFor(t, shown{}, 2, envs.ChainOptions{Stops: true, Vocabulary: 3})
	r := rng.New(5).Rand()
	counts := map[string]float64{}
	for range n {
		rollout := envs.Imitate(nil, task, r)
		c := task.Start()
		push(t, c, rollout...)
		if !c.Done() {
			t.Fatalf("rollout %v is not whole", rollout)
		}
		counts[fmt.Sprint(len(task.Split(rollout)), " ", rollout[len(rollout)-1])]++
	}
	want := map[string]float64{"1 4": 1. / 3, "1 5": 1. / 3, "2 4": 1. / 9, "2 5": 1. / 9, "2 6": 1. / 9}
	for end, share := range want {
		sd := math.Sqrt(share * (1 - share) / n)
		if got := counts[end] / n; math.Abs(got-share) > 5*sd {
			t.Errorf("answers and last token %s: share %.4f, want %.4f +- %.4f", end, got, share, sd)
		}
		delete(counts, end)
	}
	if len(counts) > 0 {
		t.Errorf("rollouts also end in %v", counts)
	}
}

// TestLessonTasks: half of the lessons ask for the most answers and the others for
// any number; goals are drawn from the vertices and the centroid.
func TestLessonTasks(t *testing.T) {
	const n = 6000
	form := envs.Form{Answers: 3, Stops: true, Goals: true}
	x := encodingOf(t, shownEnv{}, form)
	counts := map[string]float64{}
	for i := range uint64(n) {
		task, rollout, err := envs.Lesson(shownEnv{}, form, rng.New(1), i)
		if err == nil {
			err = x.Check(task)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, want := envs.ProblemOf(task).ID(), fmt.Sprint("pretrain/", i); got != want {
			t.Fatalf("lesson %d is about %s, want %s", i, got, want)
		}
		c := task.Start()
		push(t, c, rollout...)
		if !c.Done() {
			t.Fatalf("lesson %d, %v, is not whole", i, rollout)
		}
		counts[task.ID()[len(fmt.Sprint("pretrain/", i)):]]++
	}
	for m, share := range map[int]float64{1: 1. / 6, 2: 1. / 6, 3: 2. / 3} {
		for goal := range 3 { // (1, 0), (0, 1) and (1/2, 1/2)
			q := share / 3
			task := fmt.Sprintf("*%ds@%d", m, goal)
			if got, sd := counts[task]/n, math.Sqrt(q*(1-q)/n); math.Abs(got-q) > 5*sd {
				t.Errorf("tasks %s: share %.4f, want %.4f +- %.4f", task, got, q, sd)
			}
			delete(counts, task)
		}
	}
	if len(counts) > 0 {
		t.Errorf("lessons also have the tasks %v", counts)
	}
}

// TestLessonOfTeacher: a Teacher gives as many answers as the task asks for, and
// the rollout is made of them.
func TestLessonOfTeacher(t *testing.T) {
	seen := map[string]bool{}
	for i := range uint64(20) {
		task, rollout, err := envs.Lesson(schoolEnv{}, envs.Form{Answers: 2}, rng.New(1), i)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			fmt.Sprintf("lesson/%d/1", i):   ".",
			fmt.Sprintf("lesson/%d/2*2", i): ".+.",
		}[task.ID()]
		if got := (counter{}).AnswerText(rollout); got != want {
			t.Errorf("lesson %d, task %s: rollout %q, want %q", i, task.ID(), got, want)
		}
		seen[want] = true
	}
	if len(seen) != 2 {
		t.Errorf("rollouts are %v, want those of one and of two answers", seen)
	}
}

// TestLessonIsAFunction of its arguments, whoever else asks, and every one of them
// matters.
func TestLessonIsAFunction(t *testing.T) {
	form := envs.Form{Answers: 3, Stops: true, Goals: true}
	text := func(form envs.Form, seed, i uint64) string {
		task, rollout, err := envs.Lesson(shownEnv{}, form, rng.New(seed), i)
		return fmt.Sprint(task.ID(), rollout, err)
	}
	var want [40]string
	for i := range want {
		want[i] = text(form, 1, uint64(i))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i, w := range slices.Backward(want[:]) {
				if got := text(form, 1, uint64(i)); got != w {
					t.Errorf("lesson %d is %s, and another time %s", i, w, got)
				}
			}
		})
	}
	all.Wait()
	same := 0
	for i, w := range want {
		if text(form, 2, uint64(i)) == w {
			same++
		}
	}
	if same > 10 {
		t.Errorf("%d of %d lessons are the same for another key", same, len(want))
	}
}

func TestLessonErrors(t *testing.T) {
	broken := errors.New("no mazes left")
	for _, c := range []struct {
		reason string
		env    envs.Env
		form   envs.Form
		i      uint64
		want   string
	}{
		{"forms have answers", shownEnv{}, envs.Form{}, 0, "a form of 0 answers, want 1 to 255"},
		{"lessons are numbered as problems are", shownEnv{}, envs.Form{Answers: 1}, 1 << 63, "lesson 9223372036854775808, want at most 9223372036854775807"},
		{"there is no problem", brokenEnv{err: broken}, envs.Form{Answers: 1}, 0, "no mazes left"},
		{"there is no lesson", schoolEnv{err: broken}, envs.Form{Answers: 1}, 0, "no mazes left"},
	} {
		_, _, err := envs.Lesson(c.env, c.form, rng.New(1), c.i)
		if diff := cmp.Diff(c.want, fmt.Sprint(err)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.reason, diff)
		}
	}
}
