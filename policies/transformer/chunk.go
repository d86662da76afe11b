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
	answers  int // rows of rollouts, each of which predicts a token
	width    int // of the widest row of attention: the longest prompt and rollout together

	targets []envs.Token // of the rows of rollouts: the tokens they ought to predict
	legal   [][]envs.Token

	prompt [][]int32 // room
	space  *space    // activations, while they are kept
	grad   []float32
}

// A segment is a prompt with rollouts of it, one after the other, in consecutive rows.
type segment struct {
	row, prompt int
	rollouts    []span
	rows        int // of all of it
}

type span struct{ row, n int }

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
	c.segments, c.answers, c.width = c.segments[:0], 0, 0
	c.targets, c.legal = c.targets[:0], c.legal[:0]
}

func (c *chunk) begin(prompt [][]int32) {
	c.segments = append(c.segments, segment{row: c.rows(), prompt: len(prompt), rows: len(prompt)})
	c.width = max(c.width, len(prompt))
	for _, features := range prompt {
		c.features = append(c.features, features...)
		c.starts = append(c.starts, len(c.features))
	}
}

func (c *chunk) add(e *envs.Encoding, task envs.Task, tokens []envs.Token, withLegal bool) error {
	if len(tokens) == 0 {
		return nil // it has no rows
	}
	s := &c.segments[len(c.segments)-1]
	place := span{c.rows(), len(tokens)}
	cursor, last := task.Start(), envs.Token(-1)
	for i, token := range tokens {
		if token < 0 || int(token) >= e.Vocabulary {
			return fmt.Errorf("task %s: token %d of a rollout is %d, want 0 to %d", task.ID(), i, token, e.Vocabulary-1)
		}
		if i > 0 {
			if err := cursor.Push(last); err != nil {
				return fmt.Errorf("task %s: token %d of a rollout comes after the token that ended it: %w", task.ID(), i, err)
			}
		}
		if cursor.Done() {
			return fmt.Errorf("task %s: token %d of a rollout comes after its end", task.ID(), i)
		}
		c.features = e.AppendState(c.features, cursor, last, i)
		c.starts = append(c.starts, len(c.features))
		if withLegal {
			legal := cursor.Legal()
			if _, ok := slices.BinarySearch(legal, token); !ok {
				return fmt.Errorf("task %s: token %d of a rollout, %d, is not legal there, and the policy draws legal ones alone", task.ID(), i, token)
			}
			c.legal = append(c.legal, legal)
		}
		last = token
	}
	c.targets = append(c.targets, tokens...)
	c.answers += place.n
	s.rollouts = append(s.rollouts, place)
	s.rows += place.n
	c.width = max(c.width, s.prompt+place.n)
	return nil
}

func (c *chunk) encode(e *envs.Encoding, withLegal bool) error {
	c.reset()
	for i := range c.batch {
		w := &c.batch[i]
		if i == 0 || w.group != c.batch[i-1].group {
			c.prompt = e.AppendPrompt(c.prompt[:0], w.task)
			c.begin(c.prompt)
		}
		if err := c.add(e, w.task, w.tokens, withLegal); err != nil {
			return err
		}
	}
	for _, f := range c.features {
		if f < 0 || int(f) >= e.Features {
			return fmt.Errorf("task %s: an encoding of %d features has feature %d: it is of another environment", c.batch[0].task.ID(), e.Features, f)
		}
	}
	return nil
}

// A work is a rollout of a batch.
type work struct {
	task   envs.Task
	group  int
	tokens []envs.Token
}

// cut deals the rollouts of a batch, in order, into chunks of about the same number of rows, each
// with the prompts that it needs.
func (p *Policy) cut(batch []work) []*chunk {
	rows := func(i int) int {
		n := len(batch[i].tokens)
		if i == 0 || batch[i].group != batch[i-1].group {
			n += p.encoding.Prompt
		}
		return n
	}
	total := 0
	for i := range batch {
		total += rows(i)
	}
	target := chunkRows(total)
	n, from, held, tokens, start := 0, 0, 0, 0, 0
	for i := range batch {
		tokens += len(batch[i].tokens)
		if held += rows(i); held < target && i+1 < len(batch) {
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
