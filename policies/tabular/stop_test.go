package tabular_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

// Control tokens of chains that stop are numbered from 20, above all others here.
const (
	goOn envs.Token = 20 + iota
	stop
	nameFirst
	nameSecond
)

func stops(t testing.TB, p envs.Problem, m int, context string) *envs.Chain {
	t.Helper()
	return chain(t, p, m, envs.ChainOptions{ByModes: context == tabular.ContextFound, Stops: true, Vocabulary: int(goOn)})
}

// stopProtocol is protocol for chains that stop: two lengths for one problem, under
// a goal, and beside chains that do not stop and plain answers.
func stopProtocol(t testing.TB, context string) []envs.Task {
	one, three := &corridor{"one", 4, 0}, &priored{grammar: branching("three", 3)}
	return []envs.Task{
		stops(t, one, 2, context),
		stops(t, three, 3, context),
		stops(t, three, 2, context),
		envs.NewGoal(stops(t, one, 2, context), envs.GoalWeights(3), 2),
		protocol(t, context)[0],
		one,
	}
}

// with is a slow policy of the same problems with other parameters.
func (m *slow) with(delta deltas) *slow { return &slow{m.config, delta, m.bases} }

// stopping teaches a slow policy that control tokens are alike to the base policy.
func (m *slow) stopping(tasks []envs.Task) *slow {
	for _, task := range tasks {
		problem := envs.ProblemOf(task)
		answers := m.base(problem)
		m.bases[problem.ID()] = func(view string, prefix, legal []envs.Token) []float64 {
			if legal[0] >= goOn {
				return make([]float64, len(legal))
			}
			return answers(view, prefix, legal)
		}
	}
	return m
}

// movedStops is moved for chains that stop.
func movedStops(t testing.TB, sharing, context string, opt policies.Optimizer) (*tabular.Policy, *slow, []envs.Task) {
	t.Helper()
	config := tabular.Config{Sharing: sharing, Context: context, Smoothing: 0.3}
	p, tasks := tabular.New(config, opt), stopProtocol(t, context)
	train(t, p, tasks, 0, 25)
	return p, newSlow(config, trained(t, p)).stopping(tasks), tasks
}

// TestStopsAgainstTheSlowPolicy: rollouts that stop are, token for token, those of
// a policy without nodes and rows, and so are all of them with their
// probabilities, which add up to one.
func TestStopsAgainstTheSlowPolicy(t *testing.T) {
	for _, sharing := range []string{"problem", "shared"} {
		for _, context := range contexts() {
			p, m, tasks := movedStops(t, sharing, context, sgd(1))
			lengths := map[int]bool{}
			for _, way := range ways {
				opt := way.opt
				opt.Key = plain(7).Key
				for g, group := range sample(t, p, tasks, 15, opt) {
					for i, r := range group.Rollouts {
						want := m.draw(tasks[g], i, opt)
						if !slices.Equal(r.Tokens, want.Tokens) {
							t.Fatalf("%s, %s, %s, task %s: rollout %d is %v, want %v", sharing, context, way.reason, group.Task.ID(), i, r.Tokens, want.Tokens)
						}
						for k := range want.Tokens {
							near(t, way.reason+": log-probability", r.Logp[k], want.Logp[k], 1e-13)
							near(t, way.reason+": entropy", r.Entropy[k], want.Entropy[k], 1e-13)
						}
						if c, ok := tasks[g].(*envs.Chain); ok && c.Stops() {
							lengths[len(c.Split(r.Tokens))] = true
						}
					}
				}
				for _, task := range []envs.Task{tasks[2], tasks[3]} {
					got, sum := enumerate(t, p, task, opt), 0.0
					sameAnswers(t, got, m.enumerate(task, opt), 1e-14)
					for _, a := range got {
						sum += a.P
					}
					near(t, "total probability of "+task.ID(), sum, 1, 1e-13)
				}
			}
			if len(lengths) != 3 {
				t.Errorf("%s, %s: chains of these lengths: %v, want 1, 2 and 3", sharing, context, lengths)
			}
		}
	}
}

// TestBaseOfStops: the base policy takes each legal control token with the same
// probability, whether its answers are counted or known, whatever came before. Of
// three answers at most it gives one with probability 2/3 (of go on, stop and name
// the first, two stop), two with 1/3 * 3/4 and three with the rest.
func TestBaseOfStops(t *testing.T) {
	for _, problem := range []envs.Problem{branching("counted", 2), &priored{grammar: branching("known", 4)}} {
		for _, context := range contexts() {
			config := *tabular.Default()
			config.Context = context
			p, three := tabular.New(config, sgd(1)), stops(t, problem, 3, context)
			single := map[string]float64{}
			for _, a := range enumerate(t, p, problem, plain()) {
				single[fmt.Sprint(a.Tokens)] = a.P
			}
			answers := map[int]float64{}
			all, ok, err := p.Enumerate(three, plain(), 100000)
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			for _, a := range all {
				parts := three.Split(a.Tokens)
				want := []float64{1, 1. / 3, 1. / 3 / 4, 1. / 3 / 4 / 4}[len(parts)]
				for _, part := range parts {
					want *= single[fmt.Sprint(part)]
				}
				near(t, three.ID(), a.P, want, 1e-14)
				answers[len(parts)] += a.P
			}
			for n, want := range []float64{0, 2. / 3, 1. / 4, 1. / 12} {
				near(t, fmt.Sprint(n, " answers"), answers[n], want, 1e-13)
			}
		}
	}
}

// TestStopGradient is TestChainGradient for chains that stop.
func TestStopGradient(t *testing.T) {
	for k, context := range contexts() {
		for l, sharing := range []string{"problem", "shared"} {
			for i, c := range losses {
				if leftOut(2*k + l + i) {
					continue
				}
				temperature := []float64{1, 0.7}[i%2]
				t.Run(context+"/"+sharing+"/"+c.reason, func(t *testing.T) {
					p, frozen, tasks := movedStops(t, sharing, context, sgd(gradientRate))
					testChainGradient(t, p, frozen, tasks, temperature, c.want, c.token)
				})
			}
		}
	}
}

// TestStopObjective: ascending sum over all rollouts of P R log pi ascends the
// expected reward E[R], also where R pays for stopping soon and for naming the
// right answer: its gradient by central differences in every parameter.
func TestStopObjective(t *testing.T) {
	const lr = 0.5
	reward := func(c *envs.Chain, rollout []envs.Token) float64 {
		answers := c.Split(rollout)
		r := 1 / float64(len(answers))
		if named := c.Named(rollout); named > 0 {
			r += float64(answers[named-1][0])
		}
		return r
	}
	for _, context := range contexts() {
		problem := &priored{grammar: flat("flat", 3)}
		task := stops(t, problem, 3, context)
		config := tabular.Config{Sharing: "problem", Context: context, Smoothing: 0.3}
		p := tabular.New(config, sgd(lr))
		train(t, p, []envs.Task{task}, 0, 25)
		before := trained(t, p)
		m := newSlow(config, before.clone()).stopping([]envs.Task{task})
		objective := func() float64 {
			sum := 0.0
			for _, a := range m.enumerate(task, plain()) {
				sum += a.P * reward(task, a.Tokens)
			}
			return sum
		}
		g, weights := policies.Group{Task: task}, []float64(nil)
		for _, a := range enumerate(t, p, task, plain()) {
			g.Rollouts = append(g.Rollouts, written(task, a.Tokens).Rollouts...)
			weights = append(weights, a.P*reward(task, a.Tokens))
		}
		if len(weights) != 3*2+9*3+27*4 {
			t.Fatalf("%d rollouts, want 3 answers then 2 ends, 9 then 3, 27 then 4", len(weights))
		}
		want := slopesOf(m.delta, objective)
		_, err := p.Update(policies.Batch{
			Groups: []policies.Group{g}, Advantages: [][]float64{weights}, Temperature: 1,
			Loss: func(l *loss.Tokens) error {
				for s := range l.Sequences() {
					for k := l.Start[s]; k < l.Start[s+1]; k++ {
						l.DLogp[k] = -l.Advantage[s]
					}
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		after, controls := trained(t, p), 0
		for _, key := range slices.Sorted(maps.Keys(before)) {
			for j := range before[key] {
				near(t, context+": gradient at "+key, (after[key][j]-before[key][j])/lr, want[key][j], 1e-9)
				if strings.Contains(key, "control") && math.Abs(want[key][j]) > 0.01 {
					controls++
				}
			}
		}
		if controls < 3 {
			t.Errorf("%s: %d parameters of control tokens have a gradient: this tests nothing", context, controls)
		}
	}
}

// TestResumeStops: a run over chains that stop ends with the same bytes whether or
// not it is written down half-way, and whether its rollouts are recalled or
// walked again.
func TestResumeStops(t *testing.T) {
	for _, context := range contexts() {
		for _, sharing := range []string{"problem", "shared"} {
			fresh := func() *tabular.Policy {
				return tabular.New(tabular.Config{Sharing: sharing, Context: context, Smoothing: 0.3}, policies.DefaultOptimizer())
			}
			tasks := stopProtocol(t, context)
			half := resumed(t, context+", "+sharing, fresh, tasks)
			var saved [2][]byte
			for i, copied := range []bool{false, true} {
				p := fresh()
				load(t, p, half)
				b := batch(t, p, tasks, 60, copied)
				if _, err := p.Update(b); err != nil {
					t.Fatal(err)
				}
				saved[i] = save(t, p)
			}
			if !bytes.Equal(saved[0], saved[1]) {
				t.Errorf("%s, %s: other parameters for the last sample than for its copy", context, sharing)
			}
		}
	}
}

// TestReferenceOfStops: a reference has the probabilities of control tokens that the policy had.
func TestReferenceOfStops(t *testing.T) {
	for _, context := range contexts() {
		p, then, tasks := movedStops(t, "problem", context, sgd(0.5))
		ref := p.Freeze()
		train(t, p, tasks, 100, 10)
		now := then.with(trained(t, p))
		groups := keep(sample(t, p, tasks, 6, plain(50)))
		at := seats(now, policies.Batch{Groups: groups, Advantages: advantages(groups, plain(1).Key)})
		seen, _ := look(t, p, groups, ref)
		for k, want := range see(now, then, 1, at, policies.Want{}) {
			near(t, "policy", seen.Logp[k], want.logp, 1e-13)
			near(t, "reference", seen.Ref[k], want.ref, 1e-13)
			near(t, "divergence", seen.KL[k], want.kl, 1e-13)
		}
	}
}

// TestGoldenStops is TestGolden for chains that stop.
func TestGoldenStops(t *testing.T) {
	for context, want := range map[string]string{
		tabular.ContextAdd:   "5bd55a2da92bb87b5d39dfaa56d261c41f5da7eccf05a43c0bf72e0badb3be28",
		tabular.ContextFound: "4dd00e506c4e0653060eebecf7ddeb48ccd245e1fa1bfe918910cc790d5d1f23",
	} {
		if got := golden(t, stopProtocol(t, context), policies.SampleOptions{Temperature: 0.8, TopP: 0.95}); got != want {
			t.Errorf("%s: the checkpoint's SHA-256 is %s, want %s", context, got, want)
		}
	}
}

// TestControlRows: lessons of control tokens are shared as those of
// answers is, by the number of answers given; nothing is learnt where a checkpoint
// has no row.
func TestControlRows(t *testing.T) {
	problem := &priored{grammar: flat("f", 3)}
	for _, c := range []struct {
		context string
		rows    int
	}{
		{tabular.ContextBlind, 1 + 2},             // the answers' and one of each control token
		{tabular.ContextIndependent, 2 + 2},       // by number: of either answer, of either control token
		{tabular.ContextAdd, (1 + 2) + (2 + 2)},   // both
		{tabular.ContextFound, (1 + 2) + (1 + 2)}, // nothing is ever found here, so one context
	} {
		p := tabular.New(tabular.Config{Sharing: "problem", Context: c.context, Smoothing: 0.3}, sgd(1))
		train(t, p, []envs.Task{stops(t, problem, 2, c.context)}, 0, 30)
		if got := len(trained(t, p)); got != c.rows {
			t.Errorf("%s: %d rows of parameters, want %d", c.context, got, c.rows)
		}
	}
}

// TestStopsWhenFound: a policy that sees what the answers have found learns to stop
// if something is found, and to continue if not; a policy that sees their
// number alone cannot tell.
func TestStopsWhenFound(t *testing.T) {
	problem := &corridor{"c", 5, 1}
	straight, taking := []envs.Token{goRight, goRight}, []envs.Token{goRight, takeIt, goRight}
	for _, byModes := range []bool{false, true} {
		context := tabular.ContextAdd
		if byModes {
			context = tabular.ContextFound
		}
		config := *tabular.Default()
		config.Context = context
		p, two := tabular.New(config, sgd(0.5)), stops(t, problem, 2, context)
		at := func(answer []envs.Token, token envs.Token) float64 {
			groups := []policies.Group{written(two, append(slices.Clone(answer), token))}
			l, err := p.Flatten(policies.Batch{Groups: groups, Temperature: 1})
			if err != nil {
				t.Fatal(err)
			}
			return math.Exp(l.Logp[len(answer)])
		}
		for range 30 {
			pushLast(t, p, two, append(slices.Clone(taking), nameFirst))
			pushLast(t, p, two, append(slices.Clone(straight), goOn))
		}
		named, went := at(taking, nameFirst), at(straight, goOn)
		if byModes && (named < 0.9 || went < 0.9) || !byModes && math.Abs(named+went-1) > 0.1 {
			t.Errorf("by modes %v: after one mode it stops with probability %g, after another it goes on with %g", byModes, named, went)
		}
	}
}

// pushLast makes one step up the log-probability of a rollout's last token.
func pushLast(t testing.TB, p *tabular.Policy, task envs.Task, rollout []envs.Token) {
	t.Helper()
	_, err := p.Update(policies.Batch{
		Groups: []policies.Group{written(task, rollout)}, Advantages: [][]float64{{1}}, Temperature: 1,
		Loss: func(l *loss.Tokens) error {
			clear(l.DLogp)
			l.DLogp[len(l.DLogp)-1] = -1
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAnswersThatLookLikeControl: a problem whose view is that of a control token
// keeps a row of its own.
func TestAnswersThatLookLikeControl(t *testing.T) {
	for _, sharing := range []string{"problem", "shared"} {
		view := "\xffcontrol\x01g"
		odd := &priored{grammar: &grammar{id: "odd", start: view, moves: map[string][]move{view: {{1, ""}, {2, ""}, {3, ""}}}}}
		p := tabular.New(tabular.Config{Sharing: sharing, Context: tabular.ContextBlind, Smoothing: 0.3}, sgd(1))
		two := stops(t, odd, 2, tabular.ContextBlind)
		var v envs.View
		c := two.Start()
		if err := c.Push(1); err != nil {
			t.Fatal(err)
		}
		if v.Look(c); string(v.Answer) != view {
			t.Fatalf("the view of a control token is %q: this tests nothing", v.Answer)
		}
		train(t, p, []envs.Task{two}, 0, 10)
		if got := len(trained(t, p)); got != 3 {
			t.Errorf("%d rows of parameters, want 3: an answer's and two control tokens'", got)
		}
	}
}

// TestPartsOfStops: a policy learns from rollouts that stop short, and the error for an
// illegal token has its number.
func TestPartsOfStops(t *testing.T) {
	two := stops(t, &corridor{"c", 5, 1}, 2, tabular.ContextAdd)
	p := tabular.New(*tabular.Default(), sgd(1))
	push(t, p, two, []envs.Token{goRight, goRight, goOn, goLeft}, 4)
	for _, c := range []struct {
		words   string
		rollout []envs.Token
	}{
		{"task c*2s: token 2 of a rollout", []envs.Token{goRight, goRight, goRight}},
		{"task c*2s: token 2 of a rollout", []envs.Token{goRight, goRight, nameSecond}},
		{"task c*2s: token 1 of a rollout", []envs.Token{goRight, stop}},
		{"task c*2s: token 3 of a rollout", []envs.Token{goRight, goRight, stop, stop}},
		{"task c*2s: token 5 of a rollout", []envs.Token{goRight, goRight, goOn, goRight, goRight, goOn}},
	} {
		b := policies.Batch{Groups: []policies.Group{written(two, c.rollout)}, Advantages: [][]float64{{1}}, Temperature: 1, Loss: reinforce}
		_, err := p.Update(b)
		wantError(t, err, c.words)
	}
}

// TestStopsDoNotAllocate: as TestStepsDoNotAllocate, for rollouts of many lengths.
func TestStopsDoNotAllocate(t *testing.T) {
	for _, context := range []string{tabular.ContextAdd, tabular.ContextFound} {
		config := *tabular.Default()
		config.Context = context
		s := newSteps(config, stopProtocol(t, context)[1:2])
		for range 3000 { // long enough to meet every state and the longest batch
			s.step(t)
		}
		if n := testing.AllocsPerRun(200, func() { s.step(t) }); n != 0 {
			t.Errorf("%s: a step allocates %v times", context, n)
		}
	}
}
