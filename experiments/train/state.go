package train

import "bytes"

// This file is about the state of an estimator that remembers over steps. Other estimators
// have none.

// remember adds the step's batch to the state. The step has updated the policy by then, so
// one that is cut short leaves the state as it was when the step began.
func (t *trainer) remember() error {
	if s := t.Method.State(); s != nil {
		return s.Remember(&t.batch)
	}
	return nil
}

// saveState is the state as bytes; nil where there is none.
func (t *trainer) saveState() ([]byte, error) {
	s := t.Method.State()
	if s == nil {
		return nil, nil
	}
	var state bytes.Buffer
	err := s.Save(&state)
	return state.Bytes(), err
}

// loadState takes over a state that saveState gave.
func (t *trainer) loadState(state []byte) error {
	if s := t.Method.State(); s != nil {
		return s.Load(bytes.NewReader(state))
	}
	return nil
}
