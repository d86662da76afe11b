package transformer

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
	"modebench/policies"
	"modebench/policies/internal/device/cpu"
	"modebench/policies/internal/device/cuda"
	"modebench/policies/internal/device/cuda/cudatest"
)

func TestMain(m *testing.M) { cudatest.Main(m) }

// least is a shape of which the substitute driver does a step in a
// moment, so that what is written for a card is run everywhere.
var least = workload{"tiny", Config{Layers: 2, Width: 32, Heads: 2}, 5, 3, 6, 4, 2, 3, 4, 2, 20}

// blanks are the problems of a workload, and its demonstrations: of as many tokens as it
// is trained on, each any.
func (w workload) blanks(t testing.TB) (*blank, *envs.Encoding, func(i uint64) (Demonstration, error)) {
	t.Helper()
	env := &blank{workload: w, length: w.rollout}
	encoding, err := envs.NewEncoding(env, envs.Form{Answers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return env, encoding, func(i uint64) (Demonstration, error) {
		r := rng.New(4).Int(i).Rand()
		tokens := make([]envs.Token, w.rollout)
		for k := range tokens {
			tokens[k] = envs.Token(r.IntN(w.vocabulary))
		}
		return Demonstration{env.problem(int(i % 1000)), tokens}, nil
	}
}

// TestCardLongRun is TestCardEqualsProcessor over runs that are long enough for a
// difference to spread, of models as large as those that are timed: pre-training, then
// learning by the policy's own rollouts, each for a number of steps. All losses, what is
// drawn at last, and the checkpoints' bytes are the processor's.
func TestCardLongRun(t *testing.T) {
	for _, c := range []struct {
		name   string
		of     workload // unless it is a maze
		config Config
		steps  int
		card   bool
	}{
		{name: "tiny", of: least, config: least.config, steps: 2},
		{name: "S", of: workloads[0], config: workloads[0].config, steps: 50, card: true},
		{name: "M", of: workloads[1], config: workloads[1].config, steps: 50, card: true}, // the large tiles
		// As an experiment on mazes has it by default.
		{name: "maze", config: Config{Layers: 2, Width: 32, Heads: 2}, steps: 50, card: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.card {
				cudatest.NeedCard(t)
			}
			var encoding *envs.Encoding
			var demonstration func(i uint64) (Demonstration, error)
			var tasks []envs.Task
			if c.of.name == "" {
				w := mazes(t)
				encoding, demonstration, tasks = w.encoding, w.demonstration, w.tasks(t, 8)
			} else {
				var env *blank
				env, encoding, demonstration = c.of.blanks(t)
				for i := range c.of.problems {
					tasks = append(tasks, env.problem(i))
				}
			}
			batch := 64
			if c.of.batch > 0 {
				batch = c.of.batch
			}
			kernels, err := cpu.New("")
			if err != nil {
				t.Fatal(err)
			}
			type result struct {
				based, learned []byte
				losses         []float64 // of pre-training
				updates        []float64
				drawn          []policies.Rollout
			}
			run := func(card *cuda.Device) (out result) {
				config := c.config
				config.Steps, config.Batch, config.LR = c.steps, batch, 4e-3
				opt := policies.DefaultOptimizer()
				opt.LR, opt.WeightDecay, opt.ClipNorm = 1e-3, 0.01, 1
				p, err := newOn(t.Context(), kernels, on(card), config, opt, encoding)
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := p.Close(); err != nil {
						t.Error(err)
					}
				}()
				note := func(_ int, loss float64) { out.losses = append(out.losses, loss) }
				if err := p.Pretrain(context.Background(), demonstration, note); err != nil {
					t.Fatal(err)
				}
				out.based = bytesOf(t, p)
				out.updates = learn(t, p, tasks, 0, c.steps, p.Freeze())
				out.learned = bytesOf(t, p)
				for _, opt := range []policies.SampleOptions{
					{Temperature: 1, TopP: 1, Key: rng.New(8)}, {Temperature: 0.8, TopP: 0.9, Key: rng.New(9)}, {Greedy: true},
				} {
					n := 8
					if opt.Greedy {
						n = 1
					}
					for _, group := range sample(t, p, tasks, n, opt) {
						for _, r := range group.Rollouts {
							r.Tokens, r.Logp, r.Entropy, r.Sampler = slices.Clone(r.Tokens), slices.Clone(r.Logp), slices.Clone(r.Entropy), slices.Clone(r.Sampler)
							out.drawn = append(out.drawn, r)
						}
					}
				}
				return out
			}
			card := openCard(t)
			if err := card.Direct(false); err != nil { // memory is used again, as users have it
				t.Fatal(err)
			}
			want, got := run(nil), run(card)
			if i, same := differ(got.losses, want.losses); !same {
				t.Errorf("pre-training: the losses part at step %d of %d", i+1, c.steps)
			}
			if !bytes.Equal(got.based, want.based) {
				t.Error("another base policy")
			}
			if i, same := differ(got.updates, want.updates); !same {
				t.Errorf("learning: losses, norms and divergences part at step %d of %d", i/3+1, c.steps)
			}
			if !bytes.Equal(got.learned, want.learned) {
				t.Error("another policy was learned")
			}
			if len(got.drawn) != len(want.drawn) {
				t.Fatalf("%d rollouts, want %d", len(got.drawn), len(want.drawn))
			}
			for i, r := range want.drawn {
				other := got.drawn[i]
				if !slices.Equal(r.Tokens, other.Tokens) || !slices.Equal(r.Logp, other.Logp) || !slices.Equal(r.Entropy, other.Entropy) {
					t.Fatalf("rollout %d: %v, want %v", i, other, r)
				}
			}
			t.Logf("%s: %d steps of pre-training and %d of learning, %d bytes of checkpoint, %d rollouts: those of the processor",
				card.Name(), c.steps, c.steps, len(want.learned), len(want.drawn))
		})
	}
}

// differ names the first number that differs, bit for bit.
func differ(got, want []float64) (int, bool) {
	for i := range want {
		if i >= len(got) || math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			return i, false
		}
	}
	return 0, len(got) == len(want)
}

// BenchmarkCardTrain is BenchmarkTrain on a card; testdata/benchmark.py times PyTorch
// on the same. Without a card only the tiny shape runs, to see that it does.
func BenchmarkCardTrain(b *testing.B) {
	onShapes(b, func(b *testing.B, w workload, card *cuda.Device) {
		_, encoding, demonstration := w.blanks(b)
		p := w.onCard(b, card, encoding)
		p.opt = pretraining
		var batch []work
		for i := range w.batch {
			d, err := demonstration(uint64(i))
			if err != nil {
				b.Fatal(err)
			}
			batch = append(batch, work{task: d.Task, group: i, tokens: d.Tokens})
		}
		timeEach(b, func() {
			if _, err := p.imitate(b.Context(), batch, 1e-3); err != nil {
				b.Fatal(err)
			}
			if err := card.Synchronize(); err != nil { // the step of the optimiser is under way
				b.Fatal(err)
			}
		})
		perSecond(b, w.batch*w.rollout)
	})
}

// BenchmarkCardSample is BenchmarkSample on a card.
func BenchmarkCardSample(b *testing.B) {
	onShapes(b, func(b *testing.B, w workload, card *cuda.Device) {
		w.rollout = w.sampled
		env, encoding, _ := w.blanks(b)
		p := w.onCard(b, card, encoding)
		w.sampling(b, p, env)
		perSecond(b, w.batch*w.sampled)
	})
}

// onShapes runs a benchmark on a card with its pool of memory, as users have it.
func onShapes(b *testing.B, benchmark func(b *testing.B, w workload, card *cuda.Device)) {
	for _, w := range append([]workload{least}, workloads...) {
		b.Run(w.name, func(b *testing.B) {
			if w.name != least.name {
				cudatest.NeedCard(b)
			}
			card := openCard(b)
			if err := card.Direct(false); err != nil {
				b.Fatal(err)
			}
			benchmark(b, w, card)
		})
	}
}

// onCard makes a policy of the workload's size.
func (w workload) onCard(b *testing.B, card *cuda.Device, encoding *envs.Encoding) *Policy {
	b.Helper()
	p, err := newOn(b.Context(), nil, on(card), w.config, policies.DefaultOptimizer(), encoding)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() })
	return p
}

// perSecond reports the tokens that a call trains on or draws, over the mean time.
func perSecond(b *testing.B, tokens int) {
	if seconds := b.Elapsed().Seconds(); seconds > 0 {
		b.ReportMetric(float64(tokens)*float64(b.N)/seconds, "tokens/s")
	}
}

// BenchmarkCardCopy times a copy within a card's memory, whose bandwidth is one bound
// on its copies: each byte is read and written.
func BenchmarkCardCopy(b *testing.B) {
	bytes := 1 << 20
	if cudatest.Card(b) {
		bytes = 512 << 20
	}
	card := openCard(b)
	from, err := card.Alloc(bytes)
	if err != nil {
		b.Fatal(err)
	}
	to, err := card.Alloc(bytes)
	if err != nil {
		b.Fatal(err)
	}
	if err := card.Clear(from, bytes); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(2 * bytes))
	timeEach(b, func() {
		if err := card.Copy(to, from, bytes); err != nil {
			b.Fatal(err)
		}
		if err := card.Synchronize(); err != nil {
			b.Fatal(err)
		}
	})
}
