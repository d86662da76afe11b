package train

import (
	"bytes"
	"encoding/json"

	"modebench/estimators/loss"
	"modebench/internal/strictjson"
)

// This file saves the memory of an estimator and an objective over steps. Most have no memory.

// remember adds the step's batch to the state. The step has updated the policy by then, so an
// interrupted step leaves the state as it was when the step began.
func (t *trainer) remember() error {
	return t.Method.Remember(&t.batch)
}

// saveState returns the state as bytes; nil without a state.
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

// objectiveState returns the objective's state as JSON; nil without a state.
func objectiveState(s *loss.State) (json.RawMessage, error) {
	if s == nil {
		return nil, nil
	}
	return json.Marshal(s)
}

// loadObjective takes over a state that objectiveState gave.
func (t *trainer) loadObjective(state json.RawMessage) error {
	if state == nil {
		return t.Method.Loss.SetState(nil)
	}
	s := &loss.State{}
	if err := strictjson.Decode(state, "objective", s); err != nil {
		return err
	}
	return t.Method.Loss.SetState(s)
}
