package train

import (
	"bytes"

	"modebench/envs"
	"modebench/policies"
)

// This file simulates asynchronous training, where rollouts are under way while the policy
// learns: those of step s are drawn by the policy as it was before step s - lag. Until
// there is one so old, the one before training draws them. Where groups differ in their lags,
// those of a lag are drawn together.

// A history holds the policies before the last steps, as many as the lag at most, the
// oldest first.
type history struct {
	lag  int
	kept []policies.Reference
}

// before returns the kept policy from before the step lag steps ago; nil: the policy that learns,
// as it is.
func (h *history) before(lag int) policies.Reference {
	if lag == 0 {
		return nil
	}
	return h.kept[len(h.kept)-lag]
}

// drawLags draws how many steps ago the policy was that draws the rollouts to each task, of
// those there are.
func (t *trainer) drawLags() {
	t.lags = t.lags[:0]
	for _, i := range t.chosen {
		lag := t.Train.Lag
		if t.Train.LagSpread > 0 {
			key := t.key.Str("lag").Int(uint64(t.generation)).Str(t.prompts[i].problem.ID())
			lag -= key.Rand().IntN(t.Train.LagSpread + 1)
		}
		t.lags = append(t.lags, min(lag, len(t.history.kept)))
	}
}

// sample draws n rollouts to each task, by the policies of their lags.
func (t *trainer) sample(n int, opt policies.SampleOptions) ([]policies.Group, error) {
	if t.Train.LagSpread == 0 {
		opt.From = t.history.before(t.lags[0])
		return t.policy.Sample(t.tasks, n, opt)
	}
	out := make([]policies.Group, len(t.tasks))
	for lag := range t.Train.Lag + 1 {
		var tasks []envs.Task
		var places []int
		for g, own := range t.lags {
			if own == lag {
				tasks, places = append(tasks, t.tasks[g]), append(places, g)
			}
		}
		if len(tasks) == 0 {
			continue
		}
		opt.From = t.history.before(lag)
		groups, err := t.policy.Sample(tasks, n, opt)
		if err != nil {
			return nil, err
		}
		for k, g := range places {
			out[g] = cloneGroup(&groups[k])
		}
	}
	return out, nil
}

// stale reports whether a group of the batch is too old to learn from.
func (t *trainer) stale(g int) bool { return t.Train.MaxLag > 0 && t.lags[g] > t.Train.MaxLag }

// freeze freezes the policy before the updates of a step, if later steps need it.
func (h *history) freeze(p policies.Policy) policies.Reference {
	if h.lag == 0 {
		return nil
	}
	return p.Freeze()
}

// add ends a step that began with the given policy.
func (h *history) add(before policies.Reference) {
	if h.lag == 0 {
		return
	}
	if len(h.kept) == h.lag {
		h.kept = append(h.kept[:0:0], h.kept[1:]...)
	}
	h.kept = append(h.kept, before)
}

// save gives the kept policies as files.
func (h *history) save(p policies.Policy) (files [][]byte, err error) {
	for _, r := range h.kept {
		var file bytes.Buffer
		if err := p.SaveFrozen(&file, r); err != nil {
			return nil, err
		}
		files = append(files, file.Bytes())
	}
	return files, nil
}

// load reads what save gave. An error leaves the history unchanged.
func (h *history) load(p policies.Policy, files [][]byte) error {
	var kept []policies.Reference
	for _, file := range files {
		r, err := p.LoadFrozen(bytes.NewReader(file))
		if err != nil {
			return err
		}
		kept = append(kept, r)
	}
	h.kept = kept
	return nil
}
