package transformer

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls do(0) to do(n-1), on as many goroutines as there are processors
// to run on. Which of them does what is left to chance: no result may depend on
// it.
func parallel(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		inOrder(n, do)
		return
	}
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var others sync.WaitGroup
	for range workers - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// inOrder calls do(0) to do(n-1).
func inOrder(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

// A pool keeps what workers write to between calls.
type pool[T any] struct {
	mu    sync.Mutex
	spare []*T
}

func (p *pool[T]) take() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.spare)
	if n == 0 {
		return new(T)
	}
	x := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return x
}

func (p *pool[T]) give(x *T) {
	p.mu.Lock()
	p.spare = append(p.spare, x)
	p.mu.Unlock()
}

// ceil is n / per, rounded up.
func ceil(n, per int) int { return (n + per - 1) / per }

// grow returns xs with n entries, whose content does not matter.
func grow[T any](xs []T, n int) []T {
	if cap(xs) < n {
		return make([]T, n, n+n/4)
	}
	return xs[:n]
}

// first is the first error, so that which of several is reported is not left to
// chance.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
