package transformer

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls do(0) to do(n-1), on as many goroutines as there are processors to run on. Which
// of them does what is left to chance: no result may depend on it.
func parallel(n int, do func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var running sync.WaitGroup
	for range workers - 1 {
		running.Go(work)
	}
	work()
	running.Wait()
}

// attempt is parallel, and the error of the least i, so that which is reported is not left to chance.
func attempt(n int, do func(i int) error) error {
	failed := make([]error, n)
	parallel(n, func(i int) { failed[i] = do(i) })
	return cmp.Or(failed...)
}

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

func ceil(n, per int) int { return (n + per - 1) / per }

// grow returns xs with n entries, whose content does not matter.
func grow[T any](xs []T, n int) []T {
	if cap(xs) < n {
		return make([]T, n, n+n/4)
	}
	return xs[:n]
}
