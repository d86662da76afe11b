package transformer

import (
	"fmt"
	"slices"

	"modebench/envs"
)

// A chunk is a part of a batch that one goroutine works on: rows, each of them one position of a
// prompt or of a rollout. How a batch is cut into chunks depends on the batch alone, since the
// gradients of a chunk's rows are summed in order, and those of the chunks after that.
type chunk struct {
	batch []work  // its contents
	start int     // of its tokens among the batch's
	k3    float64 // sum over its tokens of the k3 estimate to the reference

	features []int32 // of all rows
	starts   []int   // of each row's features; one more than there are rows
	segments []segment
	runs     []run
	spans    []span
	answers  int            // rows of rollouts, each of which predicts tokens
	width    int            // of the widest row of attention: the longest prompt and rollout together
	legal    [][]envs.Token // of the rows of rollouts

	// Of the tokens that the rollouts drew: in their order, the tokens and the rows that predict them, and
	// row by row their numbers in that order.
	targets []envs.Token
	rowOf   []int32
	byRow   []int32
	ends    []int32 // of each row, in byRow

	// Where the rows were kept when they were drawn, if all were.
	recalled bool
	sources  []source // of each row of rollouts

	prompt [][]int32 // room
	tree   tree
	path   []envs.Token
	space  *space // activations, while they are kept
	grad   []float32
}

// A segment is a prompt and the tree of its rollouts, one after the other, in consecutive rows.
type segment struct {
	row, prompt int
	rows        int    // of all of it
	source      source // of the prompt, if it is kept
	runs        []run
	spans       []span
}

func (c *chunk) rows() int { return len(c.starts) - 1 }

// pick copies the rows of rollouts, d columns each, to the front of dst, which may be src.
func (c *chunk) pick(dst, src []float32, d int) {
	start := 0
	for i := range c.segments {
		g := &c.segments[i]
		start += copy(dst[start:], src[(g.row+g.prompt)*d:(g.row+g.rows)*d])
	}
}

// scatter undoes pick; rows of prompts become zero. dst may be src.
func (c *chunk) scatter(dst, src []float32, d int) {
	end := c.answers * d
	for i := len(c.segments) - 1; i >= 0; i-- { // in reverse, since sources must not be overwritten
		g := &c.segments[i]
		from := end - (g.rows-g.prompt)*d
		copy(dst[(g.row+g.prompt)*d:(g.row+g.rows)*d], src[from:end])
		clear(dst[g.row*d : (g.row+g.prompt)*d])
		end = from
	}
}

func (c *chunk) reset() {
	c.features, c.starts = c.features[:0], append(c.starts[:0], 0)
	c.segments, c.runs, c.spans, c.answers, c.width = c.segments[:0], c.runs[:0], c.spans[:0], 0, 0
	c.targets, c.rowOf, c.legal = c.targets[:0], c.rowOf[:0], c.legal[:0]
	c.sources, c.recalled = c.sources[:0], false
}

func (c *chunk) begin(prompt [][]int32) {
	c.segments = append(c.segments, segment{row: c.rows(), prompt: len(prompt), rows: len(prompt)})
	c.width = max(c.width, len(prompt))
	for _, features := range prompt {
		c.features = append(c.features, features...)
		c.starts = append(c.starts, len(c.features))
	}
}

// encode makes the rows of the chunk's rollouts, with the legal tokens of each if masked. With shared, a
// prefix that rollouts of a group have in common has one row.
func (c *chunk) encode(e *envs.Encoding, masked, shared bool) error {
	c.reset()
	c.recalled = true // as far as it is known
	for i := 0; i < len(c.batch); {
		end := i + 1
		for end < len(c.batch) && c.batch[end].group == c.batch[i].group {
			end++
		}
		if err := c.add(e, c.batch[i:end], masked, shared); err != nil {
			return err
		}
		i = end
	}
	for _, f := range c.features {
		if f < 0 || int(f) >= e.Features {
			return fmt.Errorf("task %s: an encoding of %d features has feature %d: it is of another environment", c.batch[0].task.ID(), e.Features, f)
		}
	}
	c.sortTokens()
	return nil
}

// add adds a segment of rollouts of a task.
func (c *chunk) add(e *envs.Encoding, rollouts []work, masked, shared bool) error {
	task, before, t := rollouts[0].task, len(c.rowOf), &c.tree
	c.prompt = e.AppendPrompt(c.prompt[:0], task)
	c.begin(c.prompt)
	t.reset()
	for _, w := range rollouts {
		for i, token := range w.tokens {
			if token < 0 || int(token) >= e.Vocabulary {
				return fmt.Errorf("task %s: token %d of a rollout is %d, want 0 to %d", task.ID(), i, token, e.Vocabulary-1)
			}
		}
		if len(w.tokens) > 0 { // else it has no rows
			c.targets, c.rowOf = append(c.targets, w.tokens...), t.add(c.rowOf, w.tokens, !shared)
		}
	}
	t.arrange()
	runs, spans := len(c.runs), len(c.spans)
	c.runs, c.spans = t.cut(c.rows(), c.runs, c.spans)
	s := &c.segments[len(c.segments)-1]
	s.runs, s.spans, s.rows = c.runs[runs:len(c.runs):len(c.runs)], c.spans[spans:len(c.spans):len(c.spans)], s.prompt+len(t.nodeOf)
	for i := range s.runs {
		if err := c.walk(e, task, &s.runs[i], s.row+s.prompt, masked); err != nil {
			return err
		}
	}
	for k := before; k < len(c.rowOf); k++ {
		row := int(t.rowOf[c.rowOf[k]])
		c.rowOf[k] = int32(c.answers + row)
		if masked {
			if _, ok := slices.BinarySearch(c.legal[c.rowOf[k]], c.targets[k]); !ok {
				return fmt.Errorf("task %s: token %d of a rollout, %d, is not legal there, and the policy draws legal ones alone", task.ID(), t.depth[row], c.targets[k])
			}
		}
	}
	c.answers += len(t.nodeOf)
	c.locate(rollouts, c.rowOf[before:])
	return nil
}

// locate fills in where the rows of the latest segment are kept.
func (c *chunk) locate(rollouts []work, rowOf []int32) {
	c.sources = append(c.sources, make([]source, c.answers-len(c.sources))...)
	if len(rowOf) == 0 {
		c.recalled = false // for a prompt alone
	}
	for _, w := range rollouts {
		if len(w.tokens) == 0 {
			continue
		}
		if w.trail == nil {
			c.recalled = false
			return
		}
		c.segments[len(c.segments)-1].source = source{w.trail.unit, w.trail.prompt}
		for k, number := range w.trail.rows {
			c.recalled = c.recalled && number >= 0
			c.sources[rowOf[k]] = source{w.trail.unit, number}
		}
		rowOf = rowOf[len(w.tokens):]
	}
}

// walk encodes the rows of a run, of a tree whose first row is first.
func (c *chunk) walk(e *envs.Encoding, task envs.Task, r *run, first int, masked bool) error {
	t := &c.tree
	c.path = t.path(c.path[:0], t.nodeOf[r.row-first+r.n-1])
	cursor, last := task.Start(), envs.Token(-1)
	for i := range r.depth + r.n {
		if i > 0 {
			last = c.path[i-1]
			if err := cursor.Push(last); err != nil {
				return fmt.Errorf("task %s: token %d of a rollout comes after the token that ended it: %w", task.ID(), i, err)
			}
		}
		if i < r.depth {
			continue // its row is of an earlier run
		}
		if cursor.Done() {
			return fmt.Errorf("task %s: token %d of a rollout comes after its end", task.ID(), i)
		}
		c.features = e.AppendState(c.features, cursor, last, i)
		c.starts = append(c.starts, len(c.features))
		if masked {
			c.legal = append(c.legal, cursor.Legal())
		}
	}
	c.width = max(c.width, c.segments[len(c.segments)-1].prompt+r.depth+r.n)
	return nil
}

// sortTokens fills byRow and ends.
func (c *chunk) sortTokens() {
	c.ends, c.byRow = grow(c.ends, c.answers), grow(c.byRow, len(c.rowOf))
	clear(c.ends)
	for _, row := range c.rowOf {
		c.ends[row]++
	}
	before := int32(0)
	for row, n := range c.ends {
		c.ends[row], before = before, before+n
	}
	for k, row := range c.rowOf { // moves each row's beginning to its end
		c.byRow[c.ends[row]] = int32(k)
		c.ends[row]++
	}
}

// tokensOf are the numbers of the tokens that a row predicts, of which there is one at least.
func (c *chunk) tokensOf(row int) []int32 {
	from := int32(0)
	if row > 0 {
		from = c.ends[row-1]
	}
	return c.byRow[from:c.ends[row]]
}

// A work is a rollout of a batch.
type work struct {
	task   envs.Task
	group  int
	tokens []envs.Token
	trail  *trail // where its rows are kept; nil: they are not
}

// growth works out how many rows each rollout adds to a batch.
type growth struct {
	rows  []int
	tree  tree
	nodes []int32
}

// measure fills in the rows, and returns their sum.
func (g *growth) measure(batch []work, prompt int, shared bool) (total int) {
	g.rows = grow(g.rows, len(batch))
	for i := range batch {
		n := len(batch[i].tokens)
		begins := i == 0 || batch[i].group != batch[i-1].group
		if begins {
			g.tree.reset()
		}
		if shared && n > 0 {
			before := len(g.tree.nodes)
			g.nodes = g.tree.add(g.nodes[:0], batch[i].tokens, false)
			n = len(g.tree.nodes) - before
		}
		if begins {
			n += prompt
		}
		g.rows[i] = n
		total += n
	}
	return total
}

// cut deals the rollouts of a batch, in order, into chunks of about the same number of rows, each
// with the prompts that it needs.
func (p *Policy) cut(batch []work) []*chunk {
	target := chunkRows(p.growth.measure(batch, p.encoding.Prompt, p.config.Tree))
	n, from, held, tokens, start := 0, 0, 0, 0, 0
	for i := range batch {
		tokens += len(batch[i].tokens)
		if held += p.growth.rows[i]; held < target && i+1 < len(batch) {
			continue
		}
		if n == len(p.chunks) {
			p.chunks = append(p.chunks, &chunk{})
		}
		p.chunks[n].batch, p.chunks[n].start = batch[from:i+1], start
		n, from, held, start = n+1, i+1, 0, tokens
	}
	return p.chunks[:n]
}

// chunkRows is the least number of rows of a chunk but the last.
func chunkRows(total int) int { return max(leastRows, (total+mostChunks-1)/mostChunks) }

// leastRows is the least number of rows of a chunk, but for the last: enough that adding up
// gradients costs little beside computing them. mostChunks bounds the memory for gradients, which
// each chunk has.
const (
	leastRows  = 256
	mostChunks = 16
)
