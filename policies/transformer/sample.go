package transformer

import (
	"cmp"
	"fmt"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/draw"
)

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
	units, lanes := dealt(len(tasks), n), lanesAtOnce
	if p.gpu != nil {
		lanes = p.gpu.lanesAtOnce(p.encoding.Rollout)
		units = shares{tasks: max(1, lanes/n), parts: 1}
	}
	count := units.count(len(tasks))
	s.prepareToKeep(p, opt.Learn && opt.From == nil && p.gpu == nil, count, total)
	drawUnit := func(i int) error {
		u := s.units.take()
		defer s.units.give(u)
		u.deal(p, s.groups, units, i, lanes, &opt)
		if u.kept = nil; s.keeps {
			u.kept = &s.kept[i]
			s.layTrails(u, i, n)
		}
		return u.draw(p, source, &opt)
	}
	var err error
	if p.gpu == nil {
		err = attempt(count, drawUnit)
	} else {
		for i := range count {
			err = cmp.Or(err, drawUnit(i))
		}
	}
	if err != nil {
		s.keeps = false
		return nil, err
	}
	if s.keeps {
		s.closeTrails()
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
	if err := d.begin(u, p.encoding, invT); err != nil {
		return err
	}
	for {
		if err := u.fill(p, d); err != nil || len(u.live) == 0 {
			return err
		}
		if err := u.encode(p); err != nil {
			return err
		}
		if err := d.step(u, invT); err != nil {
			return err
		}
		if err := policies.Ended(opt.Context); err != nil {
			return err
		}
		if err := u.choose(p, opt); err != nil {
			return err
		}
	}
}

// lanesOfPart is the least number of lines of a goroutine: more than ten microseconds of work. A unit on
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

func (u *unit) encode(p *Policy) error {
	parts := u.split()
	if len(parts) == 1 { // as always on the processor: nothing is allocated
		parts[0].failed = parts[0].encode(u, p)
	} else {
		parallel(len(parts), func(i int) { parts[i].failed = parts[i].encode(u, p) })
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
	var err error
	for i := range parts {
		err = cmp.Or(err, parts[i].failed)
	}
	return err
}

func (q *part) encode(u *unit, p *Policy) error {
	q.feats, q.starts, q.legal = q.feats[:0], append(q.starts[:0], 0), q.legal[:0]
	for r := q.first; r < q.end; r++ {
		l := &u.live[r]
		if l.position == p.encoding.Rollout {
			return fmt.Errorf("task %s: a rollout of %d tokens is not at its end, but the encoding allows no longer rollout", u.tasks[l.task].task.ID(), l.position)
		}
		q.feats = p.encoding.AppendState(q.feats, l.cursor, l.last, l.position)
		q.starts = append(q.starts, len(q.feats))
		if p.config.Mask {
			q.legal = append(q.legal, l.cursor.Legal())
		}
	}
	return nil
}

// A stepper runs a unit's lines through the network: first their prompts, for rollouts of the
// encoding, then step by step a row of each live line, leaving their distributions at a
// temperature in the unit's space. Between steps beginSlot prepares a slot for a line of a task, and copySlot
// for a line that leaves another slot. In any case end follows.
type stepper interface {
	begin(u *unit, e *envs.Encoding, invT float32) error
	step(u *unit, invT float32) error
	beginSlot(u *unit, slot, task int)
	copySlot(u *unit, to, from int, l *line)
	end()
}

// begin implements stepper.
func (n network) begin(u *unit, e *envs.Encoding, _ float32) error {
	s := &u.space
	if k := u.kept; k != nil {
		s = &k.prompts
		k.width, k.places = u.chunk.width, k.places[:0]
		for i := range u.chunk.segments {
			k.places = append(k.places, place{u.chunk.segments[i].row, u.chunk.segments[i].prompt})
		}
		k.limit -= ceil(k.promptRows(), keptRows) // they take room too
	}
	u.readPrompts(n, s, u.kept != nil)
	u.makeCaches(n, e.Prompt+e.Rollout)
	return nil
}

// end implements stepper.
func (n network) end() {}

// step implements stepper.
func (n network) step(u *unit, invT float32) error {
	u.step(n)
	n.distribute(&u.space, u.result, len(u.live), u.legal, invT)
	return nil
}

// step runs the rows through the network, leaving the residual stream in result. If there is room, all that an
// update needs is kept.
func (u *unit) step(n network) {
	rows := len(u.live)
	width := 0
	for r := range u.live {
		width = max(width, roundUp(u.lastKey(r)+1, keyVector))
	}
	u.rows.grow(rows, n.d, n.heads, width)
	u.out = grow(u.out, rows*n.d)
	kept, first := u.kept.next(n.shape, rows)
	u.number = -1
	if kept != nil {
		u.number = u.kept.number(first)
	}
	a, out := u.rows, u.out
	if kept != nil {
		a = kept.room(0, first, n.d, u.rows.attention)
	}
	n.embedInto(a.x, u.feats, u.starts)
	for l := range n.shape.blocks {
		b, w := &n.shape.blocks[l], &n.weights.blocks[l]
		n.attend1(b, w, &a, rows)
		u.attend(n, &a, l, width)
		next := a
		if kept == nil {
			next.x = out
		} else if kept.keepWeights(u, n, l, width); l+1 < n.layers {
			next = kept.room(l+1, first, n.d, u.rows.attention)
		} else {
			next.x = kept.out[first*n.d:]
		}
		n.afterAttention(b, w, &a, a.x, next.x, rows)
		if kept == nil {
			out = a.x
		}
		a = next
	}
	u.result = a.x
}

// choose draws the next token of each rollout of the live lines, which go on in as many lines as there are
// different tokens, and lets go of those that are done.
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
		kept += copy(u.live[kept:], u.live[q.first:q.first+q.running])
		u.free = append(u.free, q.free...)
	}
	clear(u.live[kept:]) // of their cursors
	u.live = u.live[:kept]
	return nil
}

// choose leaves the lines that go on at the part's beginning.
func (q *part) choose(u *unit, p *Policy, opt *policies.SampleOptions) error {
	v := p.shape.vocabulary
	q.running, q.free = 0, q.free[:0]
	for r := q.first; r < q.end; r++ {
		l := &u.live[r]
		q.drawNext(u, r, u.space.p[r*v:(r+1)*v], u.space.logp[r*v:(r+1)*v], opt)
		running, err := q.branch(u, p, l)
		if err != nil {
			return err
		}
		if running {
			u.live[q.first+q.running] = *l
			q.running++
		} else {
			q.free = append(q.free, l.slot)
		}
	}
	return nil
}

// drawNext draws the next token of each rollout of a live line, from its distribution.
func (q *part) drawNext(u *unit, row int, p, logp []float32, opt *policies.SampleOptions) {
	l, number := &u.live[row], u.number
	if number >= 0 {
		number += int32(row)
	}
	if opt.Bits > 0 {
		q.round(p, logp, opt.Bits)
	}
	same, h := -1, 0.0 // same: the token of all of them, unless it is drawn
	switch {
	case l.position < len(opt.Prefix):
		same, h = int(opt.Prefix[l.position]), entropy(p, logp)
	case opt.Greedy:
		same = draw.Argmax(logp)
	case opt.Cuts():
		h = q.cut(p, opt.TopP)
	default:
		q.sum(p)
		h = entropy(p, logp)
	}
	q.tokens = q.tokens[:0]
	for _, i := range u.order[l.first:l.end] {
		o := &u.rollouts[i]
		token, sampled := same, 0.0
		switch {
		case same >= 0:
			sampled = float64(logp[token])
		case opt.Cuts():
			token = q.nucleus.Pick(rng.Uniform(&o.pcg))
			sampled = exact.Log(q.nucleus.Prob()[token])
		default:
			token = draw.Pick(q.sums, rng.Uniform(&o.pcg)*q.sums[len(q.sums)-1])
		}
		r := o.rollout
		r.Tokens, r.Logp, r.Entropy = append(r.Tokens, envs.Token(token)), append(r.Logp, float64(logp[token])), append(r.Entropy, h)
		if opt.Cuts() {
			r.Sampler = append(r.Sampler, sampled)
		}
		q.tokens = append(q.tokens, envs.Token(token))
		if o.trail != nil {
			o.trail.rows = append(o.trail.rows, number)
		}
	}
}

// cut makes the part's nucleus that of a distribution, and returns its entropy.
func (q *part) cut(p []float32, topP float64) float64 {
	q.prob = q.prob[:0]
	for _, x := range p {
		q.prob = append(q.prob, float64(x))
	}
	return q.nucleus.Cut(q.prob, topP).Entropy()
}

// sum fills in the running sums of a distribution.
func (q *part) sum(p []float32) {
	q.sums = q.sums[:0]
	sum := 0.0
	for _, x := range p {
		sum += float64(x)
		q.sums = append(q.sums, sum)
	}
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
