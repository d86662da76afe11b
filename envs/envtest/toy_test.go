package envtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"modebench/envs"
	"modebench/internal/exact"
)

// A toy is a small sound environment: an answer is a side and a letter, the
// side is the mode, and x is right. With a fault it breaks one promise.
type toy struct {
	fault    string
	calls    atomic.Int64
	inFlight atomic.Int64
}

var toyWords = []string{"left", "right", "x", "y"}

func (e *toy) is(fault string) bool { return e.fault == fault }

// pick returns bad under the fault and good otherwise.
func pick[T any](e *toy, fault string, bad, good T) T {
	if e.is(fault) {
		return bad
	}
	return good
}

func (e *toy) Info() envs.Info {
	return envs.Info{
		Components: []string{"left", "right"},
		Weights:    pick(e, "half weights", []float64{0.25, 0.25}, []float64{0.5, 0.5}),
		Vocabulary: pick(e, "one word twice", []string{"left", "left", "x", "y"}, toyWords),
		MaxAnswer:  pick(e, "too long", 1, 2),
		Votes:      true,
		Embeddings: true,
		Formal:     pick(e, "one formal", []bool{true}, nil),
		Variants:   e.is("odd variants") || e.is("one variant"),
	}
}

func (e *toy) Problem(split envs.Split, index int) (envs.Problem, error) {
	if _, err := envs.ParseSplit(string(split)); err != nil && !e.is("any split") {
		return nil, err
	}
	if index < 0 && !e.is("any index") {
		return nil, errors.New("negative index")
	}
	p := &toyProblem{toy: e, id: fmt.Sprint(split, "/", index), text: "Which side?"}
	if e.is("one id for all splits") {
		p.id = fmt.Sprint(index)
	}
	if e.is("another problem each time") {
		p.text = fmt.Sprint("Which side? ", e.calls.Add(1))
	}
	if e.is("shared scratch") {
		if e.inFlight.Add(1) > 1 {
			p.text = "Which side of whose?"
		}
		time.Sleep(time.Millisecond)
		e.inFlight.Add(-1)
	}
	return p, nil
}

// Features: the feature of a state is the number of tokens taken.
func (e *toy) Features() envs.Features {
	return envs.Features{Count: 3, Width: 1, Tokens: pick(e, "y is no token", 3, pick(e, "no tokens", 0, len(toyWords)))}
}

func (e *toy) Lesson(_, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	p, err := e.Problem(envs.Pretrain, 0)
	answers := make([][]envs.Token, n)
	for i := range answers {
		answers[i] = []envs.Token{envs.Token(r.IntN(2)), 2}
	}
	switch e.fault {
	case "teaches y":
		answers[0][1] = 3
	case "teaches by mood":
		answers[0][0] = envs.Token(e.calls.Add(1) % 2)
	case "teaches half an answer":
		answers[n-1] = answers[n-1][:1]
	}
	return p, answers, err
}

type toyProblem struct {
	*toy
	id, text string
}

func (p *toyProblem) AppendPromptFeatures(dst [][]int32) [][]int32 {
	if p.is("two positions") {
		dst = envs.AppendPosition(envs.AppendPosition(dst))
	}
	if p.is("no room") {
		dst = append(dst, []int32{0, 1, 2})
	}
	return dst
}

func (p *toyProblem) ID() string { return p.id }
func (p *toyProblem) Prompt() []envs.Token {
	if p.is("blind to the prompt") {
		return []envs.Token{envs.Token(p.id[len(p.id)-1]) % 2}
	}
	return pick(p.toy, "odd prompt", []envs.Token{9}, nil)
}
func (p *toyProblem) PromptText() string     { return p.text }
func (p *toyProblem) Fields() map[string]any { return map[string]any{p.field(): 2} }
func (p *toyProblem) field() string          { return pick(p.toy, "reserved field", "truth", "sides") }

func (p *toyProblem) Picture(...[]envs.Token) string { return pick(p.toy, "no picture", "", "< >") }

// Drawing is a square with a spot for each answer.
func (p *toyProblem) Drawing(answers ...envs.Attempt) envs.Drawing {
	d := envs.Drawing{Title: p.id, Width: 10, Height: 10}
	for range answers {
		d.Shapes = append(d.Shapes, envs.Shape{Kind: envs.Circle, Points: [][2]float64{{pick(p.toy, "draws outside", 11.0, 5.0), 5}}, Size: 1})
	}
	if p.is("draws by mood") {
		d.Width += float64(p.calls.Add(1) % 2)
	}
	return d
}

func (p *toyProblem) Truth() envs.Truth {
	truth := envs.Truth{Modes: []envs.Mode{"left", "right"}, Solutions: 2, Front: [][]float64{{0, 1}, {1, 0}}}
	switch p.fault {
	case "mode left out":
		truth.Modes = truth.Modes[:1]
	case "phantom mode":
		truth.Modes, truth.Solutions = append(truth.Modes, "up"), -1
	case "mode twice":
		truth.Modes = []envs.Mode{"left", "right", "left"}
	case "miscounted":
		truth.Solutions = 3
	case "low front":
		truth.Front = truth.Front[:1]
	case "phantom front":
		truth.Front = [][]float64{{1, 1}}
	case "unsorted front":
		slices.Reverse(truth.Front)
	case "dominated vector":
		truth.Front = [][]float64{{0, 0}, {0, 1}, {1, 0}}
	case "no front":
		truth.Front = nil
	}
	return truth
}

func (p *toyProblem) Judge(answer []envs.Token) *envs.Verdict {
	if len(answer) != 2 || answer[0]>>1 != 0 || answer[1]>>1 != 1 {
		return &envs.Verdict{Reward: []float64{0, 0}, Err: errors.New("want a side and a letter")}
	}
	v := &envs.Verdict{
		Reward: []float64{0, 0}, Correct: answer[1] == 2, Mode: envs.Mode(toyWords[answer[0]]),
		Answer: toyWords[answer[1]], Embedding: []float32{0, 0},
	}
	v.Embedding[answer[0]] = 1
	if v.Correct {
		v.Reward[answer[0]] = 1
	}
	switch {
	case p.is("reward cut"):
		v.Reward = v.Reward[:1]
	case p.is("reward NaN") && !v.Correct:
		v.Reward[0] = math.NaN()
	case p.is("reward of two") && v.Correct:
		v.Reward[answer[0]] = 2
	case p.is("valid without mode") && !v.Correct:
		v.Mode = envs.Degenerate
	case p.is("long embedding"):
		v.Embedding[answer[0]] = 1.0001
	case p.is("no embedding"):
		v.Embedding = nil
	case p.is("mute"):
		v.Answer = ""
	case p.is("odd variants"):
		v.Variant = toyWords[answer[1]]
	case p.is("one variant"):
		v.Variant = "the one"
	case p.is("variants unannounced"):
		v.Variant = toyWords[answer[0]]
	case p.is("rewards what it rejects") && !v.Correct:
		v = &envs.Verdict{Reward: []float64{0, 0.1}, Err: errors.New("wrong")}
	case p.is("judges by mood"):
		v.Answer = fmt.Sprint(p.calls.Add(1))
	case p.is("scribbles"):
		answer[1] = 2
	}
	return v
}

func (p *toyProblem) JudgeText(text string) *envs.Verdict {
	if p.is("panics") && text == "" {
		panic("empty")
	}
	if p.is("guesses") && text == "?" {
		return p.Judge([]envs.Token{0, 2})
	}
	var tokens []envs.Token
	for _, word := range strings.Fields(text) {
		tokens = append(tokens, envs.Token(slices.Index(toyWords, word)))
	}
	if p.is("hears y as x") && len(tokens) == 2 && tokens[1] == 3 {
		tokens[1] = 2
	}
	return p.Judge(tokens)
}

func (p *toyProblem) AnswerText(answer []envs.Token) string {
	words := make([]string, len(answer))
	for i, t := range answer {
		words[i] = "?"
		if t >= 0 && int(t) < len(toyWords) {
			words[i] = toyWords[t]
		}
	}
	return strings.Join(words, " ")
}

func (p *toyProblem) AnswerTokens(text string) ([]envs.Token, error) {
	var tokens []envs.Token
	for _, word := range strings.Fields(text) {
		i := slices.Index(toyWords, word)
		if i < 0 {
			return nil, errors.New("no word")
		}
		tokens = append(tokens, envs.Token(i))
	}
	if p.is("reads backwards") {
		slices.Reverse(tokens)
	}
	if p.is("reads anything") {
		return tokens, nil
	}
	return tokens, p.Judge(tokens).Err
}

func (p *toyProblem) Demonstrate(r *rand.Rand) []envs.Token {
	tokens := []envs.Token{1, envs.Token(2 + r.IntN(2))}
	if r.IntN(4) == 0 {
		tokens[0] = 0
	}
	switch p.fault {
	case "stops early":
		return tokens[:1]
	case "own dice":
		tokens[0] = envs.Token(p.calls.Add(1) % 2)
	case "illegal demonstration":
		tokens[1] = 0
	}
	return tokens
}

func (p *toyProblem) AppendPrior(dst []float64, prefix []envs.Token) []float64 {
	switch len(prefix) {
	case 0:
		left := pick(p.toy, "skewed prior", 0.5, 0.25)
		if p.is("impossible demonstrated") {
			return append(dst, -100, 0)
		}
		if p.is("infinite prior") {
			return append(dst, math.Inf(-1), 0)
		}
		return append(dst, 7+exact.Log(left), 7+exact.Log(1-left)) // up to a constant
	case 1:
		return append(dst, pick(p.toy, "long prior", []float64{0, 0, 0}, []float64{0, 0})...)
	}
	return dst
}

func (p *toyProblem) Start() envs.Cursor { return &toyCursor{toyProblem: p} }

type toyCursor struct {
	*toyProblem
	taken   []envs.Token
	refused int
}

func (c *toyCursor) AppendState(dst []byte) []byte {
	if c.is("key overwrites") {
		dst = dst[:0]
	}
	position := len(c.taken)
	if c.is("key is blind") {
		position = 0
	}
	dst = fmt.Append(dst, position)
	if c.is("key looks ahead") && len(c.taken) == 2 {
		dst = fmt.Append(dst, c.taken[0])
	}
	if c.is("counts refusals") {
		dst = fmt.Append(dst, "/", c.refused)
	}
	return dst
}

func (c *toyCursor) AppendFeatures(dst []int32) []int32 {
	switch c.fault {
	case "feature beyond the last":
		return append(dst, 1000)
	case "negative feature":
		return append(dst, -1)
	case "feature twice":
		return append(dst, 1, 1)
	case "too many features":
		return append(dst, 0, 1, 2)
	case "features by mood":
		return append(dst, int32(c.calls.Add(1)%2))
	case "features overwrite":
		return append(dst[:0], int32(len(c.taken)))
	case "looking takes":
		c.taken = append(c.taken[:0:0], 0)
	}
	return append(dst, int32(len(c.taken)))
}

func (c *toyCursor) Legal() []envs.Token {
	switch len(c.taken) {
	case 0:
		return pick(c.toy, "descending", []envs.Token{1, 0}, []envs.Token{0, 1})
	case 1:
		if c.is("stuck") {
			return nil
		}
		return []envs.Token{2, 3}
	}
	return nil
}

func (c *toyCursor) Push(t envs.Token) error {
	if !slices.Contains(c.Legal(), t) {
		c.refused++
		if c.is("takes anything") && !c.Done() {
			return nil
		}
		return errors.New("not legal")
	}
	if c.is("refuses y") && t == 3 {
		return errors.New("no y")
	}
	c.taken = append(c.taken, t)
	return nil
}

func (c *toyCursor) Done() bool { return len(c.taken) == 2 }
