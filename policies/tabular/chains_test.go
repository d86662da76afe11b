package tabular_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

// TestAgainstTheSlowPolicy: rollouts of chains and goals are, token for token,
// those of a policy without nodes and rows, with its log-probabilities and
// entropies; so are all rollouts with their probabilities.
func TestAgainstTheSlowPolicy(t *testing.T) {
	for _, sharing := range []string{"problem", "shared"} {
		for _, context := range contexts() {
			p, m, tasks := moved(t, sharing, context, sgd(1))
			for _, way := range ways {
				opt := way.opt
				opt.Key = plain(7).Key
				for g, group := range sample(t, p, tasks, 15, opt) {
					if group.Task != tasks[g] {
						t.Fatalf("group %d is of task %s, want %s", g, group.Task.ID(), tasks[g].ID())
					}
					for i, r := range group.Rollouts {
						want := m.draw(tasks[g], i, opt)
						if !slices.Equal(r.Tokens, want.Tokens) || r.Number != i {
							t.Fatalf("%s, %s, %s, task %s: rollout %d is %v, want %v", sharing, context, way.reason, group.Task.ID(), i, r.Tokens, want.Tokens)
						}
						for k := range want.Tokens {
							near(t, way.reason+": log-probability", r.Logp[k], want.Logp[k], 1e-13)
							near(t, way.reason+": entropy", r.Entropy[k], want.Entropy[k], 1e-13)
						}
					}
				}
				for _, task := range tasks[:4] {
					got := enumerate(t, p, task, opt)
					sameAnswers(t, got, m.enumerate(task, opt), 1e-14)
				}
			}
		}
	}
}

// TestRecallEqualsRetrace: rollouts of the last sample and a copy of them show
// the objective the same and move the policy to the same bits.
func TestRecallEqualsRetrace(t *testing.T) {
	for _, context := range contexts() {
		for _, want := range []policies.Want{{}, {Ref: true}, {Entropy: true}, {KL: true}, everything} {
			var saved [2][]byte
			var stats [2]policies.UpdateStats
			for i, copied := range []bool{false, true} {
				p, _, tasks := moved(t, "problem", context, policies.DefaultOptimizer())
				ref := p.Freeze()
				train(t, p, tasks, 100, 3)
				b := batch(t, p, tasks, 60, copied)
				b.Reference, b.Want, b.Temperature = ref, want, 0.7
				for range 2 {
					enumerate(t, p, tasks[1], ways[2].opt)
					var err error
					if stats[i], err = p.Update(b); err != nil {
						t.Fatal(err)
					}
				}
				saved[i] = save(t, p)
			}
			if !bytes.Equal(saved[0], saved[1]) || stats[0] != stats[1] {
				t.Errorf("%s, %+v: %+v for the last sample, %+v for its copy, or other parameters", context, want, stats[0], stats[1])
			}
		}
	}
}

// TestOneAnswer: a chain of one answer is drawn and learnt as the plain problem
// is, up to rounding: under blind to the same parameters, under independent to
// the same ones of its only number, and under add to two rows whose sum moves
// twice as fast.
func TestOneAnswer(t *testing.T) {
	problem := &corridor{"c", 5, 1}
	answers := [][]envs.Token{{goRight, goRight}, {goLeft, takeIt, goRight, goRight, goRight}, {goRight, takeIt, goRight}}
	learn := func(context string, lr float64, task envs.Task) []policies.Answer {
		p := tabular.New(tabular.Config{Sharing: "problem", Context: context, Smoothing: 0.3}, sgd(lr))
		for step := range 20 {
			g := written(task, answers...)
			b := policies.Batch{Groups: []policies.Group{g}, Loss: reinforce, Temperature: 1}
			b.Advantages = advantages(b.Groups, plain(uint64(step)).Key)
			if _, err := p.Update(b); err != nil {
				t.Fatal(err)
			}
		}
		return enumerate(t, p, task, plain())
	}
	alone := chain(t, problem, 1, envs.ChainOptions{})
	want := learn(tabular.ContextAdd, 0.5, problem)
	for _, c := range []struct {
		context string
		lr      float64
	}{{tabular.ContextBlind, 0.5}, {tabular.ContextIndependent, 0.5}, {tabular.ContextAdd, 0.25}, {tabular.ContextFound, 0.25}} {
		sameAnswers(t, learn(c.context, c.lr, alone), want, 1e-13)
	}
	moved := 0.0
	for i, a := range enumerate(t, tabular.New(*tabular.Default(), sgd(1)), problem, plain()) {
		moved += math.Abs(a.P - want[i].P)
	}
	if moved < 0.01 {
		t.Errorf("20 steps moved the policy by %g: the test compares nothing", moved)
	}
}

// TestPlainProblemsHaveNoContext: without a chain or a goal all four choices of
// context are one, to the bit.
func TestPlainProblemsHaveNoContext(t *testing.T) {
	tasks := []envs.Task{&corridor{"one", 5, 0}, &priored{grammar: branching("two", 3)}}
	var want []byte
	for _, context := range append(contexts(), "") {
		p := tabular.New(tabular.Config{Sharing: "problem", Context: context, Smoothing: 0.3}, policies.DefaultOptimizer())
		train(t, p, tasks, 0, 20)
		header, body := payload(t, save(t, p))
		if string(header) != "modebench tabular checkpoint 1\n" {
			t.Errorf("context %q: header %q, want that of version 1", context, header)
		}
		settings := len(parts(t, save(t, p)).settings)
		if want == nil {
			want = body[settings:]
		}
		if !bytes.Equal(body[settings:], want) {
			t.Errorf("context %q: other parameters than under %q", context, contexts()[0])
		}
	}
}

// TestBaseOfChainsAndGoals: before any update each answer of a chain, and each
// under a goal, is the base policy's answer to the problem, whatever came before.
func TestBaseOfChainsAndGoals(t *testing.T) {
	for _, problem := range []envs.Problem{&corridor{"c", 4, 1}, branching("counted", 2), &priored{grammar: branching("known", 4)}} {
		single := map[string]float64{}
		answers := enumerate(t, tabular.New(*tabular.Default(), sgd(1)), problem, plain())
		for _, a := range answers {
			single[fmt.Sprint(a.Tokens)] = a.P
		}
		for _, context := range contexts() {
			two := chain(t, problem, 2, envs.ChainOptions{ByModes: context == tabular.ContextFound})
			config := *tabular.Default()
			config.Context = context
			p := tabular.New(config, sgd(1))
			for _, task := range []envs.Task{two, envs.NewGoal(two, envs.GoalWeights(2), 1), envs.NewGoal(problem, envs.GoalWeights(2), 0)} {
				got := enumerate(t, p, task, plain())
				if n := len(answers); len(got) != n && len(got) != n*n {
					t.Fatalf("%s, task %s: %d rollouts, want %d for each answer", context, task.ID(), len(got), n)
				}
				for _, a := range got {
					product := 1.0
					for _, part := range two.Split(a.Tokens) {
						if len(part) > 0 {
							product *= single[fmt.Sprint(part)]
						}
					}
					near(t, task.ID(), a.P, product, 1e-14)
				}
			}
		}
	}
}

// TestSharing: an answer of a chain teaches the next answer, and an answer
// under a goal those under others.
func TestSharing(t *testing.T) {
	problem := &corridor{"c", 5, 1}
	low, high := envs.NewGoal(problem, envs.GoalWeights(3), 0), envs.NewGoal(problem, envs.GoalWeights(3), 3)
	for _, c := range []struct {
		context string
		others  bool // learn too
		same    bool // as much
	}{
		{tabular.ContextAdd, true, false}, {tabular.ContextFound, true, false},
		{tabular.ContextIndependent, false, false}, {tabular.ContextBlind, true, true},
	} {
		config := *tabular.Default()
		config.Context = c.context
		two := chain(t, problem, 2, envs.ChainOptions{ByModes: c.context == tabular.ContextFound})
		check := func(what string, own, other float64) {
			t.Helper()
			if own < 0.005 {
				t.Errorf("%s: %s moved by %g only", c.context, what, own)
			}
			if c.others && other < 0.005 || !c.others && math.Abs(other) > 1e-13 || c.same != (math.Abs(own-other) < 1e-13) {
				t.Errorf("%s: %s moved by %g, the other by %g; want it to move: %v, as much: %v", c.context, what, own, other, c.others, c.same)
			}
		}
		p, left := tabular.New(config, sgd(0.5)), []envs.Token{goLeft, goRight, goRight, goRight}
		own, other := first(t, p, two), second(t, p, two)
		push(t, p, two, slices.Concat(left, left), 1) // the second answer gets no signal
		check("the first answer", first(t, p, two)-own, second(t, p, two)-other)
		own, other = first(t, p, low), first(t, p, high)
		push(t, p, low, left, 1)
		check("a goal", first(t, p, low)-own, first(t, p, high)-other)
	}
}

// push makes one step up the log-probability of a rollout's first n tokens.
func push(t testing.TB, p *tabular.Policy, task envs.Task, rollout []envs.Token, n int) {
	t.Helper()
	_, err := p.Update(policies.Batch{
		Groups: []policies.Group{written(task, rollout)}, Advantages: [][]float64{{1}}, Temperature: 1,
		Loss: func(l *loss.Tokens) error {
			clear(l.DLogp)
			for k := range n {
				l.DLogp[k] = -1
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// first is the probability that a rollout begins by going left.
func first(t testing.TB, p *tabular.Policy, task envs.Task) float64 {
	sum := 0.0
	for _, a := range enumerate(t, p, task, plain()) {
		if a.Tokens[0] == goLeft {
			sum += a.P
		}
	}
	return sum
}

// second is the probability that the answer after the straight one begins by
// going left.
func second(t testing.TB, p *tabular.Policy, task envs.Task) float64 {
	sum, all := 0.0, 0.0
	for _, a := range enumerate(t, p, task, plain()) {
		if slices.Equal(a.Tokens[:2], []envs.Token{goRight, goRight}) {
			all += a.P
			if a.Tokens[2] == goLeft {
				sum += a.P
			}
		}
	}
	return sum / all
}

// TestFoundSeesModes: the second answer of a chain by modes learns apart for
// each mode the first one may have found; that of a chain by number does not.
func TestFoundSeesModes(t *testing.T) {
	problem := &corridor{"c", 5, 1}
	for _, byModes := range []bool{false, true} {
		config := *tabular.Default()
		config.Context = tabular.ContextFound
		p := tabular.New(config, sgd(0.5))
		two := chain(t, problem, 2, envs.ChainOptions{ByModes: byModes})
		straight, taking := []envs.Token{goRight, goRight}, []envs.Token{goRight, takeIt, goRight}
		left := []envs.Token{goLeft, goRight, goRight, goRight}
		// After taking something, go left; after the straight way, go right.
		for range 30 {
			push(t, p, two, slices.Concat(taking, left), 4)
			push(t, p, two, slices.Concat(straight, taking), 3)
		}
		after := map[bool]float64{}
		for _, took := range []bool{false, true} {
			begin := straight
			if took {
				begin = taking
			}
			sum, all := 0.0, 0.0
			for _, a := range enumerate(t, p, two, plain()) {
				if len(a.Tokens) > len(begin) && slices.Equal(a.Tokens[:len(begin)], begin) {
					all += a.P
					if a.Tokens[len(begin)] == goLeft {
						sum += a.P
					}
				}
			}
			after[took] = sum / all
		}
		if got := after[true] - after[false]; byModes && got < 0.5 || !byModes && math.Abs(got) > 1e-13 {
			t.Errorf("by modes %v: having found something changes the next answer by %g", byModes, got)
		}
	}
}

// TestChainOfBandits: the rollouts of a chain of one-token answers have the
// products of its answers' probabilities, which sum to one.
func TestChainOfBandits(t *testing.T) {
	problem := banditProblems(t, 1)[0]
	for _, context := range contexts() {
		config := *tabular.Default()
		config.Context = context
		three := chain(t, problem, 3, envs.ChainOptions{ByModes: context == tabular.ContextFound})
		p := tabular.New(config, policies.DefaultOptimizer())
		train(t, p, []envs.Task{three}, 0, 20)
		m := newSlow(config, trained(t, p))
		for _, opt := range []policies.SampleOptions{ways[0].opt, ways[1].opt, ways[4].opt} {
			got, sum := enumerate(t, p, three, opt), 0.0
			sameAnswers(t, got, m.enumerate(three, opt), 1e-14)
			for _, a := range got {
				sum += a.P
			}
			near(t, "total probability", sum, 1, 1e-13)
		}
		answers, ok, err := p.Enumerate(three, plain(), 100)
		if ok || err != nil || answers != nil {
			t.Errorf("12 arms thrice, at most 100: %d rollouts, %v, error %v", len(answers), ok, err)
		}
	}
}
