package envs

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Chain is a task whose rollouts hold m answers to one problem, one after the other: the
// multi-answer chain of VPO sec. 3.1 and Multi-RLVR. Answers end by their own grammar, so
// no token separates them. A chain that stops (ChainOptions.Stops) holds 1 to m answers,
// with a control token after each.
type Chain struct {
	problem  Problem
	id       string
	m        int
	word     string
	byModes  bool
	controls []Token // all control tokens; nil: the chain does not stop
}

// ChainOptions are the settings of a chain.
type ChainOptions struct {
	// Word names an answer in texts: <route_1>...</route_1>; "" is "answer".
	Word string
	// ByModes lets a policy see which correct modes the earlier answers of the
	// chain have found, in place of the number of the answer.
	ByModes bool
	// Stops lets a rollout end after any of its answers and name one of them as its
	// final answer (SD-E2 sec. 3.1). Each whole answer is followed by a control
	// token; with V for Vocabulary they are
	//
	//	V      continue with another answer: while fewer than m are given
	//	V+1    stop, and name no final answer
	//	V+1+j  stop, and name answer j, from 1, as the final one: of those given
	//
	// and so a whole rollout ends with one of the latter two. No demonstrator knows
	// of them: a base policy takes each legal one as readily as the next
	// (View.Control), which gives it chains of every length.
	Stops bool
	// Vocabulary is the size of the environment's (Info.Vocabulary), which control
	// tokens are numbered above. Only chains that stop need it.
	Vocabulary int
}

// MaxChain bounds the answers of a chain.
const MaxChain = 255

// NewChain returns the task of giving m answers to a problem, 1 <= m <= MaxChain.
func NewChain(p Problem, m int, opt ChainOptions) (*Chain, error) {
	if m < 1 || m > MaxChain {
		return nil, fmt.Errorf("a chain of %d answers, want 1 to %d", m, MaxChain)
	}
	opt.Word = cmp.Or(opt.Word, "answer")
	c := &Chain{problem: p, id: fmt.Sprintf("%s*%d", p.ID(), m), m: m, word: opt.Word, byModes: opt.ByModes}
	if opt.ByModes {
		c.id += "m"
	}
	if opt.Stops {
		if opt.Vocabulary < 1 || opt.Vocabulary > math.MaxInt32-m-1 {
			return nil, fmt.Errorf("a chain that stops, above a vocabulary of %d tokens, want 1 to %d", opt.Vocabulary, math.MaxInt32-m-1)
		}
		c.id += "s"
		c.controls = controls(opt.Vocabulary, m)
	}
	return c, nil
}

// ID implements Task: "train/0*3", with an "m" behind it where policies see modes,
// and an "s" where the chain stops ("train/0*3ms").
func (c *Chain) ID() string { return c.id }

// Answers is m: how many answers the chain has, or the most that a chain that stops can have.
func (c *Chain) Answers() int { return c.m }

// Prompt implements Task.
func (c *Chain) Prompt() []Token { return c.problem.Prompt() }

// Unwrap implements Wrapper.
func (c *Chain) Unwrap() Task { return c.problem }

// Start implements Task.
func (c *Chain) Start() Cursor {
	return &chainCursor{chain: c, inner: c.problem.Start()}
}

// chainCursor implements WrapperCursor. When an answer is done the cursor is at
// the beginning of the next one, or of the control token between them.
type chainCursor struct {
	chain  *Chain
	inner  Cursor  // of the answer under way, or a *control
	ended  Cursor  // of the last whole answer before; nil: no answer is whole yet
	number int     // of whole answers before; the last answer of a chain that does not stop is never before
	length int     // tokens so far
	before int     // tokens before what is under way
	answer []Token // under way; kept only where modes are looked at
	found  []Mode  // distinct modes of the correct answers before, sorted; likewise
}

func (c *chainCursor) AppendState(dst []byte) []byte {
	dst = append(dst, byte(c.number))
	if c.Done() {
		return append(dst, '.') // nothing follows, whatever was
	}
	if c.chain.Stops() {
		dst = append(dst, c.phase())
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

func (c *chainCursor) Legal() []Token { return c.inner.Legal() }
func (c *chainCursor) Done() bool     { return c.last() && c.inner.Done() }

// last reports whether the rollout ends with the part under way. In a chain that stops this part is
// the control token; a control token that continues the chain is no longer under way.
func (c *chainCursor) last() bool {
	if c.chain.Stops() {
		return c.phase() == deciding
	}
	return c.number == c.chain.m-1
}

func (c *chainCursor) Push(t Token) error {
	if err := c.inner.Push(t); err != nil {
		return err
	}
	c.length++
	if _, decided := c.inner.(*control); decided {
		if t == c.chain.goOn() {
			c.begin(c.chain.problem.Start())
		}
		return nil
	}
	if c.chain.byModes {
		c.answer = append(c.answer, t)
	}
	if !c.inner.Done() || c.last() {
		return nil
	}
	if c.chain.byModes {
		c.note()
	}
	c.number++
	c.ended = c.inner
	if c.chain.Stops() {
		c.begin(&control{chain: c.chain, given: c.number})
	} else {
		c.begin(c.chain.problem.Start())
	}
	return nil
}

func (c *chainCursor) begin(inner Cursor) { c.inner, c.before = inner, c.length }

func (c *chainCursor) note() {
	v := c.chain.problem.Judge(c.answer)
	if place, known := slices.BinarySearch(c.found, v.Mode); v.Correct && !known {
		c.found = slices.Insert(c.found, place, v.Mode)
	}
	c.answer = c.answer[:0]
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

// Split cuts a rollout into its answers: m of them, or as many as a chain that stops has continued
// to, at least one. An answer that the rollout does not reach is empty. Tokens after the last
// answer belong to it, and tokens after an illegal token belong to the same answer as the illegal
// token. A control token belongs to no answer, unless it is out of place: if no control token is
// due, or if something follows a stop, it belongs to the answer before it, with all that follows.
func (c *Chain) Split(rollout []Token) [][]Token {
	var out [][]Token
	for r := c.read(rollout); r.next(); {
		out = append(out, r.answer)
	}
	return out
}

// Spans returns the begin and the end, in a rollout, of each answer that Split gives.
func (c *Chain) Spans(rollout []Token) [][2]int {
	var out [][2]int
	r := c.read(rollout)
	for begin := 0; r.next(); begin = len(rollout) - len(r.rest) {
		out = append(out, [2]int{begin, begin + len(r.answer)})
	}
	return out
}

// A reader takes the answers off a rollout, one after the other.
type reader struct {
	chain  *Chain
	rest   []Token
	answer []Token // the last one taken
	number int     // of answers taken
	named  int     // which of them the rollout names as its final one, from 1; 0: none so far
	over   bool
}

func (c *Chain) read(rollout []Token) reader { return reader{chain: c, rest: rollout} }

// next takes an answer, if there is one left.
func (r *reader) next() bool {
	if r.over {
		return false
	}
	r.number++
	n := len(r.rest)
	if r.chain.Stops() || r.number < r.chain.m {
		n = r.chain.reach(r.rest)
	}
	length := n
	if r.chain.Stops() {
		n, length = r.heed(n)
	} else {
		r.over = r.number == r.chain.m
	}
	r.answer, r.rest = r.rest[:n:n], r.rest[length:]
	return true
}

// reach counts the tokens of the answer that begins with the first token: up to the end by
// its grammar, or all tokens if the answer does not end.
func (c *Chain) reach(tokens []Token) int {
	walk := c.problem.Start()
	for i, t := range tokens {
		if walk.Done() {
			return i
		}
		if walk.Push(t) != nil {
			break
		}
	}
	return len(tokens)
}

// Judge appends the verdicts of a rollout's answers, as Split cuts them, to dst. The
// verdicts may be shared, as those of Problem.Judge.
func (c *Chain) Judge(dst []*Verdict, rollout []Token) []*Verdict {
	for r := c.read(rollout); r.next(); {
		dst = append(dst, c.problem.Judge(r.answer))
	}
	return dst
}

// A MultiPrompter is a problem that words the prompt for several answers itself.
type MultiPrompter interface {
	MultiPromptText(m int) string
}

// PromptText is the prompt as a person reads it.
func (c *Chain) PromptText() string {
	text := ""
	if p, ok := c.problem.(MultiPrompter); ok {
		text = p.MultiPromptText(c.m)
	} else {
		text = fmt.Sprintf("%s\nGive %d different answers. Wrap each in numbered tags: %s.", c.problem.PromptText(), c.m, Tags(c.word, c.m))
	}
	if c.Stops() {
		text += c.stopPrompt()
	}
	return text
}

// Tags lists the tags of m answers, "<answer_1>...</answer_1>, ...".
func Tags(word string, m int) string {
	tags := make([]string, m)
	for i := range tags {
		tags[i] = fmt.Sprintf("<%s_%d>...</%s_%d>", word, i+1, word, i+1)
	}
	return strings.Join(tags, ", ")
}

// AnswerText writes a rollout in the text form: numbered tags, one per answer, and behind them the
// number of the final answer, where one is named, as in <final>2</final>.
func (c *Chain) AnswerText(rollout []Token) string {
	var b strings.Builder
	r := c.read(rollout)
	for r.next() {
		if r.number > 1 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "<%s_%d>%s</%s_%d>", c.word, r.number, c.problem.AnswerText(r.answer), c.word, r.number)
	}
	if r.named > 0 {
		fmt.Fprintf(&b, " <%s>%d</%s>", finalTag, r.named, finalTag)
	}
	return b.String()
}

// JudgeText judges the answers of a text: the contents that Tagged finds between <answer_i>
// and </answer_i>. There are m answers, or, in a chain that stops, as many as the highest
// number among the tags, at least one. An answer without its tags is judged as an empty
// answer, and its error names the missing tags.
func (c *Chain) JudgeText(text string) []*Verdict { return c.JudgeTextBy(text, c.problem.JudgeText) }

// JudgeTextBy is JudgeText with another judge of the text between the tags.
func (c *Chain) JudgeTextBy(text string, judge func(answer string) *Verdict) []*Verdict {
	out := make([]*Verdict, c.given(text))
	for i := range out {
		answer, tagged := c.tagged(text, i+1)
		out[i] = judge(answer)
		if !tagged {
			missing := *out[i]
			missing.Err = fmt.Errorf("no <%s_%d>...</%s_%d> in the answer", c.word, i+1, c.word, i+1)
			out[i] = &missing
		}
	}
	return out
}

// tagged returns the text between the tags of answer number i, from 1.
func (c *Chain) tagged(text string, i int) (inside string, ok bool) {
	return Tagged(text, fmt.Sprintf("%s_%d", c.word, i))
}

// Tagged returns the text between <tag> and </tag>. If the tags come several times, the
// last pair counts (a model may plan before it answers), and a tag that opens twice begins
// anew. ok is false without a whole pair.
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
