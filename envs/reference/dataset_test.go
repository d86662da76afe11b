package reference_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/reference"
	"modebench/internal/testkit"
)

func lines(t *testing.T, set reference.Dataset) []reference.Line {
	t.Helper()
	var out []reference.Line
	err := set.Lines(context.Background(), func(line []byte) error {
		var doc reference.Line
		if line[len(line)-1] != '\n' {
			t.Fatalf("no end of line: %s", line)
		}
		err := json.Unmarshal(line, &doc)
		out = append(out, doc)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parse(t *testing.T, text string) *reference.Reference {
	t.Helper()
	r, err := reference.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLines: lines are in order, over the ends of chunks, and each names its own problem.
func TestLines(t *testing.T) {
	first := parse(t, "countdown/test/10?numbers=3&min_modes=1")
	all := lines(t, reference.Dataset{First: first, Count: 150, Truth: true})
	if len(all) != 150 {
		t.Fatalf("%d lines", len(all))
	}
	for i, line := range all {
		r := parse(t, line.ID)
		q, err := r.Find()
		if err != nil {
			t.Fatal(err)
		}
		if r.Index != 10+i || line.Index != r.Index || line.Prompt != q.Prompt() || len(line.Messages) != 1 || line.Messages[0] != (reference.Message{Role: "user", Content: line.Prompt}) {
			t.Fatalf("line %d is %+v", i, line)
		}
		if truth := q.Problem.Truth(); line.Truth.Modes != len(truth.Modes) || *line.Truth.Solutions != truth.Solutions || line.Truth.Best != 1 {
			t.Fatalf("line %d has the truth %+v", i, line.Truth)
		}
	}
	if got := lines(t, reference.Dataset{First: first, Count: 1}); got[0].Truth != nil {
		t.Errorf("a truth that was not asked for: %+v", got[0])
	}
}

// TestShots: the examples are problems of the split pretrain with right answers, posed as the
// problem is, in all environments.
func TestShots(t *testing.T) {
	for _, name := range envs.Names() {
		for _, pose := range []string{"", "?candidates=3", "?candidates=2&stops=true"} {
			first := parse(t, name+"/test/0"+pose)
			line := lines(t, reference.Dataset{First: first, Count: 2, Shots: 2})[1]
			if len(line.Messages) != 5 {
				t.Fatalf("%s: %d messages", first, len(line.Messages))
			}
			whole := make([]string, 5)
			for i, m := range line.Messages {
				whole[i] = m.Content
				if want := [2]string{"user", "assistant"}[i%2]; m.Role != want {
					t.Errorf("%s: turn %d is of the %s", first, i, m.Role)
				}
			}
			if line.Prompt != strings.Join(whole, "\n\n") {
				t.Errorf("%s: the prompt is not its turns: %s", first, line.Prompt)
			}
			for i := range 2 {
				q := examples(t, name, pose, line.Messages[2*i].Content)
				verdicts := []*envs.Verdict{q.Problem.JudgeText(line.Messages[2*i+1].Content)}
				if q.Chain != nil {
					verdicts = q.Chain.JudgeText(line.Messages[2*i+1].Content)
				}
				for _, v := range verdicts {
					if !v.Correct {
						t.Errorf("%s: example %d is wrong: %s", first, i, line.Messages[2*i+1].Content)
					}
				}
				if q.Chain != nil && len(verdicts) != q.Chain.Answers() {
					t.Errorf("%s: example %d has %d answers", first, i, len(verdicts))
				}
			}
		}
	}
	err := (&reference.Dataset{First: parse(t, "coins/pretrain/0"), Count: 1, Shots: 1}).Lines(context.Background(), nil)
	testkit.WantError(t, err, "examples are problems of the split pretrain: want problems of another split")
}

// examples finds the problem of the split pretrain that has this prompt.
func examples(t *testing.T, name, pose, prompt string) *reference.Posed {
	t.Helper()
	for i := range 64 {
		r := parse(t, name+"/pretrain/0"+pose)
		r.Index = i
		q, err := r.Find()
		if err != nil {
			t.Fatal(err)
		}
		if q.Prompt() == prompt {
			return q
		}
	}
	t.Fatalf("%s: no problem has this prompt: %s", name, prompt)
	return nil
}

// TestUnique: of problems with one prompt the first is left, of every environment, over the
// ends of chunks. Those that differ in their solutions alone are others.
func TestUnique(t *testing.T) {
	for _, name := range envs.Names() {
		for _, pose := range []string{"", "?candidates=2"} {
			set := reference.Dataset{First: parse(t, name+"/train/5"+pose), Count: 600}
			var want []reference.Line
			seen := map[string]bool{}
			for _, line := range lines(t, set) {
				if !seen[line.Prompt] {
					want = append(want, line)
				}
				seen[line.Prompt] = true
			}
			set.Unique = true
			if d := cmp.Diff(want, lines(t, set)); d != "" {
				t.Errorf("%s (-want +got):\n%s", set.First, d)
			}
		}
	}
	// With three modes, each right or not, and one at least that is, there are seven bandits.
	shared := reference.Dataset{First: parse(t, "bandit/train/0?modes=3&form=shared"), Count: 600, Unique: true}
	if got := lines(t, shared); len(got) != 7 {
		t.Errorf("%d bandits, want 7", len(got))
	}
}

// TestPromptsTellAll: problems whose prompts have tokens and are equal have the same solutions,
// on which Same rests.
func TestPromptsTellAll(t *testing.T) {
	for _, name := range []string{"coins", "countdown", "multiplication", "polynomial"} {
		first, env := map[string]*reference.Posed{}, envs.Env(nil)
		r, again := parse(t, name+"/train/0"), 0
		for r.Index = range 400 {
			if env == nil {
				var err error
				if env, err = r.Build(); err != nil {
					t.Fatal(err)
				}
			}
			q, err := r.FindIn(env)
			if err != nil {
				t.Fatal(err)
			}
			text := q.Prompt()
			other, known := first[text]
			if !known {
				first[text] = q
				continue
			}
			again++
			if d := cmp.Diff(other.Problem.Truth(), q.Problem.Truth()); d != "" || !slices.Equal(other.Problem.Prompt(), q.Problem.Prompt()) || !q.Same(other) {
				t.Errorf("%s: %s %s", name, text, d)
			}
		}
		if again == 0 {
			t.Errorf("%s: no problem comes again", name)
		}
	}
}

// TestDistinct: docs/environments.md states how many distinct problems the splits have.
func TestDistinct(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 280,000 problems")
	}
	page, err := os.ReadFile("../../docs/environments.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range envs.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := regexp.MustCompile("(?m)^\\| `" + name + "` \\| ([\\d,]+) \\| ([\\d,]+) \\|$").FindStringSubmatch(string(page))
			if said == nil {
				t.Fatal("the page has no row")
			}
			env, err := parse(t, name+"/train/0").Build()
			if err != nil {
				t.Fatal(err)
			}
			for i, split := range []envs.Split{envs.Train, envs.Test} {
				prompts := map[string]bool{}
				for index := range 20_000 {
					p, err := env.Problem(split, index)
					if err != nil {
						t.Fatal(err)
					}
					prompts[p.PromptText()] = true
				}
				if got := fmt.Sprint(len(prompts)); got != strings.ReplaceAll(said[1+i], ",", "") {
					t.Errorf("%s has %s distinct problems, the page says %s", split, got, said[1+i])
				}
			}
		})
	}
}

// TestLinesStop: at an error, and when the context ends.
func TestLinesStop(t *testing.T) {
	set := reference.Dataset{First: parse(t, "bandit/train/0"), Count: 1000}
	ctx, cancel := context.WithCancel(context.Background())
	got, enough := 0, errors.New("enough")
	if err := set.Lines(ctx, func([]byte) error { cancel(); got++; return nil }); !errors.Is(err, context.Canceled) || got == 0 || got > 200 {
		t.Errorf("after the end of the context: %v, %d lines", err, got)
	}
	if err := set.Lines(context.Background(), func([]byte) error { return enough }); err != enough {
		t.Errorf("got %v", err)
	}
}

// TestCache: problems are made once, the oldest go, and mistakes are remembered too.
func TestCache(t *testing.T) {
	cache := reference.NewCache(2)
	var made atomic.Int32
	find := func(text string) *reference.Posed {
		q, err := cache.Find(text, func(*reference.Reference) error { made.Add(1); return nil })
		if err != nil {
			t.Error(err)
		}
		return q
	}
	var callers sync.WaitGroup
	got := make([]*reference.Posed, 50)
	for i := range got {
		callers.Go(func() { got[i] = find("coins/train/1") })
	}
	callers.Wait()
	for _, q := range got {
		if q != got[0] || q == nil {
			t.Fatal("several problems of one reference")
		}
	}
	find("coins/train/2")
	find("coins/train/1")
	find("coins/train/3") // 2 goes
	if n := made.Load(); n != 3 || cache.Len() != 2 {
		t.Errorf("%d problems were made, %d are kept, want 3 and 2", n, cache.Len())
	}
	find("coins/train/1")
	find("coins/train/2")
	if n := made.Load(); n != 4 {
		t.Errorf("%d problems were made, want 4", n)
	}
	_, first := cache.Find("coins/train/x", nil)
	testkit.WantError(t, first, "the index is")
	if _, second := cache.Find("coins/train/x", nil); second != first {
		t.Errorf("a mistake is forgotten: %v", second)
	}
	if _, err := cache.Find(strings.Repeat("x", 1<<20), nil); err == nil || cache.Len() != 2 {
		t.Errorf("a very long reference: %v, %d kept", err, cache.Len())
	}
}
