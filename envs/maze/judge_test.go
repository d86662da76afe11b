package maze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

// small is a maze with one of everything in reach. Items in reading order: G1
// (0,2), L1 (1,1), G2 (1,2), D1 (2,0).
var small = []string{"S.G", ".LG", "D.E"}

func TestJudgeText(t *testing.T) {
	p := draw(small, 6)
	for _, c := range []struct {
		reason, text string
		reward       []float64
		mode         envs.Mode
	}{
		{"all gold", "RIGHT RIGHT DOWN DOWN", []float64{1, 1, 0, 1}, "exit G1 G2"},
		{"one gold over the lava", "RIGHT DOWN RIGHT DOWN", []float64{1, 0.5, 0, 0}, "exit G2 L1"},
		{"the diamond", "DOWN DOWN RIGHT RIGHT", []float64{1, 0, 1, 1}, "exit D1"},
		{"nothing but lava", "DOWN RIGHT DOWN RIGHT", []float64{1, 0, 0, 0}, "exit L1"},
		{"an item visited twice counts once", "DOWN DOWN UP DOWN RIGHT RIGHT", []float64{1, 0, 1, 1}, "exit D1"},
		{"moves after E are ignored", "DOWN DOWN RIGHT RIGHT UP UP", []float64{1, 0, 1, 1}, "exit D1"},
		{"a bump into the border costs a step and stays put", "UP LEFT DOWN DOWN RIGHT RIGHT", []float64{1, 0, 1, 1}, "exit D1"},
		{"moves past the budget are ignored", "UP UP LEFT DOWN DOWN RIGHT RIGHT", []float64{0, 0, 0, 0}, "unfinished D1"},
		{"E is not reached", "RIGHT RIGHT DOWN", []float64{0, 0, 0, 0}, "unfinished G1 G2"},
		{"nothing is reached", "LEFT", []float64{0, 0, 0, 0}, "unfinished"},
		{"any white space separates", "\tDOWN\nDOWN\u00a0RIGHT \r\n RIGHT ", []float64{1, 0, 1, 1}, "exit D1"},
		{"the answer stands in its tags", "I go DOWN. <answer>DOWN DOWN RIGHT RIGHT</answer> Done.", []float64{1, 0, 1, 1}, "exit D1"},
		{"blanks around tags may be missing", "x<answer>\nDOWN DOWN RIGHT RIGHT\n</answer>y", []float64{1, 0, 1, 1}, "exit D1"},
		{"the last pair counts", "<answer>LEFT</answer> no: <answer>DOWN DOWN RIGHT RIGHT</answer>", []float64{1, 0, 1, 1}, "exit D1"},
		{"the last complete pair counts", "<answer>DOWN DOWN RIGHT RIGHT</answer> or <answer>LEFT", []float64{1, 0, 1, 1}, "exit D1"},
		{"a pair closes at the first closing tag", "<answer>DOWN DOWN RIGHT RIGHT</answer> </answer>", []float64{1, 0, 1, 1}, "exit D1"},
		{"a tag opened twice begins anew", "<answer>LEFT <answer>DOWN DOWN RIGHT RIGHT</answer>", []float64{1, 0, 1, 1}, "exit D1"},
	} {
		v := p.JudgeText(c.text)
		if v.Err != nil || v.Mode != c.mode || !slices.Equal(v.Reward, c.reward) || v.Correct != (c.reward[0] == 1) || v.Answer != "" {
			t.Errorf("%s: %q: got %+v, want %v in mode %q", c.reason, c.text, v, c.reward, c.mode)
		}
	}
}

func TestAnswerTokens(t *testing.T) {
	p := draw(small, 6)
	for _, c := range []struct{ reason, text, want, err string }{
		{"moves", "  DOWN \tUP\n", "[1 0]", ""},
		{"in tags", "I go <answer>UP DOWN</answer>.", "[0 1]", ""},
		{"past E and the budget", strings.Repeat("RIGHT ", 3) + strings.Repeat("DOWN ", 5), "[3 3 3 1 1 1 1 1]", ""},
		{"a word that is none", "UP odd", "[]", `word 2, "odd", is no move; moves are UP, DOWN, LEFT, RIGHT`},
		{"nothing", " ", "[]", "the answer holds no moves; moves are UP, DOWN, LEFT, RIGHT"},
	} {
		got, err := p.AnswerTokens(c.text)
		if fmt.Sprint(got) != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %v %v, want %s %s", c.reason, got, err, c.want, c.err)
		}
	}
}

func TestJudgeTextErrors(t *testing.T) {
	p := draw(small, 6)
	const empty = "the answer holds no moves; moves are UP, DOWN, LEFT, RIGHT"
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", "", empty},
		{"white space only", " \n", empty},
		{"empty tags, whatever stands around them", "UP <answer> </answer> UP", empty},
		{"a word that is no move", "DOWN SOUTH", `word 2, "SOUTH", is no move; moves are UP, DOWN, LEFT, RIGHT`},
		{"case matters", "down", `word 1, "down", is no move; moves are UP, DOWN, LEFT, RIGHT`},
		{"commas are no white space", "UP, UP", `word 1, "UP,", is no move; moves are UP, DOWN, LEFT, RIGHT`},
		{"also after E", "DOWN DOWN RIGHT RIGHT STOP", `word 5, "STOP", is no move; moves are UP, DOWN, LEFT, RIGHT`},
		{"also past the budget", strings.Repeat("UP ", 10) + "?", `word 11, "?", is no move; moves are UP, DOWN, LEFT, RIGHT`},
		{"a tag that is not closed is a word", "<answer> UP", `word 1, "<answer>", is no move; moves are UP, DOWN, LEFT, RIGHT`},
		{"a tag closed before it opens is none", "</answer> UP <answer>", `word 1, "</answer>", is no move; moves are UP, DOWN, LEFT, RIGHT`},
		{"long words are cut short, on one line", strings.Repeat("(\x00", 999), `word 1, "` + strings.Repeat(`(\x00`, 20) + `", is no move; moves are UP, DOWN, LEFT, RIGHT`},
	} {
		v := p.JudgeText(c.text)
		if v.Err == nil || v.Err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, v.Err, c.want)
			continue
		}
		if v.Mode != envs.Degenerate || v.Correct || v.Embedding != nil || !slices.Equal(v.Reward, []float64{0, 0, 0, 0}) {
			t.Errorf("%s: got %+v, want nothing but the error", c.reason, v)
		}
	}
}

// TestJudgeTokens: tokens that are no moves do not parse, and neither do their
// texts.
func TestJudgeTokens(t *testing.T) {
	p := draw(small, 6)
	for _, c := range []struct {
		reason string
		answer []envs.Token
		text   string
	}{
		{"a cell is no move", []envs.Token{0, 4}, "UP S"},
		{"the last cell kind", []envs.Token{11}, "."},
		{"a digit is no move", []envs.Token{12, 1}, "0 DOWN"},
		{"the last digit, after E", []envs.Token{1, 1, 3, 3, 21}, "DOWN DOWN RIGHT RIGHT 9"},
		{"beyond the vocabulary", []envs.Token{22}, "?"},
		{"below it", []envs.Token{-1}, "?"},
		{"nothing", nil, ""},
	} {
		if got := p.AnswerText(c.answer); got != c.text {
			t.Errorf("%s: text %q, want %q", c.reason, got, c.text)
		}
		v, w := p.Judge(c.answer), p.JudgeText(c.text)
		if v.Err == nil || w.Err == nil || v.Err.Error() != w.Err.Error() {
			t.Errorf("%s: errors %v and, of the text, %v", c.reason, v.Err, w.Err)
		}
	}
}

// compare holds a verdict against the simulator.
func compare(t *testing.T, s sheet, side int, words []string, v *envs.Verdict) {
	t.Helper()
	want := s.simulate(words)
	embedding := make([]float32, side*side)
	for at := range want.visited {
		embedding[at.r*side+at.c] = float32(1 / math.Sqrt(float64(len(want.visited))))
	}
	got := outcome{v.Reward, v.Correct, string(v.Mode), want.visited}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(outcome{}, spot{})); d != "" || v.Err != nil {
		t.Fatalf("%v: error %v (-simulator +judge):\n%s", words, v.Err, d)
	}
	for i, x := range embedding {
		if math.Abs(float64(x-v.Embedding[i])) > 1e-7 || (x == 0) != (v.Embedding[i] == 0) {
			t.Fatalf("%v: embedding[%d] is %v, want %v", words, i, v.Embedding[i], x)
		}
	}
}

// TestJudgeAgainstSimulator judges demonstrations, witnesses and random moves,
// some too long.
func TestJudgeAgainstSimulator(t *testing.T) {
	names := []string{"UP", "DOWN", "LEFT", "RIGHT"}
	for _, variant := range variants {
		e := build(t, variant.change)
		for i := range 6 {
			for _, split := range envs.Splits() {
				p := problem(t, e, split, i)
				s := readSheet(t, p)
				r := rng.New(5).Str(string(split)).Int(uint64(i)).Rand()
				answers := [][]envs.Token{}
				for _, route := range p.Fields()["routes"].([]route) {
					answers = append(answers, tokens(t, route.Answer))
				}
				for range 15 {
					answers = append(answers, p.Demonstrate(r), randomMoves(r, 1+r.IntN(2*s.budget)), append(p.Demonstrate(r), randomMoves(r, 3)...))
				}
				for _, answer := range answers {
					words := []string{}
					for _, token := range answer {
						words = append(words, names[token])
					}
					compare(t, s, e.config.Size+2, words, p.Judge(answer))
					compare(t, s, e.config.Size+2, words, p.JudgeText(strings.Join(words, " ")))
				}
			}
		}
	}
}

// randomMoves wander, with a leaning to the south and east.
func randomMoves(r *rand.Rand, n int) []envs.Token {
	out := make([]envs.Token, n)
	for i := range out {
		out[i] = []envs.Token{0, 1, 1, 2, 3, 3}[r.IntN(6)]
	}
	return out
}

func TestRewardWithoutLava(t *testing.T) {
	p := draw([]string{"SG", "DE"}, 3)
	if v := p.JudgeText("RIGHT DOWN"); !slices.Equal(v.Reward, []float64{1, 1, 0, 1}) {
		t.Errorf("reward %v, want (1, 1, 0, 1): without lava none is stepped on", v.Reward)
	}
}
