package transformer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/policies"
	"modebench/policies/internal/sealed"
)

func baseOf(t testing.TB, p *Policy) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.SaveBase(&b, "mazes"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDamagedCheckpoints: of any damaged file the policy names the fault
// and stays as it was.
func TestDamagedCheckpoints(t *testing.T) {
	w := mazes(t)
	p := w.small(t, "")
	learn(t, p, w.tasks(t, 2), 0, 1, p.Freeze())
	saved, base := bytesOf(t, p), baseOf(t, p)
	wider := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Width, c.Steps = 64, 0 })
	masked := w.small(t, "", func(c *Config, _ *policies.Optimizer) { c.Mask, c.Steps = true, 0 })
	faster := w.small(t, "", func(c *Config, o *policies.Optimizer) { o.LR, c.Steps = 0.5, 0 })
	flip := func(data []byte, at int) []byte {
		out := bytes.Clone(data)
		out[at] ^= 4
		return out
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		reason string
		data   []byte
		want   string
	}{
		{"nothing", nil, "not a checkpoint of a transformer of this version"},
		{"another kind of file", []byte("modebench tabular checkpoint 1\n"), "not a checkpoint of a transformer"},
		{"a base policy holds no optimiser", base, "not a checkpoint of a transformer"},
		{"cut off within the checksum", saved[:len(checkpointHeader)+10], "damaged"},
		{"cut off within the parameters", saved[:len(saved)/2], "damaged"},
		{"a byte short", saved[:len(saved)-1], "damaged"},
		{"a byte too many", append(bytes.Clone(saved), 0), "damaged"},
		{"a bit of the checksum", flip(saved, len(checkpointHeader)+3), "damaged"},
		{"a bit of the parameters", flip(saved, len(saved)-1-r.IntN(len(saved)/2)), "damaged"},
		{"another width", bytesOf(t, wider), "other settings: {Version:1 Layers:2 Width:64"},
		{"another way to draw", bytesOf(t, masked), "Mask:true"},
		{"another learning rate", bytesOf(t, faster), "LR:0.5"},
	} {
		if err := p.Load(bytes.NewReader(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.want)
		}
		if !bytes.Equal(bytesOf(t, p), saved) {
			t.Fatalf("%s: the policy is not what it was", c.reason)
		}
	}
	for _, c := range []struct {
		reason string
		data   []byte
		want   string
	}{
		{"a checkpoint is more than a base policy", saved, "not a base policy of a transformer"},
		{"cut off", base[:len(base)-4], "damaged"},
		{"a bit", flip(base, len(base)-9), "damaged"},
		{"another width", baseOf(t, wider), "other settings"},
	} {
		if err := p.LoadBase(bytes.NewReader(c.data), "mazes"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("base, %s: error %v, want one that says %q", c.reason, err, c.want)
		}
		if !bytes.Equal(bytesOf(t, p), saved) {
			t.Fatalf("base, %s: the policy is not what it was", c.reason)
		}
	}
	if err := p.LoadBase(bytes.NewReader(base), "other mazes"); err == nil || !strings.Contains(err.Error(), "it is the base policy of something else") {
		t.Errorf("another identity: error %v", err)
	}
	if err := p.Load(broken{}); !errors.Is(err, errBroken) {
		t.Errorf("a reader that fails: %v", err)
	}
	if err := p.Save(broken{}); !errors.Is(err, errBroken) {
		t.Errorf("a full disk: %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errBroken }
func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestBaseBits pins a base policy: base policies are kept from run to run, and only
// Version: the program would make another policy today.
func TestBaseBits(t *testing.T) {
	const want = "3c6c8b33d5a74720c70ddc2f70d522f3c5ab5ffa46817e316f41eb86ba71124b"
	sum := sha256.Sum256(baseOf(t, mazes(t).small(t, "")))
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("the base policy hashes to %s, pinned is %s: bump Version, then pin the new one", got, want)
	}
}

// TestBase: a base policy is the parameters without the optimiser's state, and
// policies with other optimisers begin from it.
func TestBase(t *testing.T) {
	w := mazes(t)
	p := w.small(t, "")
	base := baseOf(t, p)
	other := func(c *Config, o *policies.Optimizer) { o.LR, c.Steps = 0.5, 0 }
	q := w.small(t, "", other)
	tasks := w.tasks(t, 2)
	learn(t, q, tasks, 0, 2, q.Freeze())
	if err := q.LoadBase(bytes.NewReader(base), "mazes"); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(baseOf(t, q), base) {
		t.Error("the base policy is not the one that was loaded")
	}
	// Its optimiser begins anew: it does what a new policy's would.
	fresh := w.small(t, "", other)
	if err := fresh.LoadBase(bytes.NewReader(base), "mazes"); err != nil {
		t.Fatal(err)
	}
	learn(t, q, tasks, 0, 2, q.Freeze())
	learn(t, fresh, tasks, 0, 2, fresh.Freeze())
	if !bytes.Equal(bytesOf(t, q), bytesOf(t, fresh)) {
		t.Error("what the optimiser knew before is still there")
	}
}

// FuzzLoad: no input makes a policy panic or is taken for one.
func FuzzLoad(f *testing.F) {
	w := mazes(f)
	p := w.small(f, "reference", func(c *Config, _ *policies.Optimizer) { c.Steps = 0 })
	saved := bytesOf(f, p)
	f.Add(saved[:200])
	f.Add([]byte(checkpointHeader))
	f.Add([]byte(baseHeader))
	f.Add(append(appendText(appendText(nil, "mazes"), p.settings()), 1, 2, 3, 4)) // a payload that begins well
	f.Add(append(appendText(nil, p.allSettings()), make([]byte, 40)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p.Load(bytes.NewReader(data)) == nil || p.LoadBase(bytes.NewReader(data), "mazes") == nil {
			t.Fatal("a file that nobody wrote was accepted")
		}
		// Behind a checksum that holds, so that the rest is read too.
		for _, header := range []string{checkpointHeader, baseHeader} {
			var b bytes.Buffer
			if err := sealed.Write(&b, header, data); err != nil {
				t.Fatal(err)
			}
			sealed := b.Bytes()
			if p.Load(bytes.NewReader(sealed)) == nil || p.LoadBase(bytes.NewReader(sealed), "mazes") == nil {
				t.Fatal("a payload that nobody wrote was accepted")
			}
		}
	})
}
