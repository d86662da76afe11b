package transformer

import (
	"bytes"
	"errors"
	"runtime"
	"testing"

	"modebench/internal/input"
	"modebench/internal/loss"
	"modebench/policies"
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
	shape := newShape(&small, w.encoding)
	need := shape.bytes(&small, w.encoding, false)
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
	before := held()
	p, err := New(t.Context(), config, smallOptimizer(), w.encoding)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Pretrain(t.Context(), w.demonstration, nil); err != nil {
		t.Fatal(err)
	}
	took, said := held()-before, p.shape.bytes(&config, w.encoding, false)
	if took < said*9/10 || took > said*13/10 {
		t.Errorf("%d parameters take %d bytes, said to be %d", p.Parameters(), took, said)
	}
	if most, _ := (*Device)(nil).Bytes(Config{Layers: 64, Width: 4096, Heads: 64}, w.encoding, Work{}); most < 300e9 {
		t.Errorf("the largest configuration takes %d bytes", most)
	}
	runtime.KeepAlive(p)
}

func held() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestBytesOfWork: the memory of a policy that is pre-trained, trained and saved is at the end no
// more than Bytes, and not far below if its rollouts are long.
func TestBytesOfWork(t *testing.T) {
	w := mazes(t)
	for _, c := range []struct {
		config Config
		work   Work
	}{
		{Config{Layers: 2, Width: 256, Heads: 4, Steps: 1, Batch: 8}, Work{Prompts: 8, Rollouts: 8}},
		{Config{Layers: 4, Width: 128, Heads: 4, Steps: 1, Batch: 64}, Work{Prompts: 16, Rollouts: 8}},
		{Config{Layers: 1, Width: 512, Heads: 8, Steps: 1, Batch: 4}, Work{Prompts: 2, Rollouts: 2}},
	} {
		before := held()
		p, err := New(t.Context(), c.config, smallOptimizer(), w.encoding)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Pretrain(t.Context(), w.demonstration, nil); err != nil {
			t.Fatal(err)
		}
		groups, err := p.Sample(w.tasks(t, c.work.Prompts), c.work.Rollouts, policies.SampleOptions{Temperature: 1, TopP: 1})
		if err != nil {
			t.Fatal(err)
		}
		advantages := make([][]float64, len(groups))
		for g := range advantages {
			advantages[g] = make([]float64, c.work.Rollouts)
		}
		batch := policies.Batch{Groups: groups, Advantages: advantages, Temperature: 1, Loss: func(*loss.Tokens) error { return nil }}
		if _, err := p.Update(batch); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := p.Save(&file); err != nil {
			t.Fatal(err)
		}
		point := bytes.Clone(file.Bytes())
		// The payload of the file is garbage by now.
		took := held() - before + uint64(12*p.shape.size)
		said, what := (*Device)(nil).Bytes(c.config, w.encoding, c.work)
		if took > said || said > 2*took {
			t.Errorf("%s takes %d bytes, said to be %d", what, took, said)
		}
		runtime.KeepAlive(p)
		runtime.KeepAlive(&file)
		runtime.KeepAlive(point)
	}
}
