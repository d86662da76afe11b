package envtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"modebench/envs"
	"modebench/internal/rng"
)

// encodedProblems is how many problems of each split have their prompts compared.
const encodedProblems = 50

// forms are the forms whose encodings are examined.
var forms = []envs.Form{
	{Answers: 1},
	{Answers: 1, Goals: true},
	{Answers: 3},
	{Answers: 3, Stops: true, Goals: true},
}

// checkEncoding checks that, whatever the form, the features of prompts and states keep to
// the bounds that the encoding states, states are functions of the problem and the tokens
// so far, and problems have the same features exactly if they have the same prompt.
func checkEncoding(s *suite) error {
	if d, ok := s.env.(envs.Describer); ok {
		if f := d.Features(); f.Count < 0 || f.Width < 0 || f.Prompt < 0 || f.Tokens < 1 || f.Tokens > len(s.info.Vocabulary) {
			return fmt.Errorf("features %+v, want no negative numbers, and 1 to %d tokens", f, len(s.info.Vocabulary))
		}
	}
	for i, form := range forms {
		x, err := envs.NewEncoding(s.env, form)
		if err == nil && i == 0 {
			err = s.comparePrompts(x)
		}
		if err == nil {
			err = s.each(func(p envs.Problem, key rng.Key) error { return s.checkTasks(x, form, p, key) })
		}
		if err != nil {
			return fmt.Errorf("form %+v: %w", form, err)
		}
	}
	return nil
}

// A pairing maps prompts to their features and back.
type pairing struct{ byPrompt, byFeatures map[string]string }

func newPairing() pairing { return pairing{map[string]string{}, map[string]string{}} }

// add enters a prompt, and complains if one of the two has been seen with another.
func (p pairing) add(prompt, features string) error {
	if earlier, known := p.byFeatures[features]; known && earlier != prompt {
		return fmt.Errorf("prompts %s and %s have the same features %s", earlier, prompt, features)
	}
	if earlier, known := p.byPrompt[prompt]; known && earlier != features {
		return fmt.Errorf("prompt %s has the features %s and also %s", prompt, earlier, features)
	}
	p.byFeatures[features], p.byPrompt[prompt] = prompt, features
	return nil
}

// comparePrompts: features determine the prompt, and the prompt determines them.
func (s *suite) comparePrompts(x *envs.Encoding) error {
	pairs := newPairing()
	var room [][]int32
	for _, split := range envs.Splits() {
		for i := range encodedProblems {
			p, err := s.env.Problem(split, i)
			if err == nil {
				err = x.Check(p)
			}
			if err != nil {
				return err
			}
			room = x.AppendPrompt(room[:0], p)
			if err := checkPrompt(x, room); err != nil {
				return fmt.Errorf("prompt of %s: %w", p.ID(), err)
			}
			if err := pairs.add(fmt.Sprint(p.Prompt()), fmt.Sprint(room)); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkPrompt(x *envs.Encoding, positions [][]int32) error {
	if len(positions) < 1 || len(positions) > x.Prompt {
		return fmt.Errorf("%d positions, want 1 to %d", len(positions), x.Prompt)
	}
	for i, features := range positions {
		if err := checkFeatures(x, features); err != nil {
			return fmt.Errorf("position %d: %w", i, err)
		}
	}
	return nil
}

func checkFeatures(x *envs.Encoding, features []int32) error {
	if len(features) < 1 || len(features) > x.Width {
		return fmt.Errorf("features %v: want 1 to %d of them", features, x.Width)
	}
	for i, f := range features {
		if f < 0 || int(f) >= x.Features || slices.Contains(features[:i], f) {
			return fmt.Errorf("features %v: want numbers below %d, none of them twice", features, x.Features)
		}
	}
	return nil
}

// checkTasks looks at every task that a form has for a problem. Their prompts tell
// them apart, but for weights that are the same in sixteenths.
func (s *suite) checkTasks(x *envs.Encoding, form envs.Form, p envs.Problem, key rng.Key) error {
	pairs := newPairing()
	for m := 1; m <= form.Answers; m++ {
		tasks, weights, err := s.tasks(form, p, m, key)
		if err != nil {
			return err
		}
		for i, task := range tasks {
			err := x.Check(task)
			prompt := x.AppendPrompt(nil, task)
			if err == nil {
				err = checkPrompt(x, prompt)
			}
			if err == nil && i < 2 { // states are the same whatever the goal
				err = s.checkRollouts(x, task, key)
			}
			if err != nil {
				return fmt.Errorf("task %s: %w", task.ID(), err)
			}
			var parts []int
			for _, w := range weights[i] {
				parts = append(parts, int(math.Floor(float64(16*w)+0.5)))
			}
			if err := pairs.add(fmt.Sprint(m, parts), fmt.Sprint(prompt)); err != nil {
				return err
			}
		}
	}
	return nil
}

// tasks lists tasks of m answers to a problem, with the weights of their goals.
func (s *suite) tasks(form envs.Form, p envs.Problem, m int, key rng.Key) (tasks []envs.Task, weights [][]float64, err error) {
	var task envs.Task = p
	if m > 1 || form.Stops {
		if task, err = envs.NewChain(p, m, envs.ChainOptions{Word: s.info.Word, Stops: form.Stops, Vocabulary: len(s.info.Vocabulary)}); err != nil {
			return nil, nil, err
		}
	}
	tasks, weights = []envs.Task{task}, [][]float64{nil}
	if form.Goals {
		goals := keyedWeights(s, key)
		for i := range goals {
			tasks, weights = append(tasks, envs.NewGoal(task, goals, i)), append(weights, goals[i])
		}
	}
	return tasks, weights, nil
}

// checkRollouts looks at the states of random walks and of rollouts by the
// demonstrator.
func (s *suite) checkRollouts(x *envs.Encoding, task envs.Task, key rng.Key) error {
	for i := range max(1, s.walks/25) {
		r := key.Str("encoding").Int(uint64(i)).Rand()
		for _, tokens := range [][]envs.Token{s.walkTask(x, task, r), envs.Imitate(nil, task, r)} {
			if err := checkStates(x, task, tokens); err != nil {
				return err
			}
		}
	}
	return nil
}

// walkTask takes random legal tokens until the rollout is done, or one token beyond the
// room of the encoding.
func (s *suite) walkTask(x *envs.Encoding, task envs.Task, r *rand.Rand) (tokens []envs.Token) {
	c := task.Start()
	for !c.Done() && len(tokens) <= x.Rollout {
		legal := c.Legal()
		t := legal[r.IntN(len(legal))]
		if c.Push(t) != nil {
			return tokens // another check's to tell
		}
		tokens = append(tokens, t)
	}
	return tokens
}

// checkStates follows a rollout by two cursors, one of which is looked at twice.
func checkStates(x *envs.Encoding, task envs.Task, tokens []envs.Token) error {
	if len(tokens) > x.Rollout {
		return fmt.Errorf("a rollout has more than the %d tokens that the encoding has room for", x.Rollout)
	}
	once, twice := task.Start(), task.Start()
	last := envs.Token(-1)
	var room []int32
	for i, t := range tokens {
		before := string(twice.AppendState(nil))
		room = x.AppendState(room[:0], twice, last, i)
		again := x.AppendState([]int32{-7}, twice, last, i)
		features := x.AppendState(nil, once, last, i)
		switch {
		case !slices.Equal(room, features) || again[0] != -7 || !slices.Equal(again[1:], features):
			return fmt.Errorf("after %v: features %v, and looked at again %v and %v", tokens[:i], features, room, again)
		case string(twice.AppendState(nil)) != before:
			return fmt.Errorf("after %v: looking at the features changed the state", tokens[:i])
		}
		if err := checkFeatures(x, features); err != nil {
			return fmt.Errorf("after %v: %w", tokens[:i], err)
		}
		if t < 0 || int(t) >= x.Vocabulary {
			return fmt.Errorf("after %v: token %d, the encoding has %d", tokens[:i], t, x.Vocabulary)
		}
		if once.Push(t) != nil || twice.Push(t) != nil {
			return fmt.Errorf("after %v: token %d of a rollout is not legal", tokens[:i], t)
		}
		last = t
	}
	if !once.Done() {
		return fmt.Errorf("rollout %v is not whole", tokens)
	}
	return nil
}

// checkLessons: a lesson is a whole rollout of a task of the form, and the same for
// the same arguments; those of a Teacher are right, and about problems that it has
// no other split for.
func checkLessons(s *suite) error {
	_, teaches := s.env.(envs.Teacher)
	for _, form := range forms {
		x, err := envs.NewEncoding(s.env, form)
		if err != nil {
			return err
		}
		for i := range uint64(s.problems * 5) {
			key := rng.New(i % 2).Str("lessons")
			task, tokens, err := envs.Lesson(s.env, form, key, i)
			if err == nil {
				err = x.Check(task)
			}
			if err == nil {
				err = checkStates(x, task, tokens)
			}
			if err == nil && teaches {
				err = checkRight(task, tokens)
			}
			if err != nil {
				return fmt.Errorf("form %+v, lesson %d: %w", form, i, err)
			}
			repeated, again, err := envs.Lesson(s.env, form, key, i)
			if err != nil || repeated.ID() != task.ID() || !slices.Equal(repeated.Prompt(), task.Prompt()) || !slices.Equal(tokens, again) {
				return fmt.Errorf("form %+v, lesson %d: %s %v, and again %s %v, error %v", form, i, task.ID(), tokens, repeated.ID(), again, err)
			}
		}
	}
	return nil
}

// checkRight: each answer of a rollout is correct.
func checkRight(task envs.Task, tokens []envs.Token) error {
	p := envs.ProblemOf(task)
	answers := [][]envs.Token{tokens}
	if g, ok := task.(*envs.Goal); ok {
		task = g.Unwrap()
	}
	if c, ok := task.(*envs.Chain); ok {
		answers = c.Split(tokens)
	}
	for _, answer := range answers {
		if v := p.Judge(answer); !v.Correct {
			return fmt.Errorf("task %s: answer %s is not right", task.ID(), quote(p.AnswerText(answer)))
		}
	}
	return nil
}
