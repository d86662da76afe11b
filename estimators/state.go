package estimators

import (
	"encoding/json"
	"io"

	"modebench/internal/strictjson"
)

// A Stateful estimator remembers over the steps of a run. The run keeps the state with the
// step that it has reached, so that a run that was stopped or killed continues and ends
// with the bytes of an undisturbed run.
//
// Advantages reads the state and leaves it as it is. A fresh estimator has the empty state. Callers
// of Advantages alone, such as bench audit and bench estimate, see the method at its first step.
type Stateful interface {
	Estimator
	// Remembers is false where the estimator, as it is set, has no state after all. The
	// methods below are then not called.
	Remembers() bool
	// Remember adds a batch to the state. A run calls it once for every batch, by
	// Instance.Remember, after the policy has learned from it.
	Remember(b *Batch) error
	// Save writes the state: the same one as the same bytes, and the empty one as none.
	Save(w io.Writer) error
	// Load replaces the state by the one written by Save. After an error the state is empty.
	Load(r io.Reader) error
}

// SaveJSON writes a state as JSON.
func SaveJSON(w io.Writer, state any) error {
	text, err := json.Marshal(state)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// LoadJSON reads a state that SaveJSON wrote. found is false for the empty state, and after an error.
func LoadJSON(r io.Reader, state any) (found bool, err error) {
	text, err := io.ReadAll(r)
	if err == nil && len(text) > 0 {
		err = strictjson.Decode(text, "", state)
		found = err == nil
	}
	return found, err
}

// Remember adds a batch to the estimator's state, if any, as the method's rewards have it.
func (i *Instance) Remember(b *Batch) error {
	s := i.State()
	if s == nil {
		return nil
	}
	b, err := i.rewarded(b)
	if err != nil {
		return err
	}
	return s.Remember(b)
}

// State is the method's estimator if it remembers, else nil.
func (i *Instance) State() Stateful {
	if s, ok := i.Estimator.(Stateful); ok && s.Remembers() {
		return s
	}
	return nil
}
