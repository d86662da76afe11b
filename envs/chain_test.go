package envs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// A counter is a problem whose answers are runs of "+" ended by "." or by the
// limit of four tokens. Its mode is the length of the run, so that answers of
// different lengths tell where a chain was cut. Its policy sees whether the run
// is empty, not how long it is.
type counter struct{ envs.Problem }

func (counter) ID() string           { return "train/0" }
func (counter) Prompt() []envs.Token { return []envs.Token{7} }
func (counter) PromptText() string   { return "Count." }
func (counter) Start() envs.Cursor   { return &counting{} }
func (counter) Judge(answer []envs.Token) *envs.Verdict {
	// Correct unless the limit had to end it.
	return &envs.Verdict{Mode: envs.Mode(counter{}.AnswerText(answer)), Correct: len(answer) > 0 && answer[len(answer)-1] == 1}
}
func (c counter) JudgeText(text string) *envs.Verdict {
	return &envs.Verdict{Mode: envs.Mode(text)}
}
func (counter) AnswerText(answer []envs.Token) string {
	var b strings.Builder
	for _, t := range answer {
		b.WriteString([]string{"+", "."}[t&1])
	}
	return b.String()
}

type counting struct {
	n     int
	ended bool
}

func (c *counting) AppendState(dst []byte) []byte {
	return fmt.Appendf(dst, "%d%v", c.n, c.ended)
}
func (c *counting) AppendView(dst []byte) []byte { return fmt.Appendf(dst, "%v", c.n == 0) }
func (c *counting) Done() bool                   { return c.ended || c.n == 4 }
func (c *counting) Legal() []envs.Token {
	if c.Done() {
		return nil
	}
	return []envs.Token{0, 1}
}
func (c *counting) Push(t envs.Token) error {
	if c.Done() || t < 0 || t > 1 {
		return fmt.Errorf("token %d is not legal", t)
	}
	c.n++
	c.ended = t == 1
	return nil
}

func chainOf(t *testing.T, m int, opt envs.ChainOptions) *envs.Chain {
	t.Helper()
	c, err := envs.NewChain(counter{}, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tokens(text string) []envs.Token {
	var out []envs.Token
	for _, r := range text {
		out = append(out, envs.Token(strings.IndexRune("+.", r)))
	}
	return out
}

func TestChainSplit(t *testing.T) {
	for _, c := range []struct {
		reason, rollout string
		want            []string
	}{
		{"answers end by their own grammar: at the dot", "+.++..", []string{"+.", "++.", "."}},
		{"and at their limit", "+++++++++++.", []string{"++++", "++++", "+++."}},
		{"what is not reached is empty", "++.+", []string{"++.", "+", ""}},
		{"nothing is three empty answers", "", []string{"", "", ""}},
		{"what comes after the last answer belongs to it, for the judge to see", "...+.", []string{".", ".", ".+."}},
	} {
		var got []string
		chain := chainOf(t, 3, envs.ChainOptions{})
		for _, answer := range chain.Split(tokens(c.rollout)) {
			got = append(got, counter{}.AnswerText(answer))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %q (-want +got)\n%s", c.reason, c.rollout, diff)
		}
		for i, v := range chain.Judge(nil, tokens(c.rollout)) {
			if string(v.Mode) != c.want[i] {
				t.Errorf("%s: answer %d of %q is judged as %q, want %q", c.reason, i, c.rollout, v.Mode, c.want[i])
			}
		}
	}
}

// TestChainIllegal: a token that no grammar allows stays in its answer, which swallows the
// rest.
func TestChainIllegal(t *testing.T) {
	got := chainOf(t, 3, envs.ChainOptions{}).Split([]envs.Token{1, 0, 9, 1, 1})
	if diff := cmp.Diff([][]envs.Token{{1}, {0, 9, 1, 1}, {}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestChainText: a rollout's text is judged as the rollout is, whatever surrounds the tags.
func TestChainText(t *testing.T) {
	chain := chainOf(t, 2, envs.ChainOptions{Word: "run"})
	rollout := tokens("++.+++.")
	text := chain.AnswerText(rollout)
	if want := "<run_1>++.</run_1> <run_2>+++.</run_2>"; text != want {
		t.Fatalf("got %q, want %q", text, want)
	}
	for _, c := range []struct {
		reason, text string
		want         []string
	}{
		{"as written", text, []string{"++.", "+++."}},
		{"prose around the tags", "Let me see: <run_1>++.</run_1>, or\n<run_2>+++.</run_2>!", []string{"++.", "+++."}},
		{"any order", "<run_2>.</run_2><run_1>+.</run_1>", []string{"+.", "."}},
		{"a missing answer is empty", "<run_2>.</run_2>", []string{"", "."}},
		{"an answer without its end is empty", "<run_1>++. <run_2>.</run_2>", []string{"", "."}},
		{"the last of several counts", "Plan: <run_1>.</run_1>. Final: <run_1>++.</run_1> <run_2>.</run_2>", []string{"++.", "."}},
		{"a tag that opens twice begins anew", "<run_1>. <run_1>++.</run_1><run_2>.</run_2>", []string{"++.", "."}},
		{"a third answer is not asked for", text + "<run_3>.</run_3>", []string{"++.", "+++."}},
	} {
		var got []string
		for _, v := range chain.JudgeText(c.text) {
			got = append(got, string(v.Mode))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.reason, diff)
		}
	}
	for i, v := range chain.JudgeText("<run_2>.</run_2>") {
		if got := fmt.Sprint(v.Err); (i == 0) != (got == "no <run_1>...</run_1> in the answer") {
			t.Errorf("answer %d of a text without the first has the error %s", i, got)
		}
	}
	if got := chain.PromptText(); !strings.Contains(got, "Count.") || !strings.Contains(got, "<run_1>...</run_1>, <run_2>...</run_2>") {
		t.Errorf("prompt %q does not say how to answer", got)
	}
}

// TestChainCursor walks random rollouts: states are Markov, answers follow each
// other, and the view is the answer's own.
func TestChainCursor(t *testing.T) {
	for _, byModes := range []bool{false, true} {
		chain := chainOf(t, 3, envs.ChainOptions{ByModes: byModes})
		r := rand.New(rand.NewPCG(1, 2))
		type outcome struct {
			legal string
			next  map[envs.Token]string
		}
		states := map[string]*outcome{}
		for range 2000 {
			c := chain.Start()
			var view envs.View
			for length := 0; ; length++ {
				key := string(c.AppendState(nil))
				st := states[key]
				if st == nil {
					st = &outcome{fmt.Sprint(c.Legal(), c.Done()), map[envs.Token]string{}}
					states[key] = st
				}
				if now := fmt.Sprint(c.Legal(), c.Done()); now != st.legal {
					t.Fatalf("state %q has %s and %s", key, st.legal, now)
				}
				view.Look(c)
				if c.Done() {
					break
				}
				if view.Before > length || view.Before < length-3 {
					t.Fatalf("after %d tokens the answer under way began at %d", length, view.Before)
				}
				inner, before := c.(envs.WrapperCursor).Unwrap()
				if want := inner.(envs.Viewer).AppendView(nil); before != view.Before || !bytes.Equal(view.Answer, want) {
					t.Fatalf("the view is %q from token %d, want %q from %d", view.Answer, view.Before, want, before)
				}
				token := c.Legal()[r.IntN(len(c.Legal()))]
				if err := c.Push(token); err != nil {
					t.Fatal(err)
				}
				next := string(c.AppendState(nil))
				if old, seen := st.next[token]; seen && old != next {
					t.Fatalf("state %q goes to %q and %q", key, old, next)
				}
				st.next[token] = next
			}
			if c.Push(0) == nil {
				t.Fatal("a finished chain takes another token")
			}
		}
	}
}

// TestChainContext: a policy sees the number of the answer, or the distinct modes
// found before it whatever their order.
func TestChainContext(t *testing.T) {
	context := func(byModes bool, prefix string) string {
		c := chainOf(t, 4, envs.ChainOptions{ByModes: byModes}).Start()
		for _, token := range tokens(prefix) {
			if err := c.Push(token); err != nil {
				t.Fatal(err)
			}
		}
		var v envs.View
		v.Look(c)
		return string(v.Context)
	}
	for _, c := range []struct {
		reason  string
		byModes bool
		a, b    string
		same    bool
	}{
		{"the number of the answer is the same", false, ".", "+.", true},
		{"another number", false, ".", "..", false},
		{"tokens of the answer under way are not context", false, ".+", ".++", true},
		{"other modes found", true, ".", "+.", false},
		{"the same modes in another order", true, ".+.", "+..", true},
		{"one mode found twice is found once", true, ".", "..", true},
		{"a mode more", true, ".", ".+.", false},
		{"an answer that is not correct has found nothing", true, "++++", "", true},
	} {
		if got := context(c.byModes, c.a) == context(c.byModes, c.b); got != c.same {
			t.Errorf("%s: after %q and %q the contexts are equal: %v, want %v", c.reason, c.a, c.b, got, c.same)
		}
	}
}

func TestChainRefuses(t *testing.T) {
	for _, m := range []int{-1, 0, envs.MaxChain + 1} {
		if _, err := envs.NewChain(counter{}, m, envs.ChainOptions{}); err == nil {
			t.Errorf("a chain of %d answers is accepted", m)
		}
	}
	c := chainOf(t, 2, envs.ChainOptions{}).Start()
	before := c.AppendState(nil)
	if c.Push(5) == nil || !bytes.Equal(before, c.AppendState(nil)) {
		t.Error("an illegal token is taken, or changes the state")
	}
}

// TestWrappers: the problem of a task is found through any number of wrappers, and tasks
// that differ have different IDs and contexts.
func TestWrappers(t *testing.T) {
	chain, other := chainOf(t, 3, envs.ChainOptions{}), chainOf(t, 3, envs.ChainOptions{ByModes: true})
	goals := envs.GoalWeights(2)
	var ids, contexts []string
	for i := range goals {
		for _, task := range []envs.Task{envs.NewGoal(counter{}, goals, i), envs.NewGoal(chain, goals, i), envs.NewGoal(other, goals, i)} {
			if p, ok := envs.ProblemOf(task).(counter); !ok || p.ID() != "train/0" {
				t.Errorf("%s is not seen to be made of train/0", task.ID())
			}
			if !slices.Equal(task.Prompt(), counter{}.Prompt()) {
				t.Errorf("%s has another prompt", task.ID())
			}
			var v envs.View
			v.Look(task.Start())
			ids, contexts = append(ids, task.ID()), append(contexts, string(v.Context))
		}
	}
	slices.Sort(ids)
	slices.Sort(contexts)
	if len(slices.Compact(ids)) != 9 || len(slices.Compact(contexts)) != 9 {
		t.Errorf("9 tasks have the IDs %q and the contexts %q", ids, contexts)
	}
}

func TestGoals(t *testing.T) {
	want := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1. / 3, 1. / 3, 1. / 3}}
	if diff := cmp.Diff(want, envs.GoalWeights(3)); diff != "" {
		t.Errorf("goals (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([][]float64{{1}}, envs.GoalWeights(1)); diff != "" {
		t.Errorf("with one component vertices and centroid are one (-want +got)\n%s", diff)
	}
	for _, c := range []struct {
		reason string
		w      []float64
		want   int
	}{
		{"a vertex is nearest to itself", []float64{0, 1, 0}, 1},
		{"the centroid too", []float64{1. / 3, 1. / 3, 1. / 3}, 3},
		{"distances 0.375 and 0.0417: the centroid", []float64{0.5, 0.25, 0.25}, 3},
		{"distances 0.015 and 0.54: the vertex", []float64{0.9, 0.05, 0.05}, 0},
		{"of equals the lowest", []float64{0.5, 0.5, -1}, 0},
	} {
		if got := envs.NearestGoal(envs.GoalWeights(3), c.w); got != c.want {
			t.Errorf("%s: got goal %d, want %d", c.reason, got, c.want)
		}
	}
	prompt := envs.GoalPrompt([]string{"gold", "speed"}, []float64{0.25, 0.75})
	for _, want := range []string{"- gold: 0.25\n", "- speed: 0.75\n"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt %q lacks %q", prompt, want)
		}
	}
}
