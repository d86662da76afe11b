package envs

import (
	"fmt"
	"math"

	"modebench/internal/rng"
)

// HeldOut is how many problems of the split ood no Exposure ever shows: its first ones.
const HeldOut = 1000

// An Exposure gives demonstrations on problems of the split ood. A policy that is shown a few
// of them has met every feature that such problems have, in other combinations. Without it a
// policy that never met a third digit solves no multiplication that has one.
type Exposure struct {
	env  Env
	held map[string]bool // the prompts of the problems that are held out
}

// NewExposure lists the problems that are held out. It fails where the environment cannot
// make them.
func NewExposure(e Env) (*Exposure, error) {
	x := &Exposure{env: e, held: map[string]bool{}}
	for i := range HeldOut {
		p, err := e.Problem(OOD, i)
		if err != nil {
			return nil, err
		}
		x.held[p.PromptText()] = true
	}
	return x, nil
}

// exposureDraws bounds the problems drawn for each that is not held out.
const exposureDraws = 100

// Lesson returns demonstration number i, by the demonstrator, on a problem that is not held
// out, not even under another number. Else it is as the function Lesson.
func (x *Exposure) Lesson(form Form, key rng.Key, i uint64) (Task, []Token, error) {
	if err := form.check(); err != nil {
		return nil, nil, err
	}
	if limit := uint64(math.MaxInt64 / (2 * exposureDraws)); i > limit {
		return nil, nil, fmt.Errorf("lesson %d of the split ood, want at most %d", i, limit)
	}
	key = key.Int(i)
	r := key.Str("task").Rand()
	m := form.draw(r)
	for n := range exposureDraws {
		p, err := x.env.Problem(OOD, HeldOut+int(i)*exposureDraws+n)
		if err != nil {
			return nil, nil, err
		}
		if x.held[p.PromptText()] {
			continue
		}
		t, err := form.task(x.env.Info(), p, m, r)
		if err != nil {
			return nil, nil, err
		}
		return t, Imitate(nil, t, key.Str("lesson").Rand()), nil
	}
	return nil, nil, fmt.Errorf("lesson %d of the split ood: %d problems in turn are among the %d that are held out; this environment has too few to show any", i, exposureDraws, HeldOut)
}
