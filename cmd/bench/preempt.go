package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
)

// A stopSignal is the signal that a run was stopped by.
type stopSignal struct{ os.Signal }

func (s *stopSignal) Error() string { return s.String() }

// untilStopped is untilSignal for runs, which go on another time: it remembers which signal
// it was, and takes those of schedulers too, which may send several: only after an interrupt
// does the next signal end the process.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals...)
	done := make(chan struct{})
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case s := <-signals:
				if cancel(&stopSignal{s}); s == os.Interrupt {
					return // the next one ends the process
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, sync.OnceFunc(func() { close(done); cancel(context.Canceled) })
}

// A preemptedError is a run that was not interrupted by a person: the scheduler takes the
// machine, and is to queue the run again.
type preemptedError struct{ error }

// Unwrap gives the error itself.
func (e *preemptedError) Unwrap() error { return e.error }

// preempted marks the error of a run that a scheduler stopped.
func preempted(ctx context.Context, err error) error {
	var s *stopSignal
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &s) && s.Signal != os.Interrupt {
		return &preemptedError{err}
	}
	return err
}
