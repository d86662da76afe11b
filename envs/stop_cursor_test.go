package envs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
)

// TestStopLegal: after i of m answers one may go on (i < m), stop, or name one of
// the i, and the longest chains have room for it all.
func TestStopLegal(t *testing.T) {
	for _, m := range []int{1, 2, 3, envs.MaxChain} {
		c := stopping(t, m, false).Start()
		for given := 1; given <= m; given++ {
			push(t, c, 1)
			want := []envs.Token{words, words + 1}
			if given == m {
				want = want[1:]
			}
			for j := range given {
				want = append(want, envs.Token(words+2+j))
			}
			if !slices.Equal(c.Legal(), want) {
				t.Fatalf("after answer %d of %d: %v is legal, want %v", given, m, c.Legal(), want)
			}
			if given < m {
				push(t, c, words)
			}
		}
		push(t, c, envs.Token(words+1+m))
		if !c.Done() || len(c.Legal()) > 0 {
			t.Errorf("of %d answers the last is named, and there is more to come", m)
		}
	}
}

func push(t testing.TB, c envs.Cursor, rollout ...envs.Token) {
	t.Helper()
	for _, token := range rollout {
		if err := c.Push(token); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStopCursor walks random rollouts: a state's key determines the legal tokens and the
// next states; tokens that are not legal are refused and change nothing; the view is the
// answer's own or, after it, a control token's.
func TestStopCursor(t *testing.T) {
	for _, byModes := range []bool{false, true} {
		chain := stopping(t, 3, byModes)
		r := rand.New(rand.NewPCG(1, 2))
		states, lengths := map[string]string{}, map[int]bool{}
		for range 3000 {
			c, rollout := chain.Start(), []envs.Token(nil)
			for key := string(c.AppendState(nil)); !c.Done(); {
				var view envs.View
				view.Look(c)
				if inner, before := c.(envs.WrapperCursor).Unwrap(); before != view.Before || inner.Done() || !slices.Equal(inner.Legal(), c.Legal()) {
					t.Fatalf("after %v, at token %d: the cursor inside is another's", rollout, before)
				}
				if due := view.Before == len(rollout) && len(rollout) > 0 && rollout[len(rollout)-1] < words; view.Control != due {
					t.Fatalf("after %v a control token is due: %v, want %v", rollout, view.Control, due)
				}
				for token := envs.Token(-1); token < words+7; token++ {
					if !slices.Contains(c.Legal(), token) && (c.Push(token) == nil || string(c.AppendState(nil)) != key) {
						t.Fatalf("after %v: token %d is taken, or changes the state", rollout, token)
					}
				}
				token := c.Legal()[r.IntN(len(c.Legal()))]
				legal := fmt.Sprint(c.Legal())
				push(t, c, token)
				rollout = append(rollout, token)
				next := string(c.AppendState(nil))
				for place, what := range map[string]string{key: legal, fmt.Sprint(key, " then ", token): next + fmt.Sprint(c.Done())} {
					if old, seen := states[place]; seen && old != what {
						t.Fatalf("state %q has %q and %q", place, old, what)
					}
					states[place] = what
				}
				key = next
			}
			if c.Push(words+1) == nil {
				t.Fatal("a chain that has stopped takes another token")
			}
			lengths[len(chain.Split(rollout))] = true
		}
		if len(lengths) != 3 {
			t.Errorf("chains of these lengths: %v, want 1, 2 and 3", lengths)
		}
	}
}

// TestStopContext: where a control token is due, a policy sees how many answers
// were given, whether there may be more, and the number or the modes found.
func TestStopContext(t *testing.T) {
	look := func(m int, byModes bool, rollout string) envs.View {
		c := stopping(t, m, byModes).Start()
		push(t, c, script(rollout)...)
		var v envs.View
		v.Look(c)
		return v
	}
	for _, c := range []struct {
		reason        string
		m             [2]int
		byModes       bool
		a, b          string
		view, context bool // are the same
	}{
		{"what the answer was is not seen", [2]int{3, 3}, false, ".", "++++", true, true},
		{"how many there are is", [2]int{3, 3}, false, ".", ".g.", false, false},
		{"chains of other lengths look alike while both may go on", [2]int{3, 4}, false, ".g.", ".g.", true, true},
		{"but not where one may not", [2]int{2, 3}, false, ".g.", ".g.", false, true},
		{"the mode found just now is seen", [2]int{3, 3}, true, ".", "+.", true, false},
		{"whatever the order", [2]int{3, 3}, true, ".g+.", "+.g.", true, true},
		{"an answer that is not correct has found nothing", [2]int{3, 3}, true, ".g++++", ".g.", true, true},
		{"an answer that follows looks like any other", [2]int{3, 3}, false, ".g", ".g.g", true, false},
		{"and its context is the number of those before", [2]int{3, 3}, false, ".g", "+.g+", false, true},
	} {
		a, b := look(c.m[0], c.byModes, c.a), look(c.m[1], c.byModes, c.b)
		if bytes.Equal(a.Answer, b.Answer) != c.view || bytes.Equal(a.Context, b.Context) != c.context {
			t.Errorf("%s: after %q and %q the views are %q and %q, want the same: %v; the contexts %q and %q, want: %v",
				c.reason, c.a, c.b, a.Answer, b.Answer, c.view, a.Context, b.Context, c.context)
		}
	}
}

// A mimic has whatever view it is given.
type mimic struct {
	counting
	view []byte
}

func (m *mimic) AppendView(dst []byte) []byte { return append(dst, m.view...) }

// TestViewsOfControl: no answer's view equals one of a control token, and views
// that differ go on differing.
func TestViewsOfControl(t *testing.T) {
	c := stopping(t, 3, false).Start()
	push(t, c, script(".g.")...)
	var due, v envs.View
	due.Look(c)
	seen := map[string][]byte{string(due.Answer): []byte("the control token")}
	for n := range len(due.Answer) + 1 {
		for _, more := range []string{"", "x", string(due.Answer)} {
			view := append(bytes.Clone(due.Answer[:n]), more...)
			if v.Look(&mimic{view: view}); v.Control {
				t.Errorf("the view %q passes for a control token", view)
			}
			if other, met := seen[string(v.Answer)]; met && !bytes.Equal(other, view) {
				t.Errorf("the views %q and %q are one", other, view)
			}
			seen[string(v.Answer)] = view
		}
	}
	if v.Look(&mimic{view: []byte("plain")}); string(v.Answer) != "plain" {
		t.Errorf("the view %q is changed for nothing", v.Answer)
	}
}

// walked reads a rollout with the chain's own cursor: its answers, and the answer it names.
// It cuts at the cursor's ends, and not as Split does.
func walked(c *envs.Chain, rollout []envs.Token) (answers [][]envs.Token, named int) {
	walk := c.Start()
	answers = [][]envs.Token{nil}
	last := func() *[]envs.Token { return &answers[len(answers)-1] }
	for i, token := range rollout {
		var view envs.View
		view.Look(walk)
		stopped := walk.Done()
		if walk.Push(token) != nil {
			if stopped { // the stop was out of place
				i--
			}
			*last() = append(*last(), rollout[i:]...)
			return answers, 0
		}
		switch {
		case !view.Control:
			*last() = append(*last(), token)
		case token == words:
			answers = append(answers, nil)
		default:
			named = int(token) - words - 1
		}
	}
	return answers, named
}

// FuzzStops: whatever the tokens, the rollout is cut as the chain's cursor walks it, and
// its text means the same.
func FuzzStops(f *testing.F) {
	for _, text := range []string{"", "+.s", "+.g++.g.3", ".g.gg", ".s.", "?", "++++g++++2", ".1."} {
		f.Add(byte(2), false, []byte(text))
	}
	f.Fuzz(func(t *testing.T, length byte, byModes bool, text []byte) {
		m := int(length%4) + 1
		chain := stopping(t, m, byModes)
		var rollout []envs.Token
		for _, b := range text {
			at := strings.IndexByte("+.?gs123456789", b)
			if at < 0 {
				at = int(int8(b)) // any other small number, also below 0
			}
			rollout = append(rollout, envs.Token(at))
		}
		before := slices.Clone(rollout)
		answers, named := walked(chain, rollout)
		got := chain.Split(rollout)
		if !slices.EqualFunc(got, answers, slices.Equal) || chain.Named(rollout) != named || len(got) > m {
			t.Fatalf("%v is cut into %v and names %d, the cursor walks %v and %d", rollout, got, chain.Named(rollout), answers, named)
		}
		var want []*envs.Verdict
		for _, answer := range answers {
			want = append(want, voter{}.Judge(answer))
		}
		written := chain.AnswerText(rollout)
		sameVerdicts(t, "tokens", chain.Judge(nil, rollout), want)
		sameVerdicts(t, "text", chain.JudgeText(written), want)
		if chain.NamedText(written) != named {
			t.Fatalf("%q names %d, want %d", written, chain.NamedText(written), named)
		}
		if padded := chain.JudgeAll(nil, rollout); len(padded) != m {
			t.Fatalf("%d verdicts, want %d", len(padded), m)
		}
		if !slices.Equal(before, rollout) {
			t.Fatal("the rollout was written to")
		}
	})
}

// FuzzStopText: no text makes a chain panic, and an answer that is named is given.
func FuzzStopText(f *testing.F) {
	f.Add("<answer_1>+.</answer_1> <answer_2>.</answer_2> <final>2</final>")
	f.Add("<answer_3></answer_3><final>-1</final><final>")
	f.Fuzz(func(t *testing.T, text string) {
		chain := stopping(t, 3, false)
		given, named := len(chain.JudgeText(text)), chain.NamedText(text)
		if given < 1 || given > 3 || named < 0 || named > given {
			t.Fatalf("%q has %d answers and names number %d", text, given, named)
		}
	})
}
