package transformer

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"

	"modebench/policies/internal/device"
	"modebench/policies/internal/device/cuda"
)

// A team is the policies of one shape that compute on a card: the cells of a run. Small
// models wait for launches, not for arithmetic, so what several policies ask for at the same
// time goes through the card together: a lockstep. Each row of a pass depends on its own
// policy's parameters and on rows of its own policy alone, so which policies go together, which
// is left to chance, changes no bit.
type team struct {
	stream // for a policy's calls outside of locksteps
	shape  *shape
	decays cuda.Pointer // 1 where a parameter decays, else 0
	owner  *Device

	turn     sync.Mutex // for the rest, and the members' fields about their lockstep
	changed  sync.Cond
	members  int
	unusable bool      // something has failed
	waiting  []*member // for a lockstep, in the order of their calls
	running  int       // locksteps
	spare    []*gpu
	begun    []int // how many members each lockstep began with; nil: not counted
	// Tests have locksteps wait for that many calls, or for all members.
	least int
}

// A member is a policy's part of a team, and its requests.
//
// After an error on the card later calls do nothing, and the next call that can return an error
// returns it.
type member struct {
	stream
	team   *team
	memory cuda.Pointer // parameters, their gradient and moments: see stride

	lanesForTests int // in place of lanesAtOnce

	kind         callKind
	weights, ref *weights // that it is about, and that it compares with
	chunks       []*chunk
	unit         *unit
	layout       layout // of the chunks, or of the unit's rows
	optimizer    device.AdamW

	in      *lockstep
	kept    bool   // backward is to follow
	untold  error  // of a pass whose caller has not received it
	before  counts // where its part begins there
	squares float64
}

// Calls of one kind may go together.
type callKind struct {
	sample    bool // it draws, else it trains
	keep, ref bool // a backward pass follows; there is something to compare with
	mask      bool // tokens are masked
	invT      float32
	capacity  int // positions of the rollouts to draw
}

// A lockstep is the calls that go through the card together: a pass begins when all are there.
type lockstep struct {
	gpu     *gpu
	members []*member
	arrived int
	passes  int
	busy    bool
}

// A pass is done by the last member to arrive, for all of them.
type pass func(g *gpu, t *team, members []*member)

// Bounds of locksteps: how many there are at a time, so that one computes while another's
// members work out what comes next, and about how many numbers one takes of the card's memory,
// unless it is a single call.
const (
	mostLocksteps = 2
	mostTogether  = 1 << 29
)

func newTeam(s *shape, d *Device) (*team, error) {
	card, err := d.take()
	if err != nil {
		return nil, err
	}
	copied := *s // the policy's is gone with it
	s = &copied
	t := &team{stream: stream{device: card, trim: d.trim}, shape: s, owner: d}
	t.changed.L = &t.turn
	decays := make([]float32, s.size)
	for _, tensor := range s.tensors {
		for i := range tensor.slice(decays) {
			if tensor.decays {
				tensor.slice(decays)[i] = 1
			}
		}
	}
	t.decays = t.alloc(s.size)
	t.upload(t.decays, decays)
	t.settle()
	if t.failed != nil {
		return nil, errors.Join(t.failed, d.give(card, true))
	}
	return t, nil
}

// close gives back the team's memory. The team may have no members any more.
func (t *team) close() error {
	var failed []error
	for _, g := range t.spare {
		g.freeAll()
		for _, b := range []*hostBuffer{&g.pass.host, &g.lanes.pass.host, &g.gradients, &g.tables.host} {
			g.device.FreeHost(b.Host)
		}
		failed = append(failed, t.owner.give(g.device, t.unusable))
	}
	t.freeAll()
	return errors.Join(append(failed, t.owner.give(t.device, t.unusable))...)
}

// count adds a member or removes one, which may have failed, and returns the number of members.
func (t *team) count(more int, failed bool) int {
	t.turn.Lock()
	defer t.turn.Unlock()
	t.members += more
	t.unusable = t.unusable || failed
	t.changed.Broadcast()
	return t.members
}

// The places of the gradient and of the moments.
func (m *member) grad() cuda.Pointer   { return m.memory.At(m.team.shape.stride()) }
func (m *member) first() cuda.Pointer  { return m.memory.At(2 * m.team.shape.stride()) }
func (m *member) second() cuda.Pointer { return m.memory.At(3 * m.team.shape.stride()) }

// newWeights makes room for parameters: its own, or a reference's, which go when they are unreachable.
func (m *member) newWeights(learns bool) *weights {
	if learns {
		return &weights{card: m.memory}
	}
	w := &weights{card: m.alloc(m.team.shape.size)}
	runtime.AddCleanup(w, m.free, w.card)
	return w
}

// upload, copy and clear have happened when they return: the next call may be in another stream.
func (m *member) upload(to cuda.Pointer, xs []float32) {
	m.stream.upload(to, xs)
	m.settle()
}

func (m *member) clear(p cuda.Pointer, n int) {
	m.stream.clear(p, n)
	m.settle()
}

// copy copies all parameters.
func (m *member) copy(to, from cuda.Pointer) {
	if m.failed == nil {
		m.do(m.device.Copy(to, from, 4*m.team.shape.size))
	}
	m.settle()
}

// axpy is dst = fma(a, x, dst).
func (m *member) axpy(dst cuda.Pointer, a float32, x cuda.Pointer, n int) {
	m.byEntry("axpy", n, dst, a, x, int32(n))
}

// close gives all memory back.
func (m *member) close() {
	m.freeAll()
	if m.failed == nil {
		m.failed = errors.New("the policy is closed")
	}
}

// assess leaves the distributions of each chunk's answers, and the reference's log-probabilities, in its
// space. With keep backward may follow. Then, or after an error, leave is to be called.
func (m *member) assess(w, ref *weights, chunks []*chunk, mask bool, invT float32, keep bool) error {
	rows, features := 0, 0
	for _, c := range chunks {
		rows, features = rows+c.rows(), features+len(c.features)
	}
	s := m.team.shape
	if err := s.fits(rows, features, len(chunks)); err != nil && m.failed == nil {
		m.failed = err
	}
	m.weights, m.ref, m.chunks = w, ref, chunks
	m.layout.fill(chunks, s, keep)
	if err := m.join(callKind{keep: keep, ref: ref != nil, mask: mask, invT: invT}, (*gpu).assess); err != nil {
		return err
	}
	m.kept = keep
	from, offset := &m.in.gpu.pass, m.before.answers*s.vocabulary
	for _, c := range chunks {
		if c.space == nil {
			c.space = &space{}
		}
		to, end := c.space, offset+c.answers*s.vocabulary
		to.p, to.logp = append(to.p[:0], from.p[offset:end]...), append(to.logp[:0], from.logp[offset:end]...)
		if ref != nil {
			to.reference = append(to.reference[:0], from.reference[offset:end]...)
		}
		offset = end
	}
	return nil
}

// backward makes the gradient and the sum of its squares from those of the chunks' logits.
func (m *member) backward() error {
	to := m.gradient()
	for _, c := range m.chunks {
		to = to[copy(to, c.space.dlogits[:c.answers*m.team.shape.vocabulary]):]
	}
	m.kept = false
	return m.doTogether((*gpu).backward)
}

func (m *member) gradient() []float32 {
	n := 0
	for _, c := range m.chunks {
		n += c.answers
	}
	v := m.team.shape.vocabulary
	return m.in.gpu.gradient[m.before.answers*v : (m.before.answers+n)*v]
}

// adam makes a step of all parameters.
func (m *member) adam(optimizer device.AdamW) {
	m.optimizer = optimizer
	_ = m.doTogether((*gpu).adam) // the caller asks for the failure
}

// join has a call go through the card, with waiting calls of its kind, and makes their first pass.
func (m *member) join(kind callKind, first pass) error {
	if m.failed != nil {
		return m.failed
	}
	t := m.team
	t.turn.Lock()
	m.kind = kind
	t.waiting = append(t.waiting, m)
	t.changed.Broadcast()
	for m.in == nil && m.failed == nil {
		if t.waiting[0] == m && t.running < mostLocksteps && len(t.waiting) >= min(t.least, t.members) {
			t.begin()
			t.changed.Broadcast()
		} else {
			t.changed.Wait()
		}
	}
	t.turn.Unlock()
	return m.doTogether(first)
}

// begin begins a lockstep of the first call that waits and those of its kind that there is room for.
func (t *team) begin() {
	l := &lockstep{}
	if n := len(t.spare); n > 0 {
		l.gpu, t.spare = t.spare[n-1], t.spare[:n-1]
	} else if card, err := t.owner.take(); err == nil {
		l.gpu = &gpu{stream: stream{device: card, trim: t.trim}, shape: t.shape}
	} else {
		t.waiting[0].failed = err
		t.waiting = t.waiting[1:]
		return
	}
	t.running++
	var sum load
	kind := t.waiting[0].kind
	t.waiting = slices.DeleteFunc(t.waiting, func(m *member) bool {
		if m.kind != kind || !sum.add(t.shape, m) {
			return false
		}
		m.in, l.members = l, append(l.members, m)
		return true
	})
	if t.begun != nil {
		t.begun = append(t.begun, len(l.members))
	}
}

type load struct{ calls, rows, features, chunks, lanes, width int }

// add adds a call, unless there is no room for it; there is for the first.
func (l *load) add(s *shape, m *member) bool {
	sum := *l
	sum.calls++
	chunks := m.chunks
	if m.kind.sample {
		chunks = []*chunk{&m.unit.chunk}
		sum.lanes += len(m.unit.slots)
		sum.width = m.kind.capacity
	} else {
		sum.chunks += len(chunks)
	}
	for _, c := range chunks {
		sum.rows, sum.features, sum.width = sum.rows+c.rows(), sum.features+len(c.features), max(sum.width, c.width)
	}
	sum.rows = max(sum.rows, sum.lanes)
	if sum.calls > 1 {
		numbers := sum.rows*int(s.ofRow(sum.width)) + sum.chunks*s.size + s.laneRoom(sum.lanes, m.kind.capacity)
		if numbers > mostTogether || sum.lanes > mostLanes || s.fits(sum.rows, sum.features, sum.chunks) != nil {
			return false
		}
	}
	*l = sum
	return true
}

// doTogether does nothing after an error, or outside of a lockstep.
func (m *member) doTogether(do pass) error {
	if m.failed == nil && m.in != nil {
		m.arrive(do)
	}
	return m.failed
}

// arrive waits for the other members of the lockstep, and has their pass done.
func (m *member) arrive(do pass) {
	t, l := m.team, m.in
	t.turn.Lock()
	defer t.turn.Unlock()
	l.arrived++
	for number := l.passes; l.passes == number; {
		if l.arrived < len(l.members) || l.busy {
			t.changed.Wait()
			continue
		}
		l.busy = true
		func() {
			t.turn.Unlock()
			defer t.turn.Lock()
			do(l.gpu, t, l.members)
			if l.gpu.failed != nil { // kernels that were started must not run in memory that is given back
				_ = l.gpu.device.Synchronize()
			}
		}()
		for _, o := range l.members {
			o.failed = cmp.Or(o.failed, l.gpu.failed)
		}
		l.busy, l.arrived, l.passes = false, 0, l.passes+1
		t.changed.Broadcast()
	}
}

// leave ends the member's part in a lockstep, after the backward pass that the others wait for.
func (m *member) leave() {
	if m.in == nil {
		return
	}
	t, l := m.team, m.in
	if m.kept && l.gpu.failed == nil {
		clear(m.gradient())
		known := m.failed
		if m.arrive((*gpu).backward); known == nil {
			m.untold = m.failed
		}
	}
	t.turn.Lock()
	defer t.turn.Unlock()
	m.in, m.kept = nil, false
	// A call's arguments are not kept.
	m.weights, m.ref, m.chunks, m.unit = nil, nil, nil, nil
	l.members = slices.DeleteFunc(l.members, func(o *member) bool { return o == m })
	if len(l.members) == 0 {
		t.running--
		if l.gpu.failed == nil {
			t.spare = append(t.spare, l.gpu)
		} else {
			t.unusable = true
			_ = t.owner.give(l.gpu.device, true) // its members know why
		}
	}
	t.changed.Broadcast()
}
