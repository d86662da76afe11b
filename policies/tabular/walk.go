package tabular

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"modebench/envs"
)

// A table holds the nodes of one task. A node is a piece of one long slice of words, and its number
// is the index of its first word: first the number of its row, then, for each legal token, the node
// that follows. A node of four tokens takes 20 bytes, and its entry in the index as much or a
// little more; where slices have room to grow counts too, a maze's nodes take 50 bytes each.
type table struct {
	task   envs.Task
	id     string // of the task
	book   *book
	states index // nodes by state
	words  []uint32
	root   uint32
}

// No node begins at these places: the end of a token whose successor is unknown yet, and the end of
// a finished rollout.
const (
	unknown = 0
	done    = 1
)

func (t *table) rowOf(node uint32) *row { return t.book.rows.get(t.words[node]) }

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

// recallTable returns the table of task i of a call, mostly that of the call before.
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

// follow returns the node after token i of a node. prefix is the rollout up to that token, and the path
// one of the same rollout.
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

// commonKey is the problem's ID, which has no zero byte, and a zero byte, unless problems share, and
// the view.
func (p *Policy) commonKey(dst []byte, problem string, view []byte) []byte {
	if p.config.Sharing == "problem" {
		dst = append(append(dst, problem...), 0)
	}
	return append(dst, view...)
}

// aloneKey is the problem's ID, unless problems share, and the context, after their lengths, and the view.
func (p *Policy) aloneKey(dst []byte, problem string, context, view []byte) []byte {
	if p.config.Sharing != "problem" {
		problem = ""
	}
	dst = append(binary.AppendUvarint(dst, uint64(len(problem))), problem...)
	dst = append(binary.AppendUvarint(dst, uint64(len(context))), context...)
	return append(dst, view...)
}

// paramOf returns the parameters of a view in a context, if not empty, making them on first use.
func (p *Policy) paramOf(problem string, context, view []byte, n int) (*param, error) {
	if len(context) == 0 {
		p.key = p.commonKey(p.key[:0], problem, view)
		return p.params.common.get(p.key, n)
	}
	p.key = p.aloneKey(p.key[:0], problem, context, view)
	spot, err := p.params.alone.seek(p.key, n)
	if err != nil {
		return nil, err
	}
	if p.config.Context == ContextIndependent {
		return p.params.alone.take(spot, p.key, n)
	}
	p.shared = p.commonKey(p.shared[:0], problem, view)
	common, err := p.params.common.get(p.shared, n)
	if err != nil {
		return nil, err
	}
	q, err := p.params.alone.take(spot, p.key, n)
	if err == nil {
		q.common = common
	}
	return q, err
}

func (p *Policy) book(ctx context.Context, problem envs.Problem) (*book, error) {
	if b, ok := p.books[problem.ID()]; ok {
		return b, nil
	}
	prior, err := p.prior(ctx, problem)
	if err != nil {
		return nil, err
	}
	b := &book{problem: problem, prior: prior}
	p.books[problem.ID()] = b
	return b, nil
}

// row returns the number of the row for a view, making it on first use; prefix is the answer so far.
func (p *Policy) row(b *book, v *envs.View, legal, prefix []envs.Token) (uint32, error) {
	context := v.Context
	if p.config.Context == ContextBlind {
		context = nil
	}
	b.key = append(binary.AppendUvarint(b.key[:0], uint64(len(context))), context...)
	b.key = append(b.key, v.Answer...)
	spot := b.places.seek(b.key)
	if spot.found {
		return spot.value, b.sameLegal(v, b.rows.get(spot.value).legal, legal)
	}
	r := b.rows.next()
	view := b.views.seek(v.Answer)
	if err := b.fill(r, view, v, legal, prefix); err != nil {
		return 0, err
	}
	var err error
	if r.param, err = p.paramOf(b.problem.ID(), context, v.Answer, len(legal)); err != nil {
		return 0, err
	}
	number := b.rows.n
	if err := b.places.insert(spot, b.key, number); err != nil {
		return 0, err
	}
	b.rows.add()
	if view.found || len(context) == 0 {
		return number, nil // a row for all contexts
	}
	return number, b.views.insert(view, v.Answer, number)
}

// prior returns the problem's prior for all its tasks, making it on first use.
func (p *Policy) prior(ctx context.Context, problem envs.Problem) (*prior, error) {
	if q, ok := p.priors[problem.ID()]; ok {
		return q, nil
	}
	q := &prior{problem: problem, smoothing: p.config.Smoothing}
	n := p.config.Demonstrations
	if known, ok := problem.(envs.Priored); ok && n == 0 {
		q.exact = known
	} else {
		n = cmp.Or(n, defaultDemonstrations)
		if err := q.count(ctx, n); err != nil {
			return nil, err
		}
	}
	p.priors[problem.ID()] = q
	return q, nil
}
