package transformer

import (
	"cmp"
	"fmt"
	"runtime"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/draw"
)

// lanesAtOnce is how many rollouts take their steps together: enough for the products, and their caches
// stay near.
const lanesAtOnce = 32

// Sample implements policies.Policy. Without a mask, a rollout ends with the first
// token that is not legal.
func (p *Policy) Sample(tasks []envs.Task, n int, opt policies.SampleOptions) ([]policies.Group, error) {
	if err := p.check(tasks, n, &opt); err != nil {
		return nil, err
	}
	source := p.weights
	if opt.From != nil {
		if source = p.frozen(opt.From); source == nil {
			return nil, policies.ErrForeign
		}
	}
	s := &p.sampler
	total := len(tasks) * n
	// Rollouts are the caller's until the next call, which reuses their slices.
	if cap(s.rollouts) < total {
		s.rollouts = append(s.rollouts[:cap(s.rollouts)], make([]policies.Rollout, total-cap(s.rollouts))...)
	}
	s.rollouts = s.rollouts[:total]
	s.groups = s.groups[:0]
	for g, task := range tasks {
		s.groups = append(s.groups, policies.Group{Task: task, Rollouts: s.rollouts[g*n : (g+1)*n : (g+1)*n]})
	}
	size := min(lanesAtOnce, max(1, ceil(total, runtime.GOMAXPROCS(0))))
	if p.gpu != nil {
		size = p.gpu.lanesAtOnce(p.encoding.Rollout)
	}
	drawUnit := func(i int) error {
		u := s.units.take()
		defer s.units.give(u)
		u.deal(p, s.groups, n, i*size, min((i+1)*size, total), &opt)
		return u.draw(p, source, &opt)
	}
	var err error
	if units := ceil(total, size); p.gpu == nil {
		err = attempt(units, drawUnit)
	} else {
		for i := range units {
			err = cmp.Or(err, drawUnit(i))
		}
	}
	if err != nil {
		return nil, err
	}
	return s.groups, nil
}

func (p *Policy) check(tasks []envs.Task, n int, opt *policies.SampleOptions) error {
	err := opt.Check(n)
	if err == nil && !opt.Greedy {
		err = checkTemperature(opt.Temperature)
	}
	for i, token := range opt.Prefix {
		if err == nil && (token < 0 || int(token) >= p.shape.vocabulary) {
			err = fmt.Errorf("prefix: token %d is number %d, want one of the %d in the vocabulary", i, token, p.shape.vocabulary)
		}
	}
	for _, task := range tasks {
		if err == nil {
			err = p.encoding.Check(task)
		}
	}
	return err
}

func (u *unit) deal(p *Policy, groups []policies.Group, n, lo, hi int, opt *policies.SampleOptions) {
	u.lanes, u.live = grow(u.lanes, hi-lo), u.live[:0]
	u.chunk.reset()
	for i := range u.lanes {
		index := lo + i
		task := groups[index/n].Task
		if i == 0 || index%n == 0 {
			u.chunk.prompt = p.encoding.AppendPrompt(u.chunk.prompt[:0], task)
			u.chunk.begin(u.chunk.prompt)
		}
		l := &u.lanes[i]
		l.prompt, l.last = len(u.chunk.segments)-1, -1
		l.rollout, l.cursor = &groups[index/n].Rollouts[index%n], task.Start()
		sampler := l.rollout.Sampler[:0]
		*l.rollout = policies.Rollout{Number: index % n, Tokens: l.rollout.Tokens[:0], Logp: l.rollout.Logp[:0], Entropy: l.rollout.Entropy[:0]}
		if opt.Cuts() {
			l.rollout.Sampler = sampler
		}
		if !opt.Greedy {
			opt.Key.Str(task.ID()).Int(uint64(l.rollout.Number)).Seed(&l.pcg)
		}
		if !l.cursor.Done() {
			u.live = append(u.live, i)
		}
	}
}

func (u *unit) draw(p *Policy, source *weights, opt *policies.SampleOptions) error {
	var d stepper = p.network(opt.Context, source)
	if p.gpu != nil {
		d = gpuStepper{p.gpu, u, source, p.config.Mask}
	}
	invT := float32(1)
	if !opt.Greedy {
		invT = float32(1 / opt.Temperature)
	}
	defer d.end()
	if err := d.begin(u, p.encoding.Rollout, invT); err != nil {
		return err
	}
	for position := 0; len(u.live) > 0; position++ {
		if position == p.encoding.Rollout {
			l := &u.lanes[u.live[0]]
			return fmt.Errorf("a rollout of %d tokens is not at its end, but the encoding allows no longer rollout", len(l.rollout.Tokens))
		}
		u.encode(p, position)
		if err := d.step(u, position, invT); err != nil {
			return err
		}
		if err := policies.Ended(opt.Context); err != nil {
			return err
		}
		if err := u.choose(p, opt); err != nil {
			return err
		}
	}
	return nil
}

// lanesOfPart is the least number of lanes of a goroutine: more than ten microseconds of work. A unit on
// the processor has fewer.
const lanesOfPart = 128

func (u *unit) split() []part {
	n := max(1, len(u.live)/lanesOfPart)
	for len(u.parts) < n {
		u.parts = append(u.parts, part{})
	}
	parts := u.parts[:n]
	for i := range parts {
		parts[i].first, parts[i].end = i*len(u.live)/n, (i+1)*len(u.live)/n
	}
	return parts
}

func (u *unit) encode(p *Policy, position int) {
	parts := u.split()
	if len(parts) == 1 { // as always on the processor: nothing is allocated
		parts[0].encode(u, p, position)
	} else {
		parallel(len(parts), func(i int) { parts[i].encode(u, p, position) })
	}
	all := &parts[0].encoded
	for i := range parts[1:] {
		q, before := &parts[i+1].encoded, len(all.feats)
		for _, at := range q.starts[1:] {
			all.starts = append(all.starts, before+at)
		}
		all.feats, all.legal = append(all.feats, q.feats...), append(all.legal, q.legal...)
	}
	u.encoded = *all
}

func (q *part) encode(u *unit, p *Policy, position int) {
	q.feats, q.starts, q.legal = q.feats[:0], append(q.starts[:0], 0), q.legal[:0]
	for _, i := range u.live[q.first:q.end] {
		l := &u.lanes[i]
		q.feats = p.encoding.AppendState(q.feats, l.cursor, l.last, position)
		q.starts = append(q.starts, len(q.feats))
		if p.config.Mask {
			q.legal = append(q.legal, l.cursor.Legal())
		}
	}
}

// A stepper runs a unit's lanes through the network: first their prompts, for rollouts of up to
// capacity positions, then position by position the rows of those that are live, leaving their
// distributions at a temperature in the unit's space. In any case end follows.
type stepper interface {
	begin(u *unit, capacity int, invT float32) error
	step(u *unit, position int, invT float32) error
	end()
}

// begin implements stepper.
func (n network) begin(u *unit, capacity int, _ float32) error {
	u.readPrompts(n)
	u.makeCaches(n, roundUp(capacity, keyBlock))
	return nil
}

// end implements stepper.
func (n network) end() {}

// step implements stepper.
func (n network) step(u *unit, position int, invT float32) error {
	u.step(n, position)
	n.distribute(&u.space, u.out, len(u.live), u.legal, invT)
	return nil
}

// step runs the rows through the network, leaving the residual stream in out.
func (u *unit) step(n network, position int) {
	rows, a := len(u.live), &u.rows
	width := 0
	for _, i := range u.live {
		width = max(width, u.prompts[u.lanes[i].prompt].n+roundUp(position+1, keyVector))
	}
	a.grow(rows, n.d, n.heads, width)
	u.out = grow(u.out, rows*n.d)
	n.embedInto(a.x, u.feats, u.starts)
	for l := range n.shape.blocks {
		b, w := &n.shape.blocks[l], &n.weights.blocks[l]
		n.attend1(b, w, a, rows)
		u.attend(n, l, position, width)
		n.afterAttention(b, w, a, a.x, u.out, rows)
		if l+1 < n.layers {
			a.x, u.out = u.out, a.x
		}
	}
}

// choose draws each live lane's next token and lets go of those that are done.
func (u *unit) choose(p *Policy, opt *policies.SampleOptions) error {
	parts := u.split()
	if len(parts) == 1 {
		parts[0].failed = parts[0].choose(u, p, opt)
	} else {
		parallel(len(parts), func(i int) { parts[i].failed = parts[i].choose(u, p, opt) })
	}
	kept := 0
	for i := range parts {
		q := &parts[i]
		if q.failed != nil {
			return q.failed
		}
		kept += copy(u.live[kept:], u.live[q.first:q.first+q.kept])
	}
	u.live = u.live[:kept]
	return nil
}

// choose leaves the lanes that are not done at the part's beginning.
func (q *part) choose(u *unit, p *Policy, opt *policies.SampleOptions) error {
	v := p.shape.vocabulary
	q.kept = 0
	for r := q.first; r < q.end; r++ {
		i := u.live[r]
		l := &u.lanes[i]
		p32, logp := u.space.p[r*v:(r+1)*v], u.space.logp[r*v:(r+1)*v]
		var token int
		var h, sampled float64
		if opt.Bits > 0 {
			q.round(p32, logp, opt.Bits)
		}
		if position := len(l.rollout.Tokens); position < len(opt.Prefix) {
			token, h = int(opt.Prefix[position]), entropy(p32, logp)
			sampled = float64(logp[token])
		} else {
			token, h, sampled = q.pick(l, p32, logp, opt)
		}
		l.rollout.Tokens = append(l.rollout.Tokens, envs.Token(token))
		l.rollout.Logp = append(l.rollout.Logp, float64(logp[token]))
		if opt.Cuts() {
			l.rollout.Sampler = append(l.rollout.Sampler, sampled)
		}
		l.rollout.Entropy = append(l.rollout.Entropy, h)
		l.last = envs.Token(token)
		if err := l.cursor.Push(l.last); err != nil {
			if p.config.Mask {
				return fmt.Errorf("a legal token is refused: %w", err)
			}
			continue // the answer does not parse, and nothing that follows would make it
		}
		if !l.cursor.Done() {
			u.live[q.first+q.kept] = i
			q.kept++
		}
	}
	return nil
}

// round makes a distribution that of its rounded logits.
func (q *part) round(p, logp []float32, bits int) {
	q.logits = q.logits[:0]
	for _, x := range logp {
		q.logits = append(q.logits, float64(x))
	}
	draw.Round(q.logits, bits)
	q.prob = grow(q.prob, len(p))
	logZ := exact.Softmax(q.prob, q.logits)
	for j := range p {
		p[j], logp[j] = float32(q.prob[j]), float32(q.logits[j]-logZ)
	}
}

// pick draws a token, with the entropy and, unless greedy, its log-probability.
func (q *part) pick(l *lane, p, logp []float32, opt *policies.SampleOptions) (token int, h, sampled float64) {
	if opt.Greedy {
		return draw.Argmax(logp), 0, 0
	}
	uniform := rng.Uniform(&l.pcg)
	if opt.TopP < 1 {
		q.prob = q.prob[:0]
		for _, x := range p {
			q.prob = append(q.prob, float64(x))
		}
		n := q.nucleus.Cut(q.prob, opt.TopP)
		token = n.Pick(uniform)
		return token, n.Entropy(), exact.Log(n.Prob()[token])
	}
	q.sums = q.sums[:0]
	sum := 0.0
	for _, x := range p {
		sum += float64(x)
		q.sums = append(q.sums, sum)
	}
	token = draw.Pick(q.sums, uniform*sum)
	return token, entropy(p, logp), float64(logp[token])
}
