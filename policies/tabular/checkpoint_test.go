package tabular_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"modebench/envs"
	"modebench/internal/loss"
	"modebench/policies"
	"modebench/policies/tabular"
)

func load(t testing.TB, p *tabular.Policy, checkpoint []byte) {
	t.Helper()
	if err := p.Load(bytes.NewReader(checkpoint)); err != nil {
		t.Fatal(err)
	}
}

// TestResume: a run of 100 steps and a run that stops after 50, is written down
// and goes on elsewhere end with the same bytes.
func TestResume(t *testing.T) {
	problems := []envs.Task{&priored{grammar: branching("one", 0)}, branching("two", 3)}
	for _, c := range []struct {
		reason string
		opt    policies.Optimizer
	}{
		{"adam, whose moments and step counts matter", policies.DefaultOptimizer()},
		{"plain gradient descent", sgd(0.5)},
	} {
		for _, sharing := range []string{"problem", "shared"} {
			fresh := func() *tabular.Policy {
				return tabular.New(tabular.Config{Sharing: sharing, Smoothing: 0.3}, c.opt)
			}
			whole := fresh()
			train(t, whole, problems, 0, 50)
			half := save(t, whole)
			train(t, whole, problems, 50, 50)
			want := save(t, whole)
			used := fresh()
			train(t, used, problems, 1000, 7)
			for where, p := range map[string]*tabular.Policy{
				"a fresh policy": fresh(), "one that trained on something else": used, "the policy itself": whole,
			} {
				load(t, p, half)
				if !bytes.Equal(save(t, p), half) {
					t.Errorf("%s, %s, into %s: saving what was loaded gives other bytes", c.reason, sharing, where)
				}
				train(t, p, problems, 50, 50)
				if !bytes.Equal(save(t, p), want) {
					t.Errorf("%s, %s, into %s: the resumed run ends elsewhere", c.reason, sharing, where)
				}
			}
		}
	}
}

// TestLoadBetweenSampleAndUpdate: rollouts drawn before Load train the loaded
// parameters.
func TestLoadBetweenSampleAndUpdate(t *testing.T) {
	g := &priored{grammar: branching("one", 0)}
	p, _ := grown(t, "problem", g)
	checkpoint := save(t, p)
	finish := func(groups []policies.Group) []byte {
		load(t, p, checkpoint)
		_, err := p.Update(policies.Batch{
			Groups: groups, Advantages: advantages(groups, plain(1).Key), Loss: reinforce, Temperature: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		return save(t, p)
	}
	want := finish(keep(sample(t, p, []envs.Task{g}, 5, plain(1))))
	load(t, p, checkpoint)
	if got := finish(sample(t, p, []envs.Task{g}, 5, plain(1))); !bytes.Equal(got, want) {
		t.Error("an update after Load, of rollouts drawn before, ended elsewhere than with a copy of them")
	}
}

// small is a policy with few bytes and no zeros among its numbers.
func small(t testing.TB) *tabular.Policy {
	g := &priored{grammar: loop("l")}
	p := tabular.New(*tabular.Default(), policies.DefaultOptimizer())
	b := policies.Batch{
		Groups: []policies.Group{written(g, []envs.Token{8, 7})}, Advantages: [][]float64{{1}}, Temperature: 1,
		Loss: func(l *loss.Tokens) error {
			l.DLogp[0], l.DLogp[1] = -1, -0.5
			return nil
		},
	}
	for range 3 {
		if _, err := p.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// smallChain is the same of a chain, so with parameters of contexts.
func smallChain(t testing.TB) *tabular.Policy {
	two := chain(t, &priored{grammar: loop("l")}, 2, envs.ChainOptions{})
	p := tabular.New(*tabular.Default(), policies.DefaultOptimizer())
	for range 3 {
		push(t, p, two, []envs.Token{8, 7, 7}, 3)
	}
	return p
}

// TestDamage: every single flipped bit and every lost or added tail is noticed,
// and the policy stays as it was.
func TestDamage(t *testing.T) {
	t.Run("a problem", func(t *testing.T) { testDamage(t, small(t)) })
	t.Run("a chain", func(t *testing.T) { testDamage(t, smallChain(t)) })
}

func testDamage(t *testing.T, p *tabular.Policy) {
	good := save(t, p)
	refuse := func(what string, at int, damaged []byte) {
		if err := p.Load(bytes.NewReader(damaged)); err == nil {
			t.Errorf("%s %d of %d: no error", what, at, len(good))
		}
		if !bytes.Equal(save(t, p), good) {
			t.Fatalf("%s %d of %d: the policy changed", what, at, len(good))
		}
	}
	for bit := range 8 * len(good) {
		damaged := slices.Clone(good)
		damaged[bit/8] ^= 1 << (bit % 8)
		refuse("flipped bit", bit, damaged)
	}
	for n := range good {
		refuse("truncated to byte", n, good[:n])
	}
	refuse("with one byte more,", len(good)+1, append(slices.Clone(good), 0))
	refuse("twice over,", 2*len(good), append(slices.Clone(good), good...))
	err := p.Load(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(good))))
	if !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("a reader that fails: got error %v, want its own", err)
	}
}

// TestSaveSaysWhenItFails: a full disk is an error.
func TestSaveSaysWhenItFails(t *testing.T) {
	p := small(t)
	size := len(save(t, p))
	for n := range size {
		if err := p.Save(&fullDisk{room: n}); err == nil {
			t.Fatalf("no error with room for %d of %d bytes", n, size)
		}
	}
	if err := p.Save(&fullDisk{room: size}); err != nil {
		t.Errorf("with room for all: %v", err)
	}
}

type fullDisk struct{ room int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) > d.room {
		return 0, errors.New("no space left on device")
	}
	d.room -= len(b)
	return len(b), nil
}

func TestLoadRefusesOtherSettings(t *testing.T) {
	good := save(t, small(t))
	adam := policies.DefaultOptimizer()
	other := func(change func(*policies.Optimizer)) policies.Optimizer {
		o := adam
		change(&o)
		return o
	}
	for _, c := range []struct {
		reason string
		config tabular.Config
		opt    policies.Optimizer
	}{
		{"another sharing", tabular.Config{Sharing: "shared", Smoothing: 0.3}, adam},
		{"another context", tabular.Config{Sharing: "problem", Context: "blind", Smoothing: 0.3}, adam},
		{"contexts by what was found", tabular.Config{Sharing: "problem", Context: "found", Smoothing: 0.3}, adam},
		{"other demonstrations", tabular.Config{Sharing: "problem", Demonstrations: 1, Smoothing: 0.3}, adam},
		{"another smoothing, by one bit", tabular.Config{Sharing: "problem", Smoothing: math.Nextafter(0.3, 1)}, adam},
		{"another optimiser", *tabular.Default(), other(func(o *policies.Optimizer) { o.Name = "sgd" })},
		{"another rate", *tabular.Default(), other(func(o *policies.Optimizer) { o.LR = 0.2 })},
		{"another first decay", *tabular.Default(), other(func(o *policies.Optimizer) { o.Beta1 = 0 })},
		{"another second decay", *tabular.Default(), other(func(o *policies.Optimizer) { o.Beta2 = 0.99 })},
		{"another epsilon", *tabular.Default(), other(func(o *policies.Optimizer) { o.AdamEps = 0 })},
	} {
		p := tabular.New(c.config, c.opt)
		before := save(t, p)
		err := p.Load(bytes.NewReader(good))
		if err == nil {
			t.Errorf("%s: no error", c.reason)
			continue
		}
		wantError(t, err, "settings")
		if !bytes.Equal(save(t, p), before) {
			t.Errorf("%s: the policy changed", c.reason)
		}
	}
	load(t, tabular.New(*tabular.Default(), adam), good)
}

func TestLoadRefusesOtherFiles(t *testing.T) {
	good := save(t, small(t))
	for _, c := range []struct {
		reason string
		data   []byte
	}{
		{"nothing", nil},
		{"a text", []byte("step,loss\n1,2\n")},
		{"both headers", append([]byte("modebench tabular checkpoint 2\n"), good...)},
		{"another version", bytes.Replace(good, []byte("checkpoint 1\n"), []byte("checkpoint 3\n"), 1)},
		{"a line before the header", append([]byte("\n"), good...)},
	} {
		words := "not a checkpoint"
		if c.reason == "both headers" {
			words = "damaged"
		}
		wantError(t, small(t).Load(bytes.NewReader(c.data)), words)
	}
}

// A file is a checkpoint in parts, to forge ones whose checksum is right.
type file struct {
	header, settings []byte
	count            uint64
	rows             [][]byte
}

func word(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// forgedRow is a row that claims n entries and holds some numbers.
func forgedRow(key string, n uint64, numbers int) []byte {
	out := slices.Concat(word(uint64(len(key))), []byte(key), word(n))
	for i := range numbers {
		out = append(out, word(math.Float64bits(0.5+float64(i)))...)
	}
	return out
}

func parts(t testing.TB, checkpoint []byte) file {
	header, body := payload(t, checkpoint)
	n := 8 + int(binary.LittleEndian.Uint64(body))
	return file{header: header, settings: body[:n]}
}

func (f file) bytes() []byte {
	return seal(f.header, slices.Concat(f.settings, word(f.count), bytes.Join(f.rows, nil)))
}

func seal(header, body []byte) []byte {
	sum := sha256.Sum256(body)
	return slices.Concat(header, sum[:], body)
}

// TestForged: a right checksum does not make a file right.
func TestForged(t *testing.T) {
	a, b := forgedRow("a", 2, 8), forgedRow("b", 1, 5)
	for _, c := range []struct {
		reason string
		count  uint64
		rows   [][]byte
		ok     bool
	}{
		{"no rows", 0, nil, true},
		{"two rows in order", 2, [][]byte{a, b}, true},
		{"rows out of order, which Save never writes", 2, [][]byte{b, a}, false},
		{"a row twice: which one counts?", 2, [][]byte{a, a}, false},
		{"fewer rows than claimed", 3, [][]byte{a, b}, false},
		{"more rows than claimed", 1, [][]byte{a, b}, false},
		{"a row cut short", 1, [][]byte{forgedRow("a", 2, 7)}, false},
		{"a row without entries: every state has a token", 1, [][]byte{forgedRow("a", 0, 2)}, false},
		{"a count beyond any file", math.MaxUint64, nil, false},
		{"many rows claimed, none there", 1 << 24, nil, false},
		{"a row beyond any file", 1, [][]byte{forgedRow("a", math.MaxUint64, 8)}, false},
		{"a row of 2^24 entries, none there", 1, [][]byte{forgedRow("a", 1<<24, 8)}, false},
		{"a key longer than the file", 1, [][]byte{word(1 << 20)}, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			p := small(t)
			before := save(t, p)
			f := parts(t, before)
			f.count, f.rows = c.count, c.rows
			data := f.bytes()
			allocated, err := loadMeasured(p, data)
			if limit := uint64(1<<20 + 50*len(data)); allocated > limit {
				t.Errorf("a file of %d bytes made Load allocate %d", len(data), allocated)
			}
			want := before
			if c.ok {
				want = data
			}
			if (err == nil) != c.ok {
				t.Errorf("got error %v, want accepted %v", err, c.ok)
			} else if !bytes.Equal(save(t, p), want) {
				t.Error("accepted, and saved as other bytes; or refused, and changed")
			}
		})
	}
}

func loadMeasured(p *tabular.Policy, data []byte) (allocated uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = p.Load(bytes.NewReader(data))
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// FuzzLoad feeds Load files whose checksum and settings are right and whose
// rows are anything: no panic; accepted files are saved as the same bytes, and
// refused files change nothing.
func FuzzLoad(f *testing.F) {
	good := save(f, small(f))
	base := parts(f, good)
	_, body := payload(f, good)
	f.Add(body[len(base.settings):], true)
	f.Add(slices.Concat(word(2), forgedRow("a", 2, 8), forgedRow("b", 1, 5)), true)
	f.Add(slices.Concat(word(1), forgedRow("a", 1<<24, 8)), true)
	f.Add(good, false)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			data = seal(base.header, slices.Concat(base.settings, data))
		}
		p := small(t)
		want := good
		if p.Load(bytes.NewReader(data)) == nil {
			want = data
		}
		if !bytes.Equal(save(t, p), want) {
			t.Error("accepted, and saved as other bytes; or refused, and changed")
		}
	})
}
