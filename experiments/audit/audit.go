package audit

import (
	"context"
	"errors"
	"sync"

	"modebench/experiments/record"
	"modebench/internal/params"
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
