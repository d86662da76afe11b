package transformer

import (
	"cmp"
	"fmt"
	"slices"

	"modebench/envs"
)

// A line is a distinct prefix of rollouts of a task. It is live, with a row in each step, or waits.
type line struct {
	task       int // in unit.tasks and unit.prompts
	slot       int // in unit.slots: it has its keys and values, or those of the line that it left
	position   int // tokens so far
	first, end int // its rollouts, in unit.order
	last       envs.Token
	cursor     envs.Cursor // of a live line
}

// A slot has room for the keys and values of a live line. Lines that branched off it wait. When the live line
// ends, the latest of them continues in the slot: the keys and values of the beginning that both share are
// there, and it writes over those behind. When another slot is free, the earliest of them continues there,
// with a copy of that beginning.
type slot struct{ waiting []line }

// fill makes lines live while there are free slots: first those that wait, then those of further tasks.
func (u *unit) fill(p *Policy, d stepper) error {
	before := len(u.live)
	for i := 0; i < before && len(u.free) > 0; i++ {
		from := u.live[i].slot
		s := &u.slots[from]
		for len(s.waiting) > 0 && len(u.free) > 0 {
			l := s.waiting[0]
			s.waiting = slices.Delete(s.waiting, 0, 1)
			running, err := u.start(p, &l)
			if err != nil {
				return err
			}
			if running {
				l.slot = u.takeSlot()
				d.copySlot(u, l.slot, from, &l)
				u.live = append(u.live, l)
			}
		}
	}
	for ; len(u.free) > 0 && u.begun < len(u.tasks); u.begun++ {
		end := len(u.order)
		if u.begun+1 < len(u.tasks) {
			end = u.tasks[u.begun+1].first
		}
		l := line{task: u.begun, first: u.tasks[u.begun].first, end: end, last: -1}
		if running, err := u.start(p, &l); err != nil {
			return err
		} else if running {
			l.slot = u.takeSlot()
			d.beginSlot(u, l.slot, l.task)
			u.live = append(u.live, l)
		}
	}
	if len(u.live) > before { // lines with the same number of keys together
		slices.SortFunc(u.live, func(a, b line) int {
			return cmp.Or(cmp.Compare(u.keysBefore(&a), u.keysBefore(&b)), cmp.Compare(a.first, b.first))
		})
	}
	return nil
}

func (u *unit) takeSlot() int {
	last := len(u.free) - 1
	s := u.free[last]
	u.free = u.free[:last]
	return s
}

// start gives a line its cursor, and reports whether its rollouts go on.
func (u *unit) start(p *Policy, l *line) (bool, error) {
	l.cursor = u.tasks[l.task].task.Start()
	tokens := u.rollouts[u.order[l.first]].rollout.Tokens
	for i := range tokens {
		if refused, err := u.push(p, l, tokens[i]); refused || err != nil {
			return false, err
		}
	}
	return !l.cursor.Done(), nil
}

// push moves a line's cursor on. A token that is refused leaves it as it is.
func (u *unit) push(p *Policy, l *line, token envs.Token) (refused bool, err error) {
	if err := l.cursor.Push(token); err != nil {
		if p.config.Mask {
			return true, fmt.Errorf("task %s: a legal token is refused: %w", u.tasks[l.task].task.ID(), err)
		}
		return true, nil // the answer does not parse, and nothing that follows would make it
	}
	l.last = token
	return false, nil
}

// branch moves a live line on by the tokens that its rollouts have drawn, which are the part's. A line
// that it becomes, or that waited, takes its place; branch reports whether any does.
func (q *part) branch(u *unit, p *Policy, l *line) (bool, error) {
	s := &u.slots[l.slot]
	order, tokens := u.order[l.first:l.end], q.tokens
	parent, running := *l, false
	for from := parent.first; from < parent.end; {
		n := gather(order, tokens)
		next := line{task: parent.task, slot: parent.slot, position: parent.position + 1, first: from, end: from + n, last: parent.last, cursor: parent.cursor}
		if next.cursor == nil {
			s.waiting = append(s.waiting, next)
		} else if refused, err := u.push(p, &next, tokens[0]); err != nil {
			return false, err
		} else if !refused {
			parent.cursor = nil // it is further on
			if running = !next.cursor.Done(); running {
				*l = next
			}
		}
		from, order, tokens = from+n, order[n:], tokens[n:]
	}
	for !running && len(s.waiting) > 0 {
		last := len(s.waiting) - 1
		*l = s.waiting[last]
		s.waiting = s.waiting[:last]
		var err error
		if running, err = u.start(p, l); err != nil {
			return false, err
		}
	}
	return running, nil
}

// gather brings the rollouts whose token is the first one's to the front, and returns how many they are.
func gather(order []int, tokens []envs.Token) int {
	n := 1
	for k := 1; k < len(tokens); k++ {
		if tokens[k] == tokens[0] {
			order[n], order[k] = order[k], order[n]
			tokens[n], tokens[k] = tokens[k], tokens[n]
			n++
		}
	}
	return n
}
