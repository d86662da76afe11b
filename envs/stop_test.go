package envs_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// A voter is a counter whose answers have an outcome, their length, unless the limit ended
// them; and whose text holds all that its judge reads.
type voter struct{ counter }

func (v voter) Judge(answer []envs.Token) *envs.Verdict { return v.JudgeText(v.AnswerText(answer)) }

func (voter) JudgeText(text string) *envs.Verdict {
	v := &envs.Verdict{Mode: envs.Mode(text), Correct: strings.HasSuffix(text, ".")}
	if v.Correct {
		v.Answer = strconv.Itoa(len(text))
	}
	if strings.Contains(text, "?") {
		v.Err = errors.New("what is that?")
	}
	return v
}

func (voter) AnswerText(answer []envs.Token) string {
	var b strings.Builder
	for _, t := range answer {
		if uint(t) < 2 {
			b.WriteString([]string{"+", "."}[t])
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}

// words is the size of its vocabulary. Its tokens are 0 and 1 alone, so one token is
// unused.
const words = 3

// script reads a rollout: "+" and "." of the answers, "g" to continue, "s" to stop, a digit
// to stop and name that answer, "?" for a number that is no token.
func script(text string) []envs.Token {
	var out []envs.Token
	for _, r := range text {
		out = append(out, envs.Token(strings.IndexRune("+.?gs123456789", r)))
	}
	return out
}

func stopping(t testing.TB, m int, byModes bool) *envs.Chain {
	t.Helper()
	c, err := envs.NewChain(voter{}, m, envs.ChainOptions{ByModes: byModes, Stops: true, Vocabulary: words})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestStops: where a rollout is cut, which answer it names, and the verdicts of the
// answers alone and of a chain filled up.
func TestStops(t *testing.T) {
	for _, c := range []struct {
		reason, rollout string
		answers         []string
		named           int
	}{
		{"one answer", "++.s", []string{"++."}, 0},
		{"one answer, named", "++.1", []string{"++."}, 1},
		{"two answers", "+.g.s", []string{"+.", "."}, 0},
		{"the first of two named", "+.g.1", []string{"+.", "."}, 1},
		{"as many as there may be", ".g+.g++.s", []string{".", "+.", "++."}, 0},
		{"the last of these named", ".g+.g++.3", []string{".", "+.", "++."}, 3},
		{"answers that their limit ended", "++++g++++2", []string{"++++", "++++"}, 2},
		{"nothing is one empty answer", "", []string{""}, 0},
		{"an answer under way", "+", []string{"+"}, 0},
		{"a control token that is not reached", ".g+.", []string{".", "+."}, 0},
		{"an answer that is not reached", ".g", []string{".", ""}, 0},
		{"a control token within an answer", "+s", []string{"+s"}, 0},
		{"which swallows what follows", "+g.g.", []string{"+g.g."}, 0},
		{"a token that is none swallows likewise", ".g+?.1", []string{".", "+?.1"}, 0},
		{"no control token where one is due", ".g..1", []string{".", "..1"}, 0},
		{"an answer named that is not given", ".g.3", []string{".", ".3"}, 0},
		{"going on after the last answer", ".g.g.g.", []string{".", ".", ".g."}, 0},
		{"something behind a stop", ".s.", []string{".s."}, 0},
		{"something behind a named answer, which then is not", ".g.1s", []string{".", ".1s"}, 0},
	} {
		chain, rollout := stopping(t, 3, false), script(c.rollout)
		var want [][]envs.Token
		var judged, padded []*envs.Verdict
		for _, answer := range c.answers {
			want = append(want, script(answer))
			judged = append(judged, voter{}.Judge(script(answer)))
		}
		for padded = slices.Clone(judged); len(padded) < 3; {
			padded = append(padded, voter{}.Judge(nil))
		}
		other := &envs.Verdict{}
		got := chain.Split(rollout)
		if !slices.EqualFunc(got, want, slices.Equal) || chain.Named(rollout) != c.named {
			t.Errorf("%s: %q is cut into %v and names %d, want %v and %d", c.reason, c.rollout, got, chain.Named(rollout), want, c.named)
		}
		sameVerdicts(t, c.reason, chain.Judge([]*envs.Verdict{other}, rollout), append([]*envs.Verdict{other}, judged...))
		sameVerdicts(t, c.reason+", filled up", chain.JudgeAll([]*envs.Verdict{other}, rollout), append([]*envs.Verdict{other}, padded...))
		sameVerdicts(t, c.reason+", in text", chain.JudgeText(chain.AnswerText(rollout)), judged)
		if text := chain.AnswerText(rollout); chain.NamedText(text) != c.named {
			t.Errorf("%s: the text %q names %d, want %d", c.reason, text, chain.NamedText(text), c.named)
		}
	}
}

func sameVerdicts(t testing.TB, reason string, got, want []*envs.Verdict) {
	t.Helper()
	same := func(a, b *envs.Verdict) bool {
		return a.Mode == b.Mode && a.Correct == b.Correct && a.Answer == b.Answer && (a.Err == nil) == (b.Err == nil)
	}
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%s: %d verdicts, want %d; or they differ", reason, len(got), len(want))
	}
}

// TestStopText: the text form, and the reading of texts from anywhere.
func TestStopText(t *testing.T) {
	chain, err := envs.NewChain(voter{}, 3, envs.ChainOptions{Word: "run", Stops: true, Vocabulary: words})
	if err != nil {
		t.Fatal(err)
	}
	for rollout, want := range map[string]string{
		"+.g++.s": "<run_1>+.</run_1> <run_2>++.</run_2>",
		"+.g++.1": "<run_1>+.</run_1> <run_2>++.</run_2> <final>1</final>",
	} {
		if got := chain.AnswerText(script(rollout)); got != want {
			t.Errorf("the text of %s is %q, want %q", rollout, got, want)
		}
	}
	for _, c := range []struct {
		reason, text string
		want         []string
		named        int
	}{
		{"as written", "<run_1>+.</run_1> <run_2>.</run_2> <final>2</final>", []string{"+.", "."}, 2},
		{"prose and blanks around it", "Well: <run_1>+.</run_1>, so\n<final> 1\n</final>!", []string{"+."}, 1},
		{"nothing named", "<run_1>+.</run_1>", []string{"+."}, 0},
		{"the last pair of tags counts", "<run_1>+.</run_1><final>2</final><final>1</final>", []string{"+."}, 1},
		{"it may stand in front", "<final>1</final><run_1>+.</run_1>", []string{"+."}, 1},
		{"a number that is left out is an empty answer", "<run_3>.</run_3><final>3</final>", []string{"", "", "."}, 3},
		{"a fourth answer is not asked for", "<run_1>.</run_1><run_4>+.</run_4><final>4</final>", []string{"."}, 0},
		{"no answer at all", "I do not know.", []string{""}, 0},
		{"an answer that is not given", "<run_1>+.</run_1><final>2</final>", []string{"+."}, 0},
		{"no answer has the number 0", "<run_1>+.</run_1><final>0</final>", []string{"+."}, 0},
		{"an answer in place of its number", "<run_1>+.</run_1><final>+.</final>", []string{"+."}, 0},
		{"a number in no rollout's text", "<run_1>+.</run_1><final>01</final>", []string{"+."}, 0},
		{"nothing between the tags", "<run_1>+.</run_1><final></final>", []string{"+."}, 0},
	} {
		var got []string
		for _, v := range chain.JudgeText(c.text) {
			got = append(got, string(v.Mode))
		}
		if diff := cmp.Diff(c.want, got); diff != "" || chain.NamedText(c.text) != c.named {
			t.Errorf("%s: names %d, want %d (-want +got)\n%s", c.reason, chain.NamedText(c.text), c.named, diff)
		}
	}
	if v := chain.JudgeText("<run_2>.</run_2>")[0]; fmt.Sprint(v.Err) != "no <run_1>...</run_1> in the answer" {
		t.Errorf("a number that is left out has the error %v", v.Err)
	}
	prompt := chain.PromptText()
	for _, want := range []string{"Count.", "<run_1>...</run_1>, <run_2>...</run_2>, <run_3>...</run_3>", "from 1 to 3", "<final>1</final>"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt %q does not say %q", prompt, want)
		}
	}
}

// TestFinal: SD-E2's order of the candidates for the final answer (eq. 7).
func TestFinal(t *testing.T) {
	chain := stopping(t, 3, false)
	for _, c := range []struct {
		reason, rollout, want string
	}{
		{"the one that is named", ".g+.g++.1", "1"},
		{"though others follow", ".g+.g++.2", "2"},
		{"none is named: the last outcome", ".g+.s", "2"},
		{"the last answer has no outcome: the one before it", "+.g++++s", "2"},
		{"the one that is named has none", "+.g++++2", "2"},
		{"and none is after it", "++++g.1", "1"},
		{"nothing has an outcome", "++++g++++1", ""},
		{"no answer", "", ""},
		{"a rollout that is not whole", ".g+.", "2"},
	} {
		rollout := script(c.rollout)
		text := chain.AnswerText(rollout)
		for form, v := range map[string]*envs.Verdict{
			"tokens":    envs.FinalVerdict(chain.Judge(nil, rollout), chain.Named(rollout)),
			"filled up": envs.FinalVerdict(chain.JudgeAll(nil, rollout), chain.Named(rollout)),
			"text":      envs.FinalVerdict(chain.JudgeText(text), chain.NamedText(text)),
		} {
			got := ""
			if v != nil {
				got = v.Answer
			}
			if got != c.want || (v != nil) != (c.want != "") {
				t.Errorf("%s (%s): %q, want %q", c.reason, form, got, c.want)
			}
		}
	}
	one := []*envs.Verdict{{Answer: "7"}}
	for _, named := range []int{-1, 2} {
		if v := envs.FinalVerdict(one, named); v != one[0] {
			t.Errorf("answer %d of one is named: got %v, want the one", named, v)
		}
	}
}

// TestChainsThatDoNotStop: chains that do not stop have no control tokens.
func TestChainsThatDoNotStop(t *testing.T) {
	plain := chainOf(t, 3, envs.ChainOptions{Vocabulary: words})
	rollout := script("+.g.1")
	if plain.Stops() || plain.Named(rollout) != 0 || plain.NamedText("<answer_1>.</answer_1><final>1</final>") != 0 {
		t.Error("an answer is named in a chain that does not stop")
	}
	if plain.ID() != "train/0*3" || strings.Contains(plain.PromptText(), "final") {
		t.Errorf("task %s asks: %s", plain.ID(), plain.PromptText())
	}
	for _, text := range []string{"", "+.", "+..++.."} {
		sameVerdicts(t, text, plain.JudgeAll(nil, tokens(text)), plain.Judge(nil, tokens(text)))
	}
}

// TestStopRefuses: there has to be room for the control tokens.
func TestStopRefuses(t *testing.T) {
	for _, c := range []struct {
		vocabulary, m int
		ok            bool
	}{
		{0, 3, false}, {-1, 3, false}, {1, 3, true}, {math.MaxInt32 - 4, 3, true}, {math.MaxInt32 - 3, 3, false}, {math.MaxInt, 1, false},
		{words, envs.MaxChain, true}, {words, envs.MaxChain + 1, false},
	} {
		_, err := envs.NewChain(voter{}, c.m, envs.ChainOptions{Stops: true, Vocabulary: c.vocabulary})
		if (err == nil) != c.ok {
			t.Errorf("a vocabulary of %d, %d answers: error %v, want accepted %v", c.vocabulary, c.m, err, c.ok)
		}
	}
	var ids []string
	for _, opt := range []envs.ChainOptions{{}, {ByModes: true}, {Stops: true, Vocabulary: 1}, {ByModes: true, Stops: true, Vocabulary: 1}} {
		ids = append(ids, chainOf(t, 3, opt).ID())
	}
	if diff := cmp.Diff([]string{"train/0*3", "train/0*3m", "train/0*3s", "train/0*3ms"}, ids); diff != "" {
		t.Error(diff)
	}
}
