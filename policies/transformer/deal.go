package transformer

import (
	"runtime"

	"modebench/policies"
)

// lanesAtOnce is how many distinct prefixes take their steps together: enough for the products, and their
// caches stay near.
const lanesAtOnce = 32

// shares are how a call's rollouts are dealt to units: some tasks to each or, if parts is above 1, a part of
// the rollouts of one task.
type shares struct{ tasks, parts int }

// tasksAtOnce bounds the memory of a unit for its prompts.
const tasksAtOnce = 32

// dealt gives each goroutine a unit: of whole groups, which share most prefixes, if there are enough.
func dealt(tasks, n int) shares {
	workers := runtime.GOMAXPROCS(0)
	if tasks >= workers {
		return shares{min(tasks/workers, tasksAtOnce), 1}
	}
	return shares{1, min(n, ceil(workers, max(1, tasks)))}
}

func (s shares) count(tasks int) int { return ceil(tasks, s.tasks) * s.parts }

// deal gives unit i its rollouts, of which up to lanes distinct prefixes are under way at a time.
func (u *unit) deal(p *Policy, groups []policies.Group, split shares, i, lanes int, opt *policies.SampleOptions) {
	first, part := i/split.parts*split.tasks, i%split.parts
	groups = groups[first:min(first+split.tasks, len(groups))]
	u.chunk.reset()
	u.tasks, u.rollouts, u.order, u.live = u.tasks[:0], u.rollouts[:0], u.order[:0], u.live[:0]
	for g := range groups {
		task, n := groups[g].Task, len(groups[g].Rollouts)
		u.chunk.prompt = p.encoding.AppendPrompt(u.chunk.prompt[:0], task)
		u.chunk.begin(u.chunk.prompt)
		u.tasks = append(u.tasks, taskRollouts{task, len(u.rollouts)})
		key := opt.Key.Str(task.ID())
		for number := n * part / split.parts; number < n*(part+1)/split.parts; number++ {
			r := &groups[g].Rollouts[number]
			sampler := r.Sampler[:0]
			*r = policies.Rollout{Number: number, Tokens: r.Tokens[:0], Logp: r.Logp[:0], Entropy: r.Entropy[:0]}
			if opt.Cuts() {
				r.Sampler = sampler
			}
			o := drawn{rollout: r, group: first + g}
			if !opt.Greedy {
				key.Int(uint64(number)).Seed(&o.pcg)
			}
			u.order = append(u.order, len(u.rollouts))
			u.rollouts = append(u.rollouts, o)
		}
	}
	u.begun = 0
	u.slots, u.free = grow(u.slots, min(lanes, len(u.rollouts))), u.free[:0]
	for i := range u.slots {
		u.slots[i].waiting = u.slots[i].waiting[:0]
		u.free = append(u.free, len(u.slots)-1-i)
	}
}
