package envs_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"modebench/envs"
)

// A counterEnv has the counter for its only problem. Its states have a feature for whether
// they are done, and its prompt has one feature.
type counterEnv struct{ envs.Env }

func (counterEnv) Info() envs.Info {
	return envs.Info{Components: []string{"a", "b"}, Vocabulary: []string{"+", ".", "?"}, MaxAnswer: 4}
}

func (counterEnv) Problem(envs.Split, int) (envs.Problem, error) { return counter{}, nil }

// A describedEnv has features: 0 in prompts, 1 and 2 for the parity of a run's
// length, and 3 when it is done.
type describedEnv struct{ counterEnv }

func (describedEnv) Features() envs.Features {
	return envs.Features{Count: 4, Width: 2, Prompt: 1, Tokens: 2}
}

func (describedEnv) Problem(envs.Split, int) (envs.Problem, error) { return described{}, nil }

type described struct{ counter }

func (described) AppendPromptFeatures(dst [][]int32) [][]int32 {
	dst = envs.AppendPosition(dst)
	dst[len(dst)-1] = append(dst[len(dst)-1], 0)
	return dst
}

func (described) Start() envs.Cursor { return &describedCounting{} }

type describedCounting struct{ counting }

func (c *describedCounting) AppendFeatures(dst []int32) []int32 {
	dst = append(dst, 1+int32(c.n%2))
	if c.Done() {
		dst = append(dst, 3)
	}
	return dst
}

func encodingOf(t testing.TB, e envs.Env, f envs.Form) *envs.Encoding {
	t.Helper()
	x, err := envs.NewEncoding(e, f)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// states lists the features of every state of a rollout.
func states(t testing.TB, x *envs.Encoding, task envs.Task, rollout []envs.Token) [][]int32 {
	t.Helper()
	var out [][]int32
	c, last := task.Start(), envs.Token(-1)
	for i, token := range rollout {
		out = append(out, x.AppendState(nil, c, last, i))
		push(t, c, token)
		last = token
	}
	return out
}

func chainFor(t testing.TB, p envs.Problem, m int, opt envs.ChainOptions) *envs.Chain {
	t.Helper()
	c, err := envs.NewChain(p, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEncoding writes out all features of small tasks. Those of the environment
// are 0 to 3; then come, for tokens 0 and 1 and none yet, 4 to 6; for places 7 to 10.
func TestEncoding(t *testing.T) {
	stop := envs.ChainOptions{Stops: true, Vocabulary: 3}
	for _, c := range []struct {
		reason         string
		form           envs.Form
		task           envs.Task
		rollout        []envs.Token
		prompt, states [][]int32
		size           [5]int // Features, Vocabulary, Prompt, Rollout, Width
	}{
		{
			reason:  "a problem by itself: one answer is asked for (11)",
			form:    envs.Form{Answers: 1},
			task:    described{},
			rollout: tokens("++."),
			prompt:  [][]int32{{0, 11}},
			states:  [][]int32{{6, 7, 1}, {4, 8, 2}, {4, 9, 1}},
			size:    [5]int{12, 2, 1, 4, 4},
		},
		{
			reason: "a chain: one to three asked for (11 to 13), number of the answer (14 to 16); behind an answer " +
				"the next one begins, with what that one ended in: its features (17 to 20) and its last token (21, 22)",
			form:    envs.Form{Answers: 3},
			task:    chainFor(t, described{}, 2, envs.ChainOptions{}),
			rollout: tokens("+.++++"),
			prompt:  [][]int32{{0, 12}},
			states: [][]int32{
				{6, 7, 1, 14}, {4, 8, 2, 14},
				{6, 7, 1, 15, 22, 18, 20}, {4, 8, 2, 15}, {4, 9, 1, 15}, {4, 10, 2, 15},
			},
			size: [5]int{23, 2, 1, 12, 8},
		},
		{
			reason:  "a problem where chains are meant is a chain of one",
			form:    envs.Form{Answers: 3},
			task:    described{},
			rollout: tokens("+."),
			prompt:  [][]int32{{0, 11}},
			states:  [][]int32{{6, 7, 1, 14}, {4, 8, 2, 14}},
			size:    [5]int{23, 2, 1, 12, 8},
		},
		{
			reason: "a chain of up to two (11, 12) that stops (25): number (13, 14); the end (15 to 20) comes with the control " +
				"token, which is due after one answer (21: more may follow, 22) or after two (23, 24: none may); weights are 26 to 42 and 43 to 59",
			form:    envs.Form{Answers: 2, Stops: true, Goals: true},
			task:    envs.NewGoal(chainFor(t, described{}, 2, stop), [][]float64{{0.5, 0.24}}, 0),
			rollout: []envs.Token{1, 3, 0, 1, 4},
			prompt:  [][]int32{{0, 12, 25}, {26 + 8}, {43 + 4}},
			states: [][]int32{
				{6, 7, 1, 13}, {21, 20, 17, 18},
				{6, 7, 1, 14}, {4, 8, 2, 14}, {24, 20, 16, 18},
			},
			size: [5]int{60, 7, 3, 10, 8},
		},
		{
			reason:  "a goal around a goal: the outer one counts (weights are 12 to 28 and 29 to 45)",
			form:    envs.Form{Answers: 1, Goals: true},
			task:    envs.NewGoal(envs.NewGoal(described{}, [][]float64{{1, 0}}, 0), [][]float64{{0, 1}}, 0),
			rollout: tokens("."),
			prompt:  [][]int32{{0, 11}, {12}, {29 + 16}},
			states:  [][]int32{{6, 7, 1}},
			size:    [5]int{46, 2, 3, 4, 4},
		},
		{
			reason:  "two at most, and one asked for: after it none may follow",
			form:    envs.Form{Answers: 2, Stops: true},
			task:    chainFor(t, described{}, 1, stop),
			rollout: []envs.Token{1, 5},
			prompt:  [][]int32{{0, 11, 25}},
			states:  [][]int32{{6, 7, 1, 13}, {22, 20, 17, 18}},
			size:    [5]int{26, 7, 1, 10, 8},
		},
	} {
		x := encodingOf(t, describedEnv{}, c.form)
		if err := x.Check(c.task); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if diff := cmp.Diff(c.prompt, x.AppendPrompt(nil, c.task)); diff != "" {
			t.Errorf("%s: prompt (-want +got)\n%s", c.reason, diff)
		}
		if diff := cmp.Diff(c.states, states(t, x, c.task, c.rollout)); diff != "" {
			t.Errorf("%s: states (-want +got)\n%s", c.reason, diff)
		}
		if got := [5]int{x.Features, x.Vocabulary, x.Prompt, x.Rollout, x.Width}; got != c.size {
			t.Errorf("%s: features, vocabulary, prompt, rollout and width are %v, want %v", c.reason, got, c.size)
		}
	}
}

// TestEncodingOfTokens: an environment without features of its own has the tokens of its
// prompts (0 to 2) with their places (up to twice the longest seen: 3 and 4).
func TestEncodingOfTokens(t *testing.T) {
	x := encodingOf(t, plainEnv{}, envs.Form{Answers: 1})
	if diff := cmp.Diff([][]int32{{2, 3, 5 + 4 + 4}}, x.AppendPrompt(nil, plain{prompt: 1})); diff != "" {
		t.Errorf("prompt (-want +got)\n%s", diff)
	}
	want := [][]int32{{8, 9}, {5, 10}, {5, 11}} // tokens 5 to 7, none yet 8, places 9 to 12
	if diff := cmp.Diff(want, states(t, x, plain{}, tokens("++."))); diff != "" {
		t.Errorf("states (-want +got)\n%s", diff)
	}
	if got := x.Check(plain{prompt: 3}); got == nil || !strings.Contains(got.Error(), "prompt of 3 tokens, the encoding is for up to 2") {
		t.Errorf("a prompt of three tokens, where the longest seen has one: %v", got)
	}
}

// plainEnv is no Describer. Its prompts are a 2, or as many as it is given.
type plainEnv struct{ counterEnv }

func (plainEnv) Problem(envs.Split, int) (envs.Problem, error) { return plain{prompt: 1}, nil }

type plain struct {
	counter
	prompt int
}

func (p plain) Prompt() []envs.Token { return slices.Repeat([]envs.Token{2}, p.prompt) }

// TestEncodingRoom: a prompt takes the room of the last one, and leaves the positions
// before it alone.
func TestEncodingRoom(t *testing.T) {
	x := encodingOf(t, describedEnv{}, envs.Form{Answers: 1})
	room := x.AppendPrompt([][]int32{{42}}, described{})
	if diff := cmp.Diff([][]int32{{42}, {0, 11}}, room); diff != "" {
		t.Errorf("behind another position (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([][]int32{{0, 11}}, x.AppendPrompt(room[:0], described{})); diff != "" {
		t.Errorf("in the room of another prompt (-want +got)\n%s", diff)
	}
	task, c := envs.Task(described{}), described{}.Start()
	var state []int32
	if n := testing.AllocsPerRun(100, func() {
		room = x.AppendPrompt(room[:0], task)
		state = x.AppendState(state[:0], c, -1, 0)
	}); n > 0 {
		t.Errorf("%v allocations for a prompt and a state, want none", n)
	}
}

func TestEncodingErrors(t *testing.T) {
	broken := errors.New("no mazes left")
	for _, c := range []struct {
		reason string
		env    envs.Env
		form   envs.Form
		want   string
	}{
		{"a rollout has an answer", describedEnv{}, envs.Form{}, "a form of 0 answers, want 1 to 255"},
		{"chains are bounded", describedEnv{}, envs.Form{Answers: 256}, "a form of 256 answers, want 1 to 255"},
		{"prompts are looked at", brokenEnv{err: broken}, envs.Form{Answers: 1}, "looking for the longest prompt: no mazes left"},
	} {
		if _, err := envs.NewEncoding(c.env, c.form); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.reason, err, c.want)
		}
	}
	chain := chainFor(t, described{}, 3, envs.ChainOptions{})
	stops := chainFor(t, described{}, 2, envs.ChainOptions{Stops: true, Vocabulary: 3})
	goal := func(w ...float64) envs.Task { return envs.NewGoal(described{}, [][]float64{w}, 0) }
	for _, c := range []struct {
		reason string
		form   envs.Form
		task   envs.Task
		want   string
	}{
		{"more answers", envs.Form{Answers: 2}, chain, "task train/0*3 asks for 3 answers, the encoding is for up to 2"},
		{"stops", envs.Form{Answers: 3}, stops, "task train/0*2s may stop early, the encoding is for tasks that do not"},
		{"a goal", envs.Form{Answers: 1}, goal(1, 0), "task train/0@0 has a goal, the encoding is for tasks without"},
		{"too short a goal", envs.Form{Answers: 1, Goals: true}, goal(1), "task train/0@0 has a goal of 1 weights, want 2"},
		{"no problem", envs.Form{Answers: 1}, orphan{}, "task orphan has no problem"},
		{"less than the form", envs.Form{Answers: 3, Stops: true, Goals: true}, described{}, ""},
	} {
		err := encodingOf(t, describedEnv{}, c.form).Check(c.task)
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
}

type brokenEnv struct {
	counterEnv
	err error
}

func (e brokenEnv) Problem(envs.Split, int) (envs.Problem, error) { return nil, e.err }

type orphan struct{ envs.Task }

func (orphan) ID() string { return "orphan" }

// TestEncodingOfWeights: a weight is rounded to the next sixteenth, and one outside
// of 0 to 1 to the nearer of these.
func TestEncodingOfWeights(t *testing.T) {
	x := encodingOf(t, describedEnv{}, envs.Form{Answers: 1, Goals: true})
	for _, c := range []struct {
		w    float64
		want int32
	}{{0, 0}, {1, 16}, {0.25, 4}, {0.28, 4}, {0.2813, 5}, {1. / 3, 5}, {-1, 0}, {7, 16}} {
		prompt := x.AppendPrompt(nil, envs.NewGoal(described{}, [][]float64{{c.w, 1}}, 0))
		if got := prompt[1][0] - 12; got != c.want {
			t.Errorf("weight %v is %d sixteenths, want %d", c.w, got, c.want)
		}
	}
}

// TestEncodingTellsRolloutsApart: rollouts that differ in more than their last
// token, which no state follows, differ in the features of some state.
func TestEncodingTellsRolloutsApart(t *testing.T) {
	for _, opt := range []envs.ChainOptions{{}, {Stops: true, Vocabulary: 3}} {
		x := encodingOf(t, describedEnv{}, envs.Form{Answers: 2, Stops: opt.Stops})
		task := chainFor(t, described{}, 2, opt)
		rapid.Check(t, func(rt *rapid.T) {
			a, b := drawRollout(rt, task), drawRollout(rt, task)
			same := slices.Equal(a[:len(a)-1], b[:len(b)-1])
			if got := cmp.Equal(states(t, x, task, a), states(t, x, task, b)); got != same {
				rt.Errorf("rollouts %v and %v: their features are equal: %v", a, b, got)
			}
		})
	}
}

func drawRollout(rt *rapid.T, task envs.Task) (rollout []envs.Token) {
	for c := task.Start(); !c.Done(); {
		token := rapid.SampledFrom(c.Legal()).Draw(rt, "token")
		if err := c.Push(token); err != nil {
			rt.Fatal(err)
		}
		rollout = append(rollout, token)
	}
	return rollout
}
