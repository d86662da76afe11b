package audit

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/estimators"
	"modebench/estimators/plugin"
	"modebench/estimators/sets"
	"modebench/experiments/record"
	"modebench/internal/params"
	"modebench/internal/rng"
)

// Run audits every method at every group size. A row that cannot be audited explains why, and so
// does a row that fails; the error names the failed rows, and the audit has all others. If the
// context ends there is no audit.
func Run(ctx context.Context, methods []Method, opt Options) (*record.Audit, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if opt.Bandit == nil {
		opt.Bandit = Bandit()
	}
	env, err := opt.Bandit.Build()
	if err != nil {
		return nil, err
	}
	problems, err := firstProblems(env, opt.Problems)
	if err != nil {
		return nil, err
	}
	out := &record.Audit{
		Version: record.AuditVersion, Env: record.Component{Name: "bandit", Params: params.Values(opt.Bandit)},
		Problems: opt.Problems, Groups: opt.Groups, Ks: ks, Outcomes: opt.Outcomes, Samples: opt.Samples, Seed: opt.Seed,
		Rows: make([]record.AuditRow, len(methods)*len(opt.Groups)),
	}
	for _, p := range problems {
		out.Policy = append(out.Policy, p.p)
	}
	out.Parallel = parallel(passGradients(problems, ks))
	clusters := equalSteps(methods)
	audit := auditor{
		ctx: ctx, info: env.Info(), problems: problems, methods: methods, opt: opt, rows: out.Rows, failures: make([]error, len(out.Rows)),
		parts: len(clusters) * len(opt.Groups) * len(problems),
	}
	queue := make(chan [2]int) // a cluster and a group size
	var workers sync.WaitGroup
	for range max(opt.Jobs, 1) {
		workers.Go(func() {
			for at := range queue {
				audit.cluster(clusters[at[0]], at[1])
			}
		})
	}
	// The largest groups take longest, and come first.
	for n := len(opt.Groups) - 1; n >= 0 && ctx.Err() == nil; n-- {
		for c := 0; c < len(clusters) && ctx.Err() == nil; c++ {
			queue <- [2]int{c, n}
		}
	}
	close(queue)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, errors.Join(audit.failures...)
}

type auditor struct {
	ctx      context.Context
	info     envs.Info
	problems []*problem
	methods  []Method
	opt      Options
	rows     []record.AuditRow // method by method, each at all groups
	failures []error           // of each row
	parts    int               // bandits of all rows, those with equal steps once

	mu   sync.Mutex
	done int // of the parts
}

func (a *auditor) advance(label string, group, parts int) {
	if a.opt.Progress == nil || parts == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done += parts
	a.opt.Progress(Progress{Label: label, Group: group, Done: a.done, Total: a.parts})
}

// stepsOf is the Method.Steps of a method; "" for a plug-in.
func stepsOf(m *estimators.Instance) string {
	if _, ok := m.Estimator.(*plugin.Plugin); ok {
		return ""
	}
	return fmt.Sprintf("%T %v %v %v %d %v %v", m.Estimator, params.Values(m.Estimator), params.Values(&m.Protocol),
		params.Values(&m.Rewards), m.Method.Candidates, m.Method.Stops, m.Method.Properties.OrderMatters)
}

// equalSteps groups the numbers of methods with equal steps, in order.
func equalSteps(methods []Method) [][]int {
	var out [][]int
	groupOf := map[string]int{}
	for i, m := range methods {
		if k, known := groupOf[m.Steps]; known && m.Steps != "" {
			out[k] = append(out[k], i)
			continue
		}
		groupOf[m.Steps] = len(out)
		out = append(out, []int{i})
	}
	return out
}

// cluster audits methods with equal steps at a group size, given by its number.
func (a *auditor) cluster(members []int, size int) {
	var steps *stepsTaken
	label, group, left := a.methods[members[0]].Label, a.opt.Groups[size], len(a.problems)
	bandit := func() {
		if left > 0 { // 0: a method with equal steps has failed, and they are taken anew
			left--
			a.advance(label, group, 1)
		}
	}
	for _, m := range members {
		index := m*len(a.opt.Groups) + size
		row := &a.rows[index]
		*row = record.AuditRow{Label: a.methods[m].Label, Group: group}
		method, end, err := a.methods[m].New()
		if err == nil {
			row.Method, row.Family = method.Method.Name, familyOf(method.Method.Name)
			steps, err = a.row(row, method, steps, bandit)
			err = errors.Join(err, end())
		}
		if err != nil {
			*row = record.AuditRow{Label: row.Label, Method: row.Method, Family: row.Family, Group: row.Group, Why: err.Error()}
			a.failures[index] = fmt.Errorf("method %s, groups of %d: %w", row.Label, row.Group, err)
		}
	}
	a.advance(label, group, left)
}

// familyOf is the family of a method; "" for a plug-in, which has no family.
func familyOf(name string) string {
	for _, f := range estimators.Families() {
		for _, m := range f.Methods {
			if m.Name == name {
				return f.Name
			}
		}
	}
	return ""
}

// row fills a row, from steps if they have been taken, and returns them. Taking them calls bandit
// after each.
func (a *auditor) row(row *record.AuditRow, method *estimators.Instance, steps *stepsTaken, bandit func()) (*stepsTaken, error) {
	if err := a.fits(method, row.Group); err != nil {
		row.Why = err.Error()
		return nil, nil
	}
	if err := method.Try(len(a.info.Weights)); err != nil {
		return nil, err
	}
	t, err := targetsOf(method, a.problems, estimators.TargetSetting{Group: row.Group, Candidates: method.Method.Candidates, Weights: a.info.Weights}, ks, maxOutcomes)
	if err != nil {
		return nil, err
	}
	if steps == nil {
		if steps, err = a.measure(method, row.Group, bandit); err != nil {
			return nil, err
		}
	}
	row.Why = t.why
	if t.goal != nil {
		row.Claim = t.name
	}
	row.How, row.Steps = steps.how, steps.steps
	numbers := steps.numbers(t)
	row.Length, row.Scale, row.Bias = numbers[atLength], numbers[atScale], numbers[atBias]
	row.Cosine, row.Variance, row.SNR = numbers[atCosine], numbers[atVariance], numbers[atSNR]
	row.Pass = numbers[atPass:]
	return steps, nil
}

func (a *auditor) fits(method *estimators.Instance, size int) error {
	if votes := method.Protocol.Votes; votes != 0 && votes < size {
		return fmt.Errorf("%d rollouts vote, fewer than the %d that are trained on", votes, size)
	}
	return method.Requirements().CheckEnv(a.info.Provides(), a.info.MaxAnswer, size, method.Method.Candidates)
}

type stepsTaken struct {
	how     string
	steps   int
	exact   moments    // over all problems
	sampled []*sampled // by problem
}

func (m *stepsTaken) numbers(t targets) []*record.AuditNumber {
	if m.how == record.AuditExact {
		return exactNumbers(quantities(m.exact, t))
	}
	return sampledNumbers(m.sampled, t)
}

func (a *auditor) measure(method *estimators.Instance, size int, bandit func()) (*stepsTaken, error) {
	groups := make([]*group, len(a.problems))
	for i, p := range a.problems {
		groups[i] = newGroup(a.ctx, method, p, a.info.Weights, size, method.Method.Candidates, a.opt.Seed)
	}
	kinds, ordered, err := a.enumerable(groups)
	if err != nil {
		return nil, err
	}
	m := &stepsTaken{how: record.AuditExact}
	if kinds == nil {
		m.how = record.AuditSampled
	}
	parts := make([]moments, len(groups))
	for i, g := range groups {
		if kinds != nil {
			if parts[i], err = g.enumerate(kinds[i], ordered); err != nil {
				return nil, err
			}
			m.steps += parts[i].steps
			bandit()
			continue
		}
		s, err := g.sample(a.opt.Samples, rng.New(a.opt.Seed).Str("audit"))
		if err != nil {
			return nil, err
		}
		m.sampled = append(m.sampled, s)
		m.steps += s.size * batches
		bandit()
	}
	if kinds != nil {
		m.exact = joined(parts)
	}
	return m, nil
}

// maxSlowOutcomes bounds what is enumerated of a plug-in, which answers group by group,
// and of an expression that is evaluated for every set of a group.
const maxSlowOutcomes = 2_000

// enumerable gives the rollouts of every problem if all groups of them can be enumerated, as
// sequences or else as counts; nil if there are too many, or if the method draws random numbers.
func (a *auditor) enumerable(groups []*group) (all [][]kind, ordered bool, err error) {
	method, limit := groups[0].method.Method, a.opt.Outcomes
	switch e := groups[0].method.Estimator.(type) {
	case *plugin.Plugin:
		limit = min(limit, maxSlowOutcomes)
	case *sets.SetRL:
		if e.Written() {
			limit = min(limit, maxSlowOutcomes)
		}
	}
	ordered = method.Properties.OrderMatters || groups[0].drawn > groups[0].size
	for _, g := range groups {
		stable, turned, err := g.temper(rng.New(a.opt.Seed).Str("audit temper"))
		if err != nil || !stable {
			return nil, false, err
		}
		ordered = ordered || turned
	}
	for _, g := range groups {
		kinds, err := g.problem.kinds(method.Candidates, method.Stops || ordered, limit)
		if err != nil || g.outcomes(len(kinds), ordered, limit) > limit {
			return nil, false, nil
		}
		all = append(all, kinds)
	}
	return all, ordered, nil
}

// Options are the problems and sizes of an audit.
type Options struct {
	Bandit   envs.Config // nil: Bandit()
	Problems int         // one softmax each, averaged over
	Groups   []int       // sizes N
	Outcomes int         // the most outcomes of a group to enumerate; above, groups are drawn
	Samples  int         // groups of each problem to draw
	Seed     uint64
	Jobs     int // goroutines; nothing depends on it

	// Progress is called after every bandit of a row, one call at a time; nil: not wanted.
	Progress func(Progress)
}

// Progress is how far an audit is: Done of Total parts, the last one of the method
// with that label, at groups of Group rollouts.
type Progress struct {
	Label       string
	Group       int
	Done, Total int
}

// Default returns the options of an audit where nothing is set.
func Default() Options {
	return Options{Problems: 48, Groups: []int{2, 4, 8, 16, 32}, Outcomes: 100_000, Samples: 1_000, Jobs: 1}
}

// ks are the k of the pass@k whose gradients every step is compared with.
var ks = []int{1, 2, 4, 8, 16, 32, 64}

// Bandit is the bandit of an audit: four modes, two of them rewarded, so few that groups of 32 can
// be enumerated on many problems, and a steep start whose order differs from problem to problem, so
// that some are easy (.88) and some hard (.12). On a single problem with rewards of 0 and 1 all
// pass@k have the same direction: it is between problems that they differ.
func Bandit() *bandit.Config {
	c := bandit.Default()
	c.Modes, c.Rewarded, c.Start, c.Zipf = 4, 2, "zipf", 2
	return c
}

// A Method is a method to audit under its label. New makes an instance at its fields, for one
// goroutine, and a function that ends it.
type Method struct {
	Label string
	New   func() (*estimators.Instance, func() error, error)
	// Steps is equal for methods that make the same steps, such as those that differ in
	// their losses alone. The steps are then computed once. "": those of no other method.
	Steps string
}

// Check returns the first fault of the options.
func (o Options) Check() error {
	switch {
	case o.Problems < 1 || o.Problems > 1000:
		return fmt.Errorf("%d problems, want 1 to 1000", o.Problems)
	case len(o.Groups) == 0:
		return errors.New("no group sizes")
	case o.Outcomes < 1 || o.Outcomes > 100_000_000:
		return fmt.Errorf("%d outcomes to enumerate at most, want 1 to 100000000", o.Outcomes)
	case o.Samples < 2*batches:
		return fmt.Errorf("%d samples, want at least %d", o.Samples, 2*batches)
	}
	for _, n := range o.Groups {
		if n < 1 || n > 4096 {
			return fmt.Errorf("groups of %d rollouts, want 1 to 4096", n)
		}
	}
	return nil
}
