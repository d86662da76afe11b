package transformer

import (
	"errors"
	"runtime"
	"testing"

	"modebench/internal/input"
)

// TestTooLarge: a policy that has no room is refused in one line before any memory is asked for.
func TestTooLarge(t *testing.T) {
	before := total
	t.Cleanup(func() { total = before })
	total = func() (uint64, bool) { return 16e9, true }
	w := mazes(t)
	config := Config{Layers: 48, Width: 4096, Heads: 32}
	_, err := New(t.Context(), config, smallOptimizer(), w.encoding)
	var mistake *input.Error
	if !errors.As(err, &mistake) || err.Error() != "a transformer with layers = 48 and width = 4096 has 9668 million parameters and takes 270.7 GB of memory at least, and there are 16.0 GB for it" {
		t.Errorf("%v", err)
	}
	small := Config{Layers: 1, Width: 32, Heads: 1}
	need := (*Device)(nil).Bytes(small, w.encoding)
	for _, c := range []struct {
		most  uint64
		known bool
		fits  bool
	}{{need, true, true}, {need - 1, true, false}, {0, false, true}} {
		total = func() (uint64, bool) { return c.most, c.known }
		if _, err := New(t.Context(), small, smallOptimizer(), w.encoding); (err == nil) != c.fits {
			t.Errorf("%d bytes where there are %d, known: %v: %v", need, c.most, c.known, err)
		}
	}
}

// TestBytes: a policy takes what it is said to take at least, and not much more where its steps
// are small.
func TestBytes(t *testing.T) {
	w := mazes(t)
	config := Config{Layers: 2, Width: 512, Heads: 8, Steps: 1, Batch: 1}
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	p, err := New(t.Context(), config, smallOptimizer(), w.encoding)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Pretrain(t.Context(), w.demonstration, nil); err != nil {
		t.Fatal(err)
	}
	took, said := held()-before, (*Device)(nil).Bytes(config, w.encoding)
	if took < said*9/10 || took > said*13/10 {
		t.Errorf("%d parameters take %d bytes, said to be %d", p.Parameters(), took, said)
	}
	if most := (*Device)(nil).Bytes(Config{Layers: 64, Width: 4096, Heads: 64}, w.encoding); most < 300e9 {
		t.Errorf("the largest configuration takes %d bytes", most)
	}
	runtime.KeepAlive(p)
}
