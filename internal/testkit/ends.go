package testkit

import (
	"context"
	"sync/atomic"
)

// EndsAt is a context that ends when it has been asked so often whether it has. A test that
// stops a computation so can be at every place where it asks, and count what it does after the
// end, without a clock.
type EndsAt struct {
	context.Context
	asked atomic.Int64
	most  int64
}

// NewEndsAt returns a context that ends after most questions.
func NewEndsAt(most int64) *EndsAt { return &EndsAt{Context: context.Background(), most: most} }

// Err implements context.Context.
func (e *EndsAt) Err() error {
	if e.asked.Add(1) > e.most {
		return context.Canceled
	}
	return nil
}

// Asked is how often it was asked.
func (e *EndsAt) Asked() int64 { return e.asked.Load() }

// Late is how often it was asked after it had said that it has ended.
func (e *EndsAt) Late() int64 { return max(0, e.Asked()-e.most-1) }
