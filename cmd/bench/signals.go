package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
)

// stoppedKey is the key of the exit code, an *atomic.Int32 in the context of a command, of the
// signal that stopped it in place of an interrupt.
type stoppedKey struct{}

// untilSignal is for commands that have something to tidy up: the first interrupt or
// termination ends the context, so that they stop at the next safe point; a second
// one, and any to other commands, ends the process as usual.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	return until(ctx, exitTerminated, os.Interrupt, syscall.SIGTERM)
}

// untilStopped is untilSignal for runs, which a scheduler may stop and queue again. It may send
// several signals: only after an interrupt does the next signal end the process.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	return until(ctx, exitPreempted, stopSignals...)
}

// until ends the context at one of the signals. code is the exit code of those that are no interrupt.
func until(ctx context.Context, code int32, signals ...os.Signal) (context.Context, context.CancelFunc) {
	stopped := stopCode(ctx)
	ctx, cancel := context.WithCancel(ctx)
	sent, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(sent, signals...)
	go func() {
		defer signal.Stop(sent)
		for {
			select {
			case s := <-sent:
				if s != os.Interrupt {
					stopped.Store(code)
				}
				cancel()
				if s == os.Interrupt || code != exitPreempted {
					return // the next signal ends the process
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, sync.OnceFunc(func() { close(done); cancel() })
}

// stopCode is the exit code of the signal that stopped a command, 0 if there was none but an
// interrupt.
func stopCode(ctx context.Context) *atomic.Int32 {
	if code, ok := ctx.Value(stoppedKey{}).(*atomic.Int32); ok {
		return code
	}
	return new(atomic.Int32)
}
