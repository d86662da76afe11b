package ptxrun

import "fmt"

// runThread runs a thread until it waits or ends.
func (m *machine) runThread(t *thread) error {
	r := t.registers
	for {
		s := &m.code[t.next]
		at := t.next
		t.next++
		if m.result.Steps++; m.result.Steps > m.launch.Most {
			return fmt.Errorf("line %d: the kernel does not end", s.line)
		}
		if s.guard >= 0 {
			if r[s.guard].undefined {
				m.find(fmt.Sprintf("line %d: is run or not by a value that nobody wrote", s.line))
			}
			if (r[s.guard].bits != 0) == s.unless {
				m.result.Passed[at] = true
				continue
			}
		}
		m.result.Ran[at] = true
		switch s.kind {
		case compute:
			a, b, c := &r[s.a], &r[s.b], &r[s.c]
			r[s.to] = value{s.compute(a.bits, b.bits, c.bits), a.undefined || b.undefined || c.undefined}
		case choose:
			v := r[s.b]
			if r[s.c].bits != 0 {
				v = r[s.a]
			}
			v.undefined = v.undefined || r[s.c].undefined
			r[s.to] = v
		case halve:
			v := r[s.a]
			r[s.to], r[s.b] = value{cut(v.bits, 32), v.undefined}, value{v.bits >> 32, v.undefined}
		case load, store:
			if err := m.move(t, s); err != nil {
				return fmt.Errorf("line %d: thread %d: %w", s.line, t.number, err)
			}
		case jump:
			t.next = s.target
		case end:
			t.state = ended
			return nil
		case blockBarrier:
			t.state = atBlock
			return nil
		case warpBarrier:
			t.state = atWarp
			return nil
		case shuffle:
			t.state, t.given = atWarp, r[s.a]
			return nil
		}
	}
}

// move runs a load or a store.
func (m *machine) move(t *thread, s *step) error {
	base := &t.registers[s.a]
	if base.undefined {
		m.find(fmt.Sprintf("line %d: goes to an address that nobody wrote", s.line))
	}
	at := base.bits + s.offset
	bytes := s.bytes * len(s.registers)
	memory := &m.global
	switch {
	case s.space == "shared":
		memory = &m.shared
	case s.space == "" && at >= window:
		memory, at = &m.shared, at-window
	}
	if at%uint64(bytes) != 0 {
		return fmt.Errorf("moves %d bytes at %#x, which is no multiple", bytes, at)
	}
	in, err := memory.find(at, bytes)
	if err != nil {
		return err
	}
	from := int(at - in.from)
	now := stamp{m.block, m.epoch, m.warpEpochs[t.number/32], uint16(t.number), true, s.line}
	for n, register := range s.registers {
		place := in.bytes[from+n*s.bytes:]
		first, last := (from+n*s.bytes)/4, (from+(n+1)*s.bytes-1)/4
		v := &t.registers[register]
		if s.kind == store {
			if v.undefined && memory == &m.global {
				m.find(fmt.Sprintf("line %d: stores what nobody wrote", s.line))
			}
			put(place, v.bits, s.bytes)
		} else {
			*v = value{bits: get(place, s.bytes)}
			if s.signed {
				v.bits = cut(uint64(signed(v.bits, 8*s.bytes)), s.widths[n])
			}
		}
		for word := first; word <= last; word++ {
			c := &in.cells[word]
			var wrong string
			if s.kind == store {
				wrong = c.written(&now)
				c.undefined = v.undefined
			} else {
				wrong = c.read(&now, s.constant)
				v.undefined = v.undefined || c.undefined
			}
			if wrong != "" {
				m.find(fmt.Sprintf("line %d: a word of %s %s", s.line, in.name, wrong))
			}
		}
	}
	return nil
}
