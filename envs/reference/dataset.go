package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"modebench/envs"
)

// A Line is a problem as a data set for language models has it, a line of JSON.
type Line struct {
	ID         string     `json:"id"` // the reference
	Env        string     `json:"env"`
	Split      envs.Split `json:"split"`
	Index      int        `json:"index"`
	Prompt     string     `json:"prompt"`
	Messages   []Message  `json:"messages"` // the prompt as a chat; with examples, they are earlier turns
	Truth      *Truth     `json:"truth,omitempty"`
	Components []string   `json:"components"` // of the reward
	Weights    []float64  `json:"weights"`    // of the components, which score answers
}

// A Message is a turn of a chat.
type Message struct {
	Role    string `json:"role"` // user or assistant
	Content string `json:"content"`
}

// A Dataset is a number of problems that follow each other in a split.
type Dataset struct {
	First *Reference
	Count int
	Shots int // solved examples before each problem, which are the same for all
	// Reasoning writes the calculation of each example's answer before the answer, as a thought.
	Reasoning bool
	Truth     bool // lines have the truth, which may cost more than the problem itself
	// Unique leaves out what is the same problem as an earlier one of these (Posed.Same), so that
	// there are fewer lines than Count.
	Unique bool
}

// chunk is how many lines are made at once.
const chunk = 64

// Lines hands the lines to emit, in order, each with an end of line. Lines are made on all
// processors, a few at a time. It stops at the first error, which emit may give too, and when
// the context ends.
func (d *Dataset) Lines(ctx context.Context, emit func(line []byte) error) error {
	if d.Count < 0 || d.First.Index > math.MaxInt-d.Count {
		return fmt.Errorf("%d problems from number %d on, want 0 or more, and numbers up to %d", d.Count, d.First.Index, math.MaxInt)
	}
	env, err := d.First.Build()
	if err != nil {
		return fmt.Errorf("reference %.100q: %w", d.First, err)
	}
	shots, err := d.First.shots(ctx, env, d.Shots, d.Reasoning)
	if err != nil {
		return err
	}
	places := map[string][]int{} // places of problems, by prompt
	for from := 0; from < d.Count; from += chunk {
		lines, err := d.lines(ctx, env, shots, from, min(chunk, d.Count-from))
		for i, line := range lines {
			if d.Unique {
				again, err := d.again(env, places, line.problem, from+i)
				if err != nil {
					return err
				}
				if again {
					continue
				}
			}
			if err := emit(line.text); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// again reports whether problem number i has been seen, and notes it if not. A problem seen
// before is made again and not kept: a truth may take megabytes.
func (d *Dataset) again(env envs.Env, places map[string][]int, q *Posed, i int) (bool, error) {
	prompt := q.Prompt()
	for _, j := range places[prompt] {
		r := *d.First
		r.Index += j
		earlier, err := r.FindIn(env)
		if err != nil {
			return false, err
		}
		if q.Same(earlier) {
			return true, nil
		}
	}
	places[prompt] = append(places[prompt], i)
	return false, nil
}

type madeLine struct {
	problem *Posed
	text    []byte
}

// lines makes n lines. Where one fails, it returns those before it.
func (d *Dataset) lines(ctx context.Context, env envs.Env, shots []Message, from, n int) ([]madeLine, error) {
	lines, errs := make([]madeLine, n), make([]error, n)
	var next sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		free <- struct{}{}
		next.Go(func() {
			defer func() { <-free }()
			if errs[i] = ctx.Err(); errs[i] == nil {
				lines[i], errs[i] = d.line(env, shots, from+i)
			}
		})
	}
	next.Wait()
	for i, err := range errs {
		if err != nil {
			return lines[:i], err
		}
	}
	return lines, nil
}

func (d *Dataset) line(env envs.Env, shots []Message, i int) (madeLine, error) {
	r := *d.First
	r.Index += i
	q, err := r.FindIn(env)
	if err != nil {
		return madeLine{}, err
	}
	doc := Line{
		ID: r.String(), Env: r.Env, Split: r.Split, Index: r.Index, Prompt: q.Prompt(),
		Components: q.Info.Components, Weights: q.Weights,
	}
	doc.Messages = append(slices.Clone(shots), Message{"user", doc.Prompt})
	for _, m := range slices.Backward(shots) {
		doc.Prompt = m.Content + "\n\n" + doc.Prompt
	}
	if d.Truth {
		truth := q.Truth()
		doc.Truth = &truth
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(doc)
	return madeLine{q, b.Bytes()}, err
}
