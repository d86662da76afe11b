package train

import (
	"bytes"
	"encoding/json"

	"modebench/estimators/loss"
	"modebench/internal/strictjson"
)

// This file is about what an estimator and an objective remember over steps. Most of them
// remember nothing.

// remember adds the step's batch to the state. The step has updated the policy by then, so
// one that is cut short leaves the state as it was when the step began.
func (t *trainer) remember() error {
	return t.Method.Remember(&t.batch)
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

// objectiveState is the objective's state as JSON; nil where there is none.
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
