package envtest

import (
	"fmt"
	"math"
	"slices"

	"modebench/envs"
	"modebench/internal/each"
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
func checkEncoding(s *suite) {
	if d, ok := s.env.(envs.Describer); ok {
		f := d.Features()
		want(min(f.Count, f.Width, f.Prompt) >= 0 && f.Tokens >= 1 && f.Tokens <= len(s.info.Vocabulary),
			"features %+v, want no negative numbers, and 1 to %d tokens", f, len(s.info.Vocabulary))
	}
	for i, form := range forms {
		noError(catch(func() {
			x := must(envs.NewEncoding(s.env, form))
			if i == 0 {
				s.comparePrompts(x)
			}
			s.each(func(p envs.Problem, key rng.Key) { s.checkTasks(x, form, p, key) })
		}), "form %+v", form)
	}
}

// A pairing maps prompts to their features and back.
type pairing struct{ byPrompt, byFeatures map[string]string }

func newPairing() pairing { return pairing{map[string]string{}, map[string]string{}} }

// add enters a prompt and its features, which must not be paired with others.
func (p pairing) add(prompt, features string) {
	earlier, known := p.byFeatures[features]
	want(!known || earlier == prompt, "prompts %s and %s have the same features %s", earlier, prompt, features)
	earlier, known = p.byPrompt[prompt]
	want(!known || earlier == features, "prompt %s has the features %s and also %s", prompt, earlier, features)
	p.byFeatures[features], p.byPrompt[prompt] = prompt, features
}

func (s *suite) comparePrompts(x *envs.Encoding) {
	pairs := newPairing()
	var room [][]int32
	for _, split := range envs.Splits() {
		for i := range encodedProblems {
			p := must(s.env.Problem(split, i))
			noError(x.Check(p), "prompt of %s", p.ID())
			room = x.AppendPrompt(room[:0], p)
			noError(catch(func() { checkPrompt(x, room) }), "prompt of %s", p.ID())
			pairs.add(fmt.Sprint(p.Prompt()), fmt.Sprint(room))
		}
	}
}

func checkPrompt(x *envs.Encoding, positions [][]int32) {
	want(len(positions) >= 1 && len(positions) <= x.Prompt, "%d positions, want 1 to %d", len(positions), x.Prompt)
	for i, features := range positions {
		noError(catch(func() { checkFeatures(x, features) }), "position %d", i)
	}
}

func checkFeatures(x *envs.Encoding, features []int32) {
	want(len(features) >= 1 && len(features) <= x.Width, "features %v: want 1 to %d of them", features, x.Width)
	for i, f := range features {
		want(f >= 0 && int(f) < x.Features && !slices.Contains(features[:i], f), "features %v: want numbers below %d, each once", features, x.Features)
	}
}

// checkTasks looks at every task that a form has for a problem. Their prompts tell
// them apart, but for weights that are the same in sixteenths.
func (s *suite) checkTasks(x *envs.Encoding, form envs.Form, p envs.Problem, key rng.Key) {
	pairs := newPairing()
	for m := 1; m <= form.Answers; m++ {
		tasks, weights := s.tasks(form, p, m, key)
		for i, task := range tasks {
			noError(x.Check(task), "task %s", task.ID())
			prompt := x.AppendPrompt(nil, task)
			noError(catch(func() {
				checkPrompt(x, prompt)
				if i < 2 { // states are the same whatever the goal
					s.checkRollouts(x, task, key)
				}
			}), "task %s", task.ID())
			parts := each.Map(weights[i], func(w float64) int { return int(math.Floor(float64(16*w) + 0.5)) })
			pairs.add(fmt.Sprint(m, parts), fmt.Sprint(prompt))
		}
	}
}

func (s *suite) tasks(form envs.Form, p envs.Problem, m int, key rng.Key) (tasks []envs.Task, weights [][]float64) {
	var task envs.Task = p
	if m > 1 || form.Stops {
		task = s.chain(p, m, form.Stops)
	}
	tasks, weights = []envs.Task{task}, [][]float64{nil}
	if form.Goals {
		goals := keyedWeights(s, key)
		for i := range goals {
			tasks, weights = append(tasks, envs.NewGoal(task, goals, i)), append(weights, goals[i])
		}
	}
	return tasks, weights
}

// checkRollouts looks at the states of random walks and of rollouts by the demonstrator.
func (s *suite) checkRollouts(x *envs.Encoding, task envs.Task, key rng.Key) {
	for i := range max(1, s.walks/25) {
		r := key.Str("encoding").Int(uint64(i)).Rand()
		checkStates(x, task, randomTokens(task, x.Rollout+1, r))
		checkStates(x, task, envs.Imitate(nil, task, r))
	}
}

// checkStates follows a rollout by two cursors, one of which is looked at twice.
func checkStates(x *envs.Encoding, task envs.Task, tokens []envs.Token) {
	want(len(tokens) <= x.Rollout, "a rollout has more than the %d tokens that the encoding has room for", x.Rollout)
	once, twice := task.Start(), task.Start()
	last := envs.Token(-1)
	var room []int32
	for i, t := range tokens {
		noError(catch(func() {
			before := string(twice.AppendState(nil))
			room = x.AppendState(room[:0], twice, last, i)
			again := x.AppendState([]int32{-7}, twice, last, i)
			features := x.AppendState(nil, once, last, i)
			want(slices.Equal(room, features) && again[0] == -7 && slices.Equal(again[1:], features), "features %v, and looked at again %v and %v", features, room, again)
			want(string(twice.AppendState(nil)) == before, "looking at the features changed the state")
			checkFeatures(x, features)
			want(t >= 0 && int(t) < x.Vocabulary, "token %d, the encoding has %d", t, x.Vocabulary)
			want(once.Push(t) == nil && twice.Push(t) == nil, "token %d of a rollout is not legal", t)
		}), "after %v", tokens[:i])
		last = t
	}
	want(once.Done(), "rollout %v is not whole", tokens)
}

// checkLessons: a lesson is a whole rollout of a task of the form, and the same for the same
// arguments; those of a Teacher are right, and about problems that it has no other split for.
func checkLessons(s *suite) {
	_, teaches := s.env.(envs.Teacher)
	for _, form := range forms {
		x := must(envs.NewEncoding(s.env, form))
		for i := range uint64(s.problems * 5) {
			noError(catch(func() {
				key := rng.New(i % 2).Str("lessons")
				task, tokens, err := envs.Lesson(s.env, form, key, i)
				noError(err, "the lesson")
				noError(x.Check(task), "its task")
				checkStates(x, task, tokens)
				if teaches {
					checkRight(task, tokens)
				}
				repeated, again, err := envs.Lesson(s.env, form, key, i)
				want(err == nil && repeated.ID() == task.ID() && slices.Equal(repeated.Prompt(), task.Prompt()) && slices.Equal(tokens, again),
					"%s %v, and again %s %v, error %v", task.ID(), tokens, repeated.ID(), again, err)
			}), "form %+v, lesson %d", form, i)
		}
	}
}

func checkRight(task envs.Task, tokens []envs.Token) {
	p := envs.ProblemOf(task)
	answers := [][]envs.Token{tokens}
	if g, ok := task.(*envs.Goal); ok {
		task = g.Unwrap()
	}
	if c, ok := task.(*envs.Chain); ok {
		answers = c.Split(tokens)
	}
	for _, answer := range answers {
		want(p.Judge(answer).Correct, "task %s: answer %s is not right", task.ID(), quote(p.AnswerText(answer)))
	}
}
