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

// A Teacher is an environment with better answers to learn from than its
// demonstrator's. A tabular policy copies the demonstrator, whose errors leave it
// something to learn. A transformer, which has to read the problem first, makes enough
// errors of its own and learns more from right answers.
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

// Lesson returns demonstration number i for tasks of a form: a task and a rollout of
// it. A Teacher gives them by its own Lesson; for other environments the demonstrator
// answers problem number i of the split pretrain. Half of the chains ask for the most
// answers that the form allows, the others for any number from 1 to that. Their answers
// are independent, and their control tokens are drawn as in Imitate. Goals are drawn
// from GoalWeights. The result depends on the arguments alone, and calls may be
// concurrent.
func Lesson(e Env, form Form, key rng.Key, i uint64) (Task, []Token, error) {
	if err := form.check(); err != nil {
		return nil, nil, err
	}
	if i > math.MaxInt {
		return nil, nil, fmt.Errorf("lesson %d, want at most %d", i, math.MaxInt)
	}
	key = key.Int(i)
	r := key.Str("task").Rand()
	m := form.draw(r)
	var p Problem
	var answers [][]Token
	var err error
	if teacher, ok := e.(Teacher); ok {
		p, answers, err = teacher.Lesson(int(i), m, key.Str("lesson").Rand())
	} else {
		p, err = e.Problem(Pretrain, int(i))
	}
	if err != nil {
		return nil, nil, err
	}
	t, err := form.task(e.Info(), p, m, r)
	if err != nil {
		return nil, nil, err
	}
	if answers == nil {
		return t, Imitate(nil, t, key.Str("lesson").Rand()), nil
	}
	return t, follow(nil, t, r, func(_ Problem, i int) []Token { return answers[i] }), nil
}
