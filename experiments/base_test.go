package experiments

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"modebench/envs"
)

// TestDamagedBase: a base policy that is not what it was is an error that names the
// file and what to do, and not a policy.
func TestDamagedBase(t *testing.T) {
	spec, cache := tinyMazes(t), t.TempDir()
	run := func() error {
		_, err := spec.Run(context.Background(), Options{Out: t.TempDir(), Jobs: 1, Cache: cache})
		return err
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	file := baseFile(t, cache)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if name := filepath.Base(file); !strings.HasPrefix(name, "maze-m1-") || !strings.HasSuffix(name, ".base") {
		t.Errorf("the file is named %s", name)
	}
	// The base policy of another seed, under this one's name.
	elsewhere := t.TempDir()
	if _, err := tinyMazes(t, "pretrain_seed = 1").Run(context.Background(), Options{Out: t.TempDir(), Jobs: 1, Cache: elsewhere}); err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(baseFile(t, elsewhere))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 4
	for _, c := range []struct {
		reason string
		data   []byte
	}{{"a flipped bit", flipped}, {"cut off", whole[:len(whole)-5]}, {"empty", nil}, {"something else", []byte("hello")}, {"the base policy of another seed", foreign}} {
		if err := os.WriteFile(file, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		err := run()
		if err == nil || !strings.Contains(err.Error(), "base policy "+file+": ") || !strings.Contains(err.Error(), "delete the file") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", c.reason, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("made again it is another one (%v)", err)
	}
}

// TestCacheFolder: where base policies cannot be kept is said before any is trained,
// the variable names a folder, and a cancelled pre-training leaves nothing there.
func TestCacheFolder(t *testing.T) {
	spec, dir := tinyMazes(t), t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	trained := false
	_, err := spec.Run(context.Background(), Options{
		Out: t.TempDir(), Jobs: 1, Cache: filepath.Join(file, "below"), Pretraining: func(Pretraining) { trained = true },
	})
	if err == nil || trained || !strings.Contains(err.Error(), "--cache or MODEBENCH_CACHE") {
		t.Errorf("a cache below a file: %v, trained: %v", err, trained)
	}
	if runtime.GOOS == "linux" { // a folder that is there and takes no files, of anybody
		_, err := spec.Run(context.Background(), Options{Out: t.TempDir(), Jobs: 1, Cache: "/proc", Pretraining: func(Pretraining) { trained = true }})
		if err == nil || trained || !strings.Contains(err.Error(), "--cache or MODEBENCH_CACHE") {
			t.Errorf("a cache that takes no files: %v, trained: %v", err, trained)
		}
	}
	cache := filepath.Join(dir, "of", "variable")
	t.Setenv(CacheVariable, cache)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = tinyMazes(t, "pretrain_steps = 200").Run(ctx, Options{Out: t.TempDir(), Jobs: 1, Pretraining: func(Pretraining) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(cache, "*")); len(files) > 0 {
		t.Errorf("a cancelled run left %v", files)
	}
	if _, err := spec.Run(context.Background(), Options{Out: t.TempDir(), Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	baseFile(t, cache)
}

// TestBaseFailsOnce: a base policy that cannot be made is not tried again by every
// cell.
func TestBaseFailsOnce(t *testing.T) {
	spec, begun := tinyMazes(t, "pretrain_lr = 1e30", "pretrain_steps = 20"), 0
	spec.Seeds = 3
	_, err := spec.Run(context.Background(), Options{Out: t.TempDir(), Jobs: 1, Cache: t.TempDir(), Pretraining: func(p Pretraining) {
		if p.Step == 1 {
			begun++
		}
	}})
	if err == nil || !strings.Contains(err.Error(), "pretrain_lr") {
		t.Errorf("a rate that diverges: error %v, want one that names pretrain_lr", err)
	}
	if begun != 1 {
		t.Errorf("pre-training began %d times, want once", begun)
	}
}

// TestBasesAreContentAddressed: what can change a base policy changes the name of its
// file, and what cannot, does not, so that methods and seeds share one.
func TestBasesAreContentAddressed(t *testing.T) {
	const text = "[env]\nname = \"countdown\"\n" + tinyPolicy + "[[method]]\nname = \"grpo\"\n"
	more := 0 // features that the encoding has beyond the environment's
	name := func(text string) string {
		t.Helper()
		spec, err := Parse("my.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, at := spec.Variants[0].build()
		if at != nil {
			t.Fatal(at.err)
		}
		encoding, err := envs.NewEncoding(p.env, p.form())
		if err != nil {
			t.Fatal(err)
		}
		encoding.Features += more
		b := base{config: p.policy.(*transformerPolicy).Config, parts: p, encoding: encoding}
		file, _, err := b.fileName()
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	same := name(text)
	for _, c := range []struct {
		reason, old, new string
		equal            bool
	}{
		{"another method", `"grpo"`, `"poly-epo"`, true},
		{"another rate of training", `[[method]]`, "[train]\nlr = 1\n[[method]]", true},
		{"another evaluation", `[[method]]`, "[eval]\nsplit = \"ood\"\n[[method]]", true},
		{"chains", `"grpo"`, `"vpo"`, false},
		{"chains that stop", `"grpo"`, "\"vpo\"\ntrain = { stops = true }", false},
		{"goals", `"grpo"`, `"goal-conditioned"`, false},
		{"another environment", `"countdown"`, "\"countdown\"\nmax_number = 20", false},
		{"a longer pre-training", "pretrain_steps = 3", "pretrain_steps = 4", false},
		{"another seed of it", "pretrain_steps = 3", "pretrain_steps = 3\npretrain_seed = 1", false},
		{"another network", "layers = 1", "layers = 2", false},
		{"a wider one", "width = 32", "width = 64", false},
		{"other heads", "heads = 2", "heads = 4", false},
		{"a larger batch", "pretrain_batch = 4", "pretrain_batch = 5", false},
		{"another rate of pre-training", "pretrain_steps = 3", "pretrain_steps = 3\npretrain_lr = 0.5", false},
		{"legal tokens alone", "pretrain_steps = 3", "pretrain_steps = 3\nlegal_mask = true", false},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s: the spec has no %q to change", c.reason, c.old)
		}
		if got := name(strings.Replace(text, c.old, c.new, 1)); (got == same) != c.equal {
			t.Errorf("%s: %s and %s", c.reason, same, got)
		}
	}
	if more = 1; name(text) == same {
		t.Error("another encoding has the same name")
	}
}
