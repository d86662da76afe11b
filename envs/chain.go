package envs

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// A Chain is a task whose rollouts hold m answers to one problem, one after the
// other: the multi-answer chain of VPO sec. 3.1 and Multi-RLVR. Answers end by
// their own grammar, so no token stands between them.
type Chain struct {
	problem Problem
	id      string
	m       int
	word    string
	byModes bool
}

// ChainOptions say how a chain is made.
type ChainOptions struct {
	// Word names an answer in texts: <route_1>...</route_1>; "" is "answer".
	Word string
	// ByModes lets a policy see which correct modes the earlier answers of the
	// chain have found, in place of the number of the answer.
	ByModes bool
}

// MaxChain bounds the answers of a chain.
const MaxChain = 255

// NewChain returns the task of giving m answers to a problem, 1 <= m <= MaxChain.
func NewChain(p Problem, m int, opt ChainOptions) (*Chain, error) {
	if m < 1 || m > MaxChain {
		return nil, fmt.Errorf("a chain of %d answers, want 1 to %d", m, MaxChain)
	}
	if opt.Word == "" {
		opt.Word = "answer"
	}
	id := fmt.Sprintf("%s*%d", p.ID(), m)
	if opt.ByModes {
		id += "m"
	}
	return &Chain{problem: p, id: id, m: m, word: opt.Word, byModes: opt.ByModes}, nil
}

// ID implements Task: "train/0*3", or "train/0*3m" where policies see modes.
func (c *Chain) ID() string { return c.id }

// Prompt implements Task.
func (c *Chain) Prompt() []Token { return c.problem.Prompt() }

// Unwrap implements Wrapper.
func (c *Chain) Unwrap() Task { return c.problem }

// Start implements Task.
func (c *Chain) Start() Cursor {
	return &chainCursor{chain: c, inner: c.problem.Start()}
}

// chainCursor implements WrapperCursor. When an answer is done the cursor is at
// the beginning of the next one.
type chainCursor struct {
	chain  *Chain
	inner  Cursor
	number int     // of the answer under way, from 0
	length int     // tokens so far
	before int     // tokens before the answer under way
	answer []Token // under way; kept only where modes are looked at
	found  []Mode  // distinct modes of the correct answers before, sorted; likewise
}

// AppendState implements Cursor.
func (c *chainCursor) AppendState(dst []byte) []byte {
	dst = append(dst, byte(c.number))
	if c.Done() {
		return append(dst, '.') // nothing follows, whatever was
	}
	if c.chain.byModes {
		dst = c.appendFound(dst)
	}
	return c.inner.AppendState(dst)
}

func (c *chainCursor) appendFound(dst []byte) []byte {
	dst = append(dst, byte(len(c.found)))
	for _, mode := range c.found {
		dst = binary.AppendUvarint(dst, uint64(len(mode)))
		dst = append(dst, mode...)
	}
	return dst
}

// Legal implements Cursor.
func (c *chainCursor) Legal() []Token { return c.inner.Legal() }

// Done implements Cursor.
func (c *chainCursor) Done() bool { return c.number == c.chain.m-1 && c.inner.Done() }

// Push implements Cursor.
func (c *chainCursor) Push(t Token) error {
	if err := c.inner.Push(t); err != nil {
		return err
	}
	c.length++
	if c.chain.byModes {
		c.answer = append(c.answer, t)
	}
	if !c.inner.Done() || c.number == c.chain.m-1 {
		return nil
	}
	if c.chain.byModes {
		v := c.chain.problem.Judge(c.answer)
		if at, known := slices.BinarySearch(c.found, v.Mode); v.Correct && !known {
			c.found = slices.Insert(c.found, at, v.Mode)
		}
		c.answer = c.answer[:0]
	}
	c.number++
	c.before = c.length
	c.inner = c.chain.problem.Start()
	return nil
}

// Unwrap implements WrapperCursor.
func (c *chainCursor) Unwrap() (Cursor, int) { return c.inner, c.before }

// AppendContext implements WrapperCursor.
func (c *chainCursor) AppendContext(dst []byte) []byte {
	if c.chain.byModes {
		return c.appendFound(append(dst, 'm'))
	}
	return append(dst, 'n', byte(c.number))
}

// Split cuts a rollout into its m answers. An answer that the rollout does not
// reach is empty; what comes after the last one, or after a token that is not
// legal, belongs to the answer it stands in.
func (c *Chain) Split(rollout []Token) [][]Token {
	out := make([][]Token, c.m)
	for i := range out {
		out[i], rollout = c.cut(rollout, i)
	}
	return out
}

// cut takes answer number i off the front of what is left of a rollout.
func (c *Chain) cut(rollout []Token, i int) (answer, rest []Token) {
	n := len(rollout)
	if i < c.m-1 {
		walk := c.problem.Start()
		for j, t := range rollout {
			if walk.Done() {
				n = j
				break
			}
			if walk.Push(t) != nil {
				break
			}
		}
	}
	return rollout[:n:n], rollout[n:]
}

// Judge appends the verdicts of a rollout's m answers to dst. The verdicts may
// be shared, as Problem.Judge says.
func (c *Chain) Judge(dst []*Verdict, rollout []Token) []*Verdict {
	for i := range c.m {
		var answer []Token
		answer, rollout = c.cut(rollout, i)
		dst = append(dst, c.problem.Judge(answer))
	}
	return dst
}

// A MultiPrompter is a problem that words the prompt for several answers itself.
type MultiPrompter interface {
	MultiPromptText(m int) string
}

// PromptText is the prompt as a person reads it.
func (c *Chain) PromptText() string {
	if p, ok := c.problem.(MultiPrompter); ok {
		return p.MultiPromptText(c.m)
	}
	return fmt.Sprintf("%s\nGive %d different answers. Wrap each in numbered tags: %s.", c.problem.PromptText(), c.m, Tags(c.word, c.m))
}

// Tags lists the tags of m answers, "<answer_1>...</answer_1>, ...".
func Tags(word string, m int) string {
	tags := make([]string, m)
	for i := range tags {
		tags[i] = fmt.Sprintf("<%s_%d>...</%s_%d>", word, i+1, word, i+1)
	}
	return strings.Join(tags, ", ")
}

// AnswerText writes a rollout in the text form: numbered tags, one per answer.
func (c *Chain) AnswerText(rollout []Token) string {
	var b strings.Builder
	for i, answer := range c.Split(rollout) {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "<%s_%d>%s</%s_%d>", c.word, i+1, c.problem.AnswerText(answer), c.word, i+1)
	}
	return b.String()
}

// JudgeText judges the m answers of a text: what Tagged finds between <answer_i>
// and </answer_i>. An answer without its tags is judged as an empty one, and its
// error says which tags are missing.
func (c *Chain) JudgeText(text string) []*Verdict {
	out := make([]*Verdict, c.m)
	for i := range out {
		answer, tagged := Tagged(text, fmt.Sprintf("%s_%d", c.word, i+1))
		out[i] = c.problem.JudgeText(answer)
		if !tagged {
			missing := *out[i]
			missing.Err = fmt.Errorf("no <%s_%d>...</%s_%d> in the answer", c.word, i+1, c.word, i+1)
			out[i] = &missing
		}
	}
	return out
}

// Tagged returns what stands between <tag> and </tag> in a text. Where the tags
// come several times, the last pair counts (a model may plan before it answers),
// and a tag that opens twice begins anew. ok is false without a whole pair.
func Tagged(text, tag string) (inside string, ok bool) {
	if strings.IndexByte(text, '<') < 0 {
		return "", false // most answers, and much faster than looking for the tag
	}
	end := strings.LastIndex(text, "</"+tag+">")
	if end < 0 {
		return "", false
	}
	open := "<" + tag + ">"
	begin := strings.LastIndex(text[:end], open)
	if begin < 0 {
		return "", false
	}
	inside, _, _ = strings.Cut(text[begin+len(open):], "</"+tag+">")
	return inside, true
}
