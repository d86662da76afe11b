package envs

import (
	"fmt"
	"reflect"
)

// An Encoding is how a sequence model reads the tasks of an environment: each position of a prompt
// and of a rollout is a set of features, whose learned vectors are added up. Positions are features
// too. A set lists its features in a fixed order and none twice.
//
// The first position of a prompt also holds the number of answers asked for, and whether the chain
// may stop; a prompt without positions gets a position for that. The prompt of a goal ends with a
// position for each weight, in sixteenths.
//
// A state has the last token of the answer under way, its place in that answer, the environment's
// features of the state (Describer), and the number of the answer in its chain. The first state
// after an answer also has that answer's last token and the environment's features of its end, so
// that later answers can depend on it. In a chain that stops, this is the state where a control
// token is due.
type Encoding struct {
	Features   int // they are 0 to Features-1
	Vocabulary int // tokens that a rollout may hold, the control tokens of chains included
	Prompt     int // most positions of a prompt, over all splits; each has one
	Rollout    int // most tokens of a rollout, over all splits
	Width      int // most features of a position

	form       Form
	base       Features     // of the environment, or their substitute without a Describer
	described  bool         // by the environment itself
	components int          // of the reward
	problems   reflect.Type // of the environment: their Go type
	first                   // where kinds of features begin; the environment's own are the first
}

// first is the first feature of each kind that an encoding adds.
type first struct {
	last      int32 // last token of the answer under way, or none yet
	place     int32 // of the next token in the answer under way
	number    int32 // of the answer under way
	ended     int32 // the environment's features of the answer that has just ended
	endedLast int32 // last token of that answer
	control   int32 // a control token is due: by the number of answers, and whether more may follow
	asked     int32 // answers that the prompt asks for
	stops     int32 // the chain may stop
	weight    int32 // of a component
}

// sixteenths is how finely an encoding tells weights apart.
const sixteenths = 16

// NewEncoding returns the encoding of the environment's tasks of a form.
func NewEncoding(e Env, f Form) (*Encoding, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	info := e.Info()
	x := &Encoding{form: f, components: len(info.Components)}
	if d, ok := e.(Describer); ok {
		x.base, x.described = d.Features(), true
	} else {
		prompt, err := longestPrompt(e)
		if err != nil {
			return nil, err
		}
		v := len(info.Vocabulary)
		x.base = Features{Count: v + prompt, Width: 2, Prompt: prompt, Tokens: v}
	}
	first, err := e.Problem(Train, 0)
	if err != nil {
		return nil, fmt.Errorf("a problem of the environment: %w", err)
	}
	x.problems = reflect.TypeOf(first)
	x.Vocabulary, x.Prompt, x.Rollout = x.base.Tokens, max(1, x.base.Prompt), f.Answers*info.MaxAnswer
	if f.Stops {
		x.Vocabulary = len(info.Vocabulary) + len(controls(len(info.Vocabulary), f.Answers))
		x.Rollout += f.Answers
	}
	if f.Goals {
		x.Prompt += x.components
	}
	x.numberFeatures(info.MaxAnswer)
	return x, nil
}

// numberFeatures gives each kind of features its numbers, for answers of at most longest tokens.
func (e *Encoding) numberFeatures(longest int) {
	var numbers Numbering
	take := numbers.Take
	take(e.base.Count)
	e.last, e.place = take(e.base.Tokens+1), take(longest)
	e.asked = take(e.form.Answers)
	e.Width = e.base.Width + 2 // of a state; also of the first position of a prompt
	if e.chains() {
		e.number = take(e.form.Answers)
		e.ended, e.endedLast = take(e.base.Count), take(e.base.Tokens)
		e.Width += 1 + e.base.Width + 1
	}
	if e.form.Stops {
		e.control, e.stops = take(2*e.form.Answers), take(1)
	}
	if e.form.Goals {
		e.weight = take(e.components * (sixteenths + 1))
	}
	e.Features = int(numbers)
}

// chains reports whether states hold the number of the answer under way.
func (e *Encoding) chains() bool { return e.form.Answers > 1 || e.form.Stops }

// promptSamples is how many prompts of each split longestPrompt looks at.
const promptSamples = 16

// longestPrompt bounds the prompts of an environment that is no Describer: by twice
// the longest of a few. Check finds those that are longer all the same.
func longestPrompt(e Env) (int, error) {
	longest := 0
	for _, split := range Splits() {
		for i := range promptSamples {
			p, err := e.Problem(split, i)
			if err != nil {
				return 0, fmt.Errorf("looking for the longest prompt: %w", err)
			}
			longest = max(longest, len(p.Prompt()))
		}
	}
	return 2 * longest, nil
}

// Check returns the reason why the encoding does not fit a task, or nil. AppendPrompt and
// AppendState give meaningless features for a task that Check refuses. A task may have less
// than the form: fewer answers, no control tokens, no goal.
func (e *Encoding) Check(t Task) error {
	u := unwrap(t)
	switch {
	case u.problem == nil:
		return fmt.Errorf("task %s has no problem", t.ID())
	case reflect.TypeOf(u.problem) != e.problems:
		return fmt.Errorf("task %s is a %T, the encoding is for a %v: of another environment", t.ID(), u.problem, e.problems)
	case u.asked > e.form.Answers:
		return fmt.Errorf("task %s asks for %d answers, the encoding is for up to %d", t.ID(), u.asked, e.form.Answers)
	case u.stops && !e.form.Stops:
		return fmt.Errorf("task %s may stop early, the encoding is for tasks that do not", t.ID())
	case u.weights != nil && !e.form.Goals:
		return fmt.Errorf("task %s has a goal, the encoding is for tasks without", t.ID())
	case u.weights != nil && len(u.weights) != e.components:
		return fmt.Errorf("task %s has a goal of %d weights, want %d", t.ID(), len(u.weights), e.components)
	case !e.described && len(u.problem.Prompt()) > e.base.Prompt:
		return fmt.Errorf("task %s has a prompt of %d tokens, the encoding is for up to %d: twice the longest of the first %d problems of each split",
			t.ID(), len(u.problem.Prompt()), e.base.Prompt, promptSamples)
	}
	return nil
}

// AppendPrompt appends the features of each position of a task's prompt. It takes the room
// of positions that lie beyond dst's length, up to its capacity (AppendPosition): it
// overwrites their contents.
func (e *Encoding) AppendPrompt(dst [][]int32, t Task) [][]int32 {
	u, begin := unwrap(t), len(dst)
	if e.described {
		dst = u.problem.(DescribedProblem).AppendPromptFeatures(dst)
	} else {
		for i, token := range u.problem.Prompt() {
			dst = AppendPosition(dst, int32(token), int32(e.base.Tokens+i))
		}
	}
	if len(dst) == begin {
		dst = AppendPosition(dst)
	}
	dst[begin] = append(dst[begin], e.asked+int32(u.asked-1))
	if u.stops {
		dst[begin] = append(dst[begin], e.stops)
	}
	for j, w := range u.weights {
		part := min(max(int32(float64(sixteenths*w)+0.5), 0), sixteenths)
		dst = AppendPosition(dst, e.weight+int32(j)*(sixteenths+1)+part)
	}
	return dst
}

// AppendState appends the features of the position that predicts the next token of a
// rollout: position counts the tokens so far, last is the last of them (-1 before the
// first), and c is the cursor after it, not done.
func (e *Encoding) AppendState(dst []int32, c Cursor, last Token, position int) []int32 {
	var chain *chainCursor
	for {
		w, ok := c.(WrapperCursor)
		if !ok {
			break
		}
		if link, ok := w.(*chainCursor); ok {
			chain = link
		}
		inner, before := w.Unwrap()
		c, position = inner, position-before
	}
	if due, ok := c.(*control); ok {
		return e.appendControl(dst, chain, due, last)
	}
	feature := e.last + int32(e.base.Tokens) // none yet
	if position > 0 {
		feature = e.last + int32(last)
	}
	dst = e.appendOwn(append(dst, feature, e.place+int32(position)), c, 0)
	if !e.chains() {
		return dst
	}
	if chain == nil {
		return append(dst, e.number)
	}
	dst = append(dst, e.number+int32(chain.number))
	if position == 0 && chain.number > 0 && !chain.chain.Stops() {
		dst = e.appendEnded(dst, chain, last)
	}
	return dst
}

// appendOwn appends the environment's features of a state, each moved up by offset.
func (e *Encoding) appendOwn(dst []int32, c Cursor, offset int32) []int32 {
	if !e.described {
		return dst
	}
	begin := len(dst)
	dst = c.(DescribedCursor).AppendFeatures(dst)
	for i := range dst[begin:] {
		dst[begin+i] += offset
	}
	return dst
}

// appendEnded appends the features of the answer that the last token has ended.
func (e *Encoding) appendEnded(dst []int32, chain *chainCursor, last Token) []int32 {
	return e.appendOwn(append(dst, e.endedLast+int32(last)), chain.ended, e.ended)
}

// appendControl appends the features of a state where a control token is due.
func (e *Encoding) appendControl(dst []int32, chain *chainCursor, due *control, last Token) []int32 {
	state := e.control + 2*int32(due.given-1)
	if due.given == chain.chain.m {
		state++
	}
	return e.appendEnded(append(dst, state), chain, last)
}
