package envs

import (
	"fmt"
	"math"
	"math/rand/v2"

	"modebench/internal/rng"
)

// Imitate appends a rollout of a task by the demonstrator to dst. For a chain these are
// independent demonstrations, one after the other. In a chain that stops, each is
// followed by one of the legal control tokens, all as likely. For a goal it is a rollout
// of the task under the goal, which demonstrators do not look at.
func Imitate(dst []Token, t Task, r *rand.Rand) []Token {
	return follow(dst, t, r, func(p Problem, _ int) []Token { return p.Demonstrate(r) })
}

// follow appends a rollout whose i-th answer, from 0, the teacher gives.
func follow(dst []Token, t Task, r *rand.Rand, answer func(p Problem, i int) []Token) []Token {
	for {
		switch layer := t.(type) {
		case *Chain:
			return layer.follow(dst, r, answer)
		case Problem:
			return append(dst, answer(layer, 0)...)
		case Wrapper:
			t = layer.Unwrap()
		default:
			return dst
		}
	}
}

func (c *Chain) follow(dst []Token, r *rand.Rand, answer func(p Problem, i int) []Token) []Token {
	for given := 1; given <= c.m; given++ {
		dst = append(dst, answer(c.problem, given-1)...)
		if !c.Stops() {
			continue
		}
		due := c.due(given)
		t := due[r.IntN(len(due))]
		if dst = append(dst, t); t != c.goOn() {
			break
		}
	}
	return dst
}

// A Teacher is an environment with better answers to learn from than its demonstrator's. A tabular
// policy copies the demonstrator, whose errors leave it something to learn. A transformer, which
// has to read the problem first, makes enough errors of its own and learns more from right answers.
type Teacher interface {
	Env
	// Lesson returns a problem that the split pretrain may have, and no other may, with n
	// right answers to it, drawn independently. It is a function of n, the index, which may
	// choose the problem, and the draws of r. Safe for concurrent use.
	Lesson(index, n int, r *rand.Rand) (Problem, [][]Token, error)
}

// PretrainLesson is a Teacher's Lesson about problem number index of the split pretrain:
// n answers that teach gives.
func PretrainLesson[P Problem](e Env, index, n int, teach func(P) []Token) (Problem, [][]Token, error) {
	p, err := e.Problem(Pretrain, index)
	if err != nil {
		return nil, nil, err
	}
	answers := make([][]Token, n)
	for i := range answers {
		answers[i] = teach(p.(P))
	}
	return p, answers, nil
}

// Lesson returns demonstration number i for tasks of a form: a task and a rollout of it. A Teacher
// gives them by its own Lesson; for other environments the demonstrator answers problem number i of
// the split pretrain. Half of the chains ask for the most answers that the form allows, the others
// for any number from 1 to that. Their answers are independent, and their control tokens are drawn
// as in Imitate. Goals are drawn from GoalWeights. The result depends on the arguments alone, and
// calls may be concurrent.
func Lesson(e Env, form Form, key rng.Key, i uint64) (Task, []Token, error) {
	return lesson(e, form, key.Int(i), func(m int, r *rand.Rand) (p Problem, answers [][]Token, err error) {
		if i > math.MaxInt {
			return nil, nil, fmt.Errorf("lesson %d, want at most %d", i, math.MaxInt)
		}
		if teacher, ok := e.(Teacher); ok {
			return teacher.Lesson(int(i), m, r)
		}
		p, err = e.Problem(Pretrain, int(i))
		return p, nil, err
	})
}

// lesson makes a task of a form of the problem that find gives, and a rollout of it, with the right
// answers that find gives as well or, without any, by the demonstrator.
func lesson(e Env, form Form, key rng.Key, find func(m int, r *rand.Rand) (Problem, [][]Token, error)) (Task, []Token, error) {
	if err := form.check(); err != nil {
		return nil, nil, err
	}
	r, shown := key.Str("task").Rand(), key.Str("lesson").Rand()
	m := form.draw(r)
	p, answers, err := find(m, shown)
	if err != nil {
		return nil, nil, err
	}
	t, err := form.task(e.Info(), p, m, r)
	if err != nil {
		return nil, nil, err
	}
	if answers == nil {
		return t, Imitate(nil, t, shown), nil
	}
	return t, follow(nil, t, r, func(_ Problem, i int) []Token { return answers[i] }), nil
}

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
	return lesson(x.env, form, key.Int(i), func(int, *rand.Rand) (Problem, [][]Token, error) {
		if limit := uint64(math.MaxInt64 / (2 * exposureDraws)); i > limit {
			return nil, nil, fmt.Errorf("lesson %d of the split ood, want at most %d", i, limit)
		}
		for n := range exposureDraws {
			p, err := x.env.Problem(OOD, HeldOut+int(i)*exposureDraws+n)
			if err != nil || !x.held[p.PromptText()] {
				return p, nil, err
			}
		}
		return nil, nil, fmt.Errorf("lesson %d of the split ood: %d problems in turn are among the %d that are held out; this environment has too few to show any", i, exposureDraws, HeldOut)
	})
}

// A Form selects the tasks that are made of an environment's problems. An encoding is for one form.
type Form struct {
	Answers int  // of a rollout at most, 1 to MaxChain; 1: problems themselves, else chains
	Stops   bool // chains stop (ChainOptions.Stops)
	Goals   bool // tasks are Goals
}

func (f Form) check() error {
	if f.Answers < 1 || f.Answers > MaxChain {
		return fmt.Errorf("a form of %d answers, want 1 to %d", f.Answers, MaxChain)
	}
	return nil
}

// draw draws how many answers a task asks for: in half of the cases the most that
// the form allows, else any number from 1 to that.
func (f Form) draw(r *rand.Rand) int {
	if f.Answers > 1 && r.IntN(2) == 0 {
		return 1 + r.IntN(f.Answers)
	}
	return f.Answers
}

// task makes a task of m answers to a problem, under a goal drawn from GoalWeights
// if the form has goals.
func (f Form) task(info Info, p Problem, m int, r *rand.Rand) (Task, error) {
	var t Task = p
	if m > 1 || f.Stops {
		c, err := NewChain(p, m, ChainOptions{Word: info.Word, Stops: f.Stops, Vocabulary: len(info.Vocabulary)})
		if err != nil {
			return nil, err
		}
		t = c
	}
	if f.Goals {
		goals := GoalWeights(len(info.Components))
		t = NewGoal(t, goals, r.IntN(len(goals)))
	}
	return t, nil
}

// An unwrapped task is a problem and the requests of its wrappers.
type unwrapped struct {
	problem Problem // nil: no problem inside
	asked   int     // answers
	stops   bool
	weights []float64 // of the goal; nil: no goal
}

func unwrap(t Task) unwrapped {
	u := unwrapped{asked: 1}
	for {
		switch layer := t.(type) {
		case Problem:
			u.problem = layer
			return u
		case *Chain:
			u.asked, u.stops = layer.m, layer.Stops()
		case *Goal:
			if u.weights == nil {
				u.weights = layer.weights // the weights of the policy's score
			}
		}
		w, ok := t.(Wrapper)
		if !ok {
			return u
		}
		t = w.Unwrap()
	}
}
