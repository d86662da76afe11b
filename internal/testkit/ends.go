package testkit

import (
	"context"
	"sync/atomic"
)

// EndsAt is a context that ends when it has been asked a given number of times whether it has.
// So a test can stop a computation at every question, and count its
// questions after the end, without a clock.
type EndsAt struct {
	context.Context
	asked     atomic.Int64
	questions int64
}

// NewEndsAt returns a context that ends after that many questions.
func NewEndsAt(questions int64) *EndsAt {
	return &EndsAt{Context: context.Background(), questions: questions}
}

// Err implements context.Context.
func (e *EndsAt) Err() error {
	if e.asked.Add(1) > e.questions {
		return context.Canceled
	}
	return nil
}

// Asked is how often it was asked.
func (e *EndsAt) Asked() int64 { return e.asked.Load() }

// Late is how often it was asked after it had said that it has ended.
func (e *EndsAt) Late() int64 { return max(0, e.Asked()-e.questions-1) }
