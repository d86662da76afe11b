package transformer

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device"
	"modebench/policies/internal/draw"
)

// A sampler keeps what sampling writes to between calls.
type sampler struct {
	groups   []policies.Group
	rollouts []policies.Rollout
	units    pool[unit] // of the workers
}

// A unit is a part of a call that one goroutine draws: some rollouts (lanes) of
// some tasks, which take their steps together. Each row of a product depends on
// its own row alone, so how rollouts are dealt to units changes no bit of them.
type unit struct {
	lanes   []lane
	prompts []prompt
	live    []int // lanes that are not done, in order
	chunk   chunk // of the prompts
	space   space
	rows    activations // of a step, a row per live lane
	out     []float32
	caches  []cache // of lanes, for all layers and heads
	starts  []int
	feats   []int32
	legal   [][]envs.Token
	nucleus draw.Nucleus
	prob    []float64
	sums    []float64
}

// A lane is a rollout under way.
type lane struct {
	task    int
	prompt  int // in unit.prompts
	rollout *policies.Rollout
	cursor  envs.Cursor
	pcg     rand.PCG
	last    envs.Token
}

// A prompt of a unit, with the keys and values of its rows: for layer l and head
// h, caches[l*heads+h].
type prompt struct {
	n      int // positions
	caches []cache
}

// A cache holds keys (hd x positions) and values (positions x hd).
type cache struct{ keys, values device.Packed }

// lanesAtOnce is how many rollouts take their steps together, if there are so
// many: enough for the products' rows, few enough for their caches to stay near.
const lanesAtOnce = 32

// Sample implements policies.Policy. Without a mask, a rollout ends with the first
// token that is not legal.
func (p *Policy) Sample(tasks []envs.Task, n int, opt policies.SampleOptions) ([]policies.Group, error) {
	if err := opt.Check(n); err != nil {
		return nil, err
	}
	s := &p.sampler
	total := len(tasks) * n
	// Rollouts are the caller's until the next call, so their slices are kept.
	if cap(s.rollouts) < total {
		s.rollouts = append(s.rollouts[:cap(s.rollouts)], make([]policies.Rollout, total-cap(s.rollouts))...)
	}
	s.rollouts = s.rollouts[:total]
	s.groups = s.groups[:0]
	for g, task := range tasks {
		s.groups = append(s.groups, policies.Group{Task: task, Rollouts: s.rollouts[g*n : (g+1)*n : (g+1)*n]})
	}
	size := min(lanesAtOnce, max(1, (total+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0)))
	units := (total + size - 1) / size
	failed := make([]error, units)
	parallel(units, func(i int) {
		u := s.units.take()
		u.deal(p, s.groups, n, i*size, min((i+1)*size, total), &opt)
		failed[i] = u.draw(p, &opt)
		s.units.give(u)
	})
	if err := first(failed); err != nil {
		return nil, err
	}
	return s.groups, nil
}

// deal gives the unit rollouts lo to hi-1 of the call.
func (u *unit) deal(p *Policy, groups []policies.Group, n, lo, hi int, opt *policies.SampleOptions) {
	u.lanes, u.live = grow(u.lanes, hi-lo), u.live[:0]
	u.chunk.reset()
	for i := range u.lanes {
		at := lo + i
		task := groups[at/n].Task
		if i == 0 || at%n == 0 {
			u.chunk.prompt = p.encoding.AppendPrompt(u.chunk.prompt[:0], task)
			u.chunk.begin(u.chunk.prompt)
		}
		l := &u.lanes[i]
		l.task, l.prompt, l.last = at/n, len(u.chunk.segments)-1, -1
		l.rollout, l.cursor = &groups[at/n].Rollouts[at%n], task.Start()
		*l.rollout = policies.Rollout{Number: at % n, Tokens: l.rollout.Tokens[:0], Logp: l.rollout.Logp[:0], Entropy: l.rollout.Entropy[:0]}
		if !opt.Greedy {
			opt.Key.Str(task.ID()).Int(uint64(l.rollout.Number)).Seed(&l.pcg)
		}
		if !l.cursor.Done() {
			u.live = append(u.live, i)
		}
	}
}

// draw takes all the lanes' steps.
func (u *unit) draw(p *Policy, opt *policies.SampleOptions) error {
	n := p.network(p.weights)
	u.readPrompts(n)
	u.makeCaches(n, p.encoding.Rollout)
	for position := 0; len(u.live) > 0; position++ {
		if position == p.encoding.Rollout {
			l := &u.lanes[u.live[0]]
			return fmt.Errorf("a rollout of %d tokens is not at its end, and the encoding says that none is longer", len(l.rollout.Tokens))
		}
		u.encode(p, position)
		u.step(n, position)
		invT := float32(1)
		if !opt.Greedy {
			invT = float32(1 / opt.Temperature)
		}
		n.distribute(&u.space, u.out, len(u.live), u.legal, invT)
		if err := u.choose(p, opt); err != nil {
			return err
		}
	}
	return nil
}

// readPrompts runs the prompts through the network and keeps their keys and values.
func (u *unit) readPrompts(n network) {
	for len(u.prompts) < len(u.chunk.segments) {
		u.prompts = append(u.prompts, prompt{})
	}
	for i := range u.chunk.segments {
		u.prompts[i].n = u.chunk.segments[i].prompt
		for len(u.prompts[i].caches) < n.layers*n.heads {
			u.prompts[i].caches = append(u.prompts[i].caches, cache{})
		}
	}
	if u.chunk.rows() == 0 {
		return
	}
	n.forward(&u.chunk, &u.space, false, func(l int, a *activations) {
		for i := range u.chunk.segments {
			g := &u.chunk.segments[i]
			for h := range n.heads {
				c := &u.prompts[i].caches[l*n.heads+h]
				qkv := a.qkv[g.row*3*n.d+h*n.hd:]
				n.Pack(fit(n, &c.keys, n.hd, g.prompt), qkv[n.d:], 1, 3*n.d)
				n.Pack(fit(n, &c.values, g.prompt, n.hd), qkv[2*n.d:], 3*n.d, 1)
			}
		}
	})
}

// makeCaches makes room for the lanes' own keys and values.
func (u *unit) makeCaches(n network, most int) {
	for len(u.caches) < len(u.lanes)*n.layers*n.heads {
		u.caches = append(u.caches, cache{n.NewPacked(n.hd, most), n.NewPacked(most, n.hd)})
	}
}

// encode lays out the rows of a step, one for each live lane.
func (u *unit) encode(p *Policy, position int) {
	u.feats, u.starts, u.legal = u.feats[:0], append(u.starts[:0], 0), u.legal[:0]
	for _, i := range u.live {
		l := &u.lanes[i]
		u.feats = p.encoding.AppendState(u.feats, l.cursor, l.last, position)
		u.starts = append(u.starts, len(u.feats))
		if p.config.Mask {
			u.legal = append(u.legal, l.cursor.Legal())
		}
	}
}

// step runs the rows through the network, leaving the residual stream in out.
func (u *unit) step(n network, position int) {
	rows, a := len(u.live), &u.rows
	width := position + 1
	for _, i := range u.live {
		width = max(width, u.prompts[u.lanes[i].prompt].n+position+1)
	}
	a.grow(rows, n.d, 1, width)
	u.out = grow(u.out, rows*n.d)
	n.embedInto(a.x, u.feats, u.starts)
	for l := range n.shape.blocks {
		b, w := &n.shape.blocks[l], &n.weights.blocks[l]
		n.attend1(b, w, a, rows)
		for h := range n.heads {
			u.attend(n, l, h, position, width)
		}
		n.afterAttention(b, w, a, u.out, rows)
		if l+1 < n.layers {
			a.x, u.out = u.out, a.x
		}
	}
}

// attend is one head's attention of a step: over the prompt, which the lanes of a
// task share, then over each lane's own rows.
func (u *unit) attend(n network, layer, head, position, width int) {
	d, hd, wide := n.d, n.hd, 3*n.d
	qkv, mixed, weights := u.rows.qkv[head*hd:], u.rows.mixed[head*hd:], u.rows.attention
	at := layer*n.heads + head
	per := n.layers * n.heads
	for first := 0; first < len(u.live); {
		number := u.lanes[u.live[first]].prompt
		end := first + 1
		for end < len(u.live) && u.lanes[u.live[end]].prompt == number {
			end++
		}
		p, m := &u.prompts[number], end-first
		length := p.n + position + 1
		if p.n > 0 {
			keys := device.Packed{Data: p.caches[at].keys.Data, K: hd, N: p.n}
			n.MatMul(weights[first*width:], width, qkv[first*wide:], wide, 1, keys, 0, hd, m, p.n, false)
		}
		for r := first; r < end; r++ {
			own, row := &u.caches[u.live[r]*per+at], qkv[r*wide:]
			n.PackColumn(own.keys, position, row[d:d+hd])
			n.PackRow(own.values, position, row[2*d:2*d+hd])
			n.MatMul(weights[r*width+p.n:], width, row, wide, 1, own.keys, 0, hd, 1, position+1, false)
		}
		n.Softmax(weights[first*width:], width, m, length, 0, length, n.scale())
		if p.n > 0 {
			values := device.Packed{Data: p.caches[at].values.Data, K: p.n, N: hd}
			n.MatMul(mixed[first*d:], d, weights[first*width:], width, 1, values, 0, p.n, m, hd, false)
		}
		for r := first; r < end; r++ {
			own := &u.caches[u.live[r]*per+at]
			n.MatMul(mixed[r*d:], d, weights[r*width+p.n:], width, 1, own.values, 0, position+1, 1, hd, p.n > 0)
		}
		first = end
	}
}

// choose draws each live lane's next token and lets go of those that are done.
func (u *unit) choose(p *Policy, opt *policies.SampleOptions) error {
	v, kept := p.shape.vocabulary, 0
	for r, i := range u.live {
		l := &u.lanes[i]
		token, h := u.pick(l, u.space.p[r*v:(r+1)*v], u.space.logp[r*v:(r+1)*v], opt)
		l.rollout.Tokens = append(l.rollout.Tokens, envs.Token(token))
		l.rollout.Logp = append(l.rollout.Logp, float64(u.space.logp[r*v+token]))
		l.rollout.Entropy = append(l.rollout.Entropy, h)
		l.last = envs.Token(token)
		if err := l.cursor.Push(l.last); err != nil {
			if p.config.Mask {
				return fmt.Errorf("a legal token is refused: %w", err)
			}
			continue // the answer does not parse, and nothing that follows would make it
		}
		if !l.cursor.Done() {
			u.live[kept] = i
			kept++
		}
	}
	u.live = u.live[:kept]
	return nil
}

// pick draws a token and gives the entropy of what it was drawn from.
func (u *unit) pick(l *lane, p, logp []float32, opt *policies.SampleOptions) (token int, h float64) {
	if opt.Greedy {
		for j := range logp {
			if logp[j] > logp[token] {
				token = j
			}
		}
		return token, 0
	}
	uniform := rng.Uniform(&l.pcg)
	if opt.TopP < 1 {
		u.prob = u.prob[:0]
		for _, x := range p {
			u.prob = append(u.prob, float64(x))
		}
		n := u.nucleus.Cut(u.prob, opt.TopP)
		return n.Pick(uniform), n.Entropy()
	}
	u.sums = u.sums[:0]
	sum := 0.0
	for _, x := range p {
		sum += float64(x)
		u.sums = append(u.sums, sum)
	}
	return draw.Pick(u.sums, uniform*sum), entropy(p, logp)
}
