package tabular

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"modebench/envs"
)

// table returns the task's table, making it on first use. A task is known by
// its ID, and so is a problem: two of one ID must be the same.
func (p *Policy) table(ctx context.Context, task envs.Task) (*table, error) {
	if t, ok := p.tables[task.ID()]; ok {
		return t, nil
	}
	problem := envs.ProblemOf(task)
	if problem == nil {
		return nil, fmt.Errorf("task %s is not made of a problem: want an envs.Problem, or an envs.Wrapper of one", task.ID())
	}
	if strings.ContainsRune(problem.ID(), 0) {
		return nil, fmt.Errorf("problem %q: an ID holds no zero byte", problem.ID())
	}
	b, err := p.book(ctx, problem)
	if err != nil {
		return nil, err
	}
	t := &table{task: task, id: task.ID(), book: b, words: make([]uint32, done+1)}
	if t.root, err = p.node(t, task.Start(), nil); err != nil {
		return nil, err
	}
	p.tables[t.id] = t
	return t, nil
}

// recallTable returns the table of task number i of a call, which is mostly the one
// it was in the call before. Calls go through their tasks in order.
func (p *Policy) recallTable(ctx context.Context, i int, task envs.Task) (*table, error) {
	if i < len(p.recent) && p.recent[i].id == task.ID() {
		return p.recent[i], nil
	}
	t, err := p.table(ctx, task)
	if err == nil {
		p.recent = append(p.recent[:i], t)
	}
	return t, err
}

// node returns the node of the cursor's state, making it on first use.
func (p *Policy) node(t *table, c envs.Cursor, rollout []envs.Token) (uint32, error) {
	if c.Done() {
		return done, nil
	}
	p.state = c.AppendState(p.state[:0])
	spot := t.states.seek(p.state)
	if spot.found {
		return spot.value, nil
	}
	legal := c.Legal()
	if len(legal) == 0 {
		return 0, fmt.Errorf("task %s: no token is legal in state %q, and the answer is not done", t.task.ID(), p.state)
	}
	p.view.Look(c)
	row, err := p.row(t.book, &p.view, legal, rollout[p.view.Before:])
	if err != nil {
		return 0, err
	}
	if uint64(len(t.words)+len(legal)) >= math.MaxUint32 {
		return 0, errFull
	}
	start := uint32(len(t.words))
	if err := t.states.insert(spot, p.state, start); err != nil {
		return 0, err
	}
	t.words = append(t.words, row)
	for range legal {
		t.words = append(t.words, unknown)
	}
	return start, nil
}

// A path is a cursor that walks along a rollout as far as it is needed.
type path struct {
	cursor envs.Cursor
	length int
}

// follow returns the node after token number i of a node; prefix is the rollout
// up to and including that token, and the path one of the same rollout.
func (p *Policy) follow(t *table, node uint32, i int, prefix []envs.Token, w *path) (uint32, error) {
	start := int(node) + 1 + i
	if next := t.words[start]; next != unknown {
		return next, nil
	}
	if w.cursor == nil {
		w.cursor = t.task.Start()
	}
	for ; w.length < len(prefix); w.length++ {
		if err := w.cursor.Push(prefix[w.length]); err != nil {
			return 0, fmt.Errorf("task %s: %w", t.task.ID(), err)
		}
	}
	next, err := p.node(t, w.cursor, prefix)
	if err != nil {
		return 0, err
	}
	t.words[start] = next
	return next, nil
}

var errIllegal = errors.New("a token of the answer is not legal")
