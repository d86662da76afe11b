package train

import (
	"bytes"

	"modebench/policies"
)

// This file simulates asynchronous training, where rollouts are under way while the policy
// learns: those of step s are drawn by the policy as it was before step s - lag. Until
// there is one so old, the one before training draws them.

// A history holds the policies before the last steps, as many as the lag at most, the
// oldest first.
type history struct {
	lag  int
	kept []policies.Reference
}

// sampler is the policy that draws the rollouts of a step; nil: the one that learns, as it is.
func (h *history) sampler() policies.Reference {
	if len(h.kept) == 0 {
		return nil
	}
	return h.kept[0]
}

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

// load reads what save gave. The history is not changed where there is an error.
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
