package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/train"
	"modebench/internal/input"
)

// TestDamagedBase: a changed base policy is an error that names the file and the cure, and not a
// policy.
func TestDamagedBase(t *testing.T) {
	spec, cache := exptest.TinyMazes(t), t.TempDir()
	run := func() error {
		_, err := Run(context.Background(), spec, Options{Out: t.TempDir(), Jobs: 1, Cache: cache})
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
	if _, err := Run(context.Background(), exptest.TinyMazes(t, "pretrain_seed = 1"), Options{Out: t.TempDir(), Jobs: 1, Cache: elsewhere}); err != nil {
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
		if bad := (*input.Error)(nil); !errors.As(err, &bad) {
			t.Errorf("%s is not an error of what was handed in: %v", c.reason, err)
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

// TestCacheFolder: a folder that takes no files is reported before any policy is trained,
// the variable names a folder, and a cancelled pre-training leaves nothing there.
func TestCacheFolder(t *testing.T) {
	spec, dir := exptest.TinyMazes(t), t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	trained := false
	_, err := Run(context.Background(), spec, Options{
		Out: t.TempDir(), Jobs: 1, Cache: filepath.Join(file, "below"), Pretraining: func(train.Pretraining) { trained = true },
	})
	if err == nil || trained || !strings.Contains(err.Error(), "--cache or MODEBENCH_CACHE") {
		t.Errorf("a cache below a file: %v, trained: %v", err, trained)
	}
	if runtime.GOOS == "linux" { // a folder that is there and takes no files, of anybody
		_, err := Run(context.Background(), spec, Options{Out: t.TempDir(), Jobs: 1, Cache: "/proc", Pretraining: func(train.Pretraining) { trained = true }})
		if err == nil || trained || !strings.Contains(err.Error(), "--cache or MODEBENCH_CACHE") {
			t.Errorf("a cache that takes no files: %v, trained: %v", err, trained)
		}
	}
	cache := filepath.Join(dir, "of", "variable")
	t.Setenv(train.CacheVariable, cache)
	ctx, cancel := context.WithCancel(context.Background())
	_, err = Run(ctx, exptest.TinyMazes(t, "pretrain_steps = 200"), Options{Out: t.TempDir(), Jobs: 1, Pretraining: func(train.Pretraining) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(cache, "*")); len(files) > 0 {
		t.Errorf("a cancelled run left %v", files)
	}
	if _, err := Run(context.Background(), spec, Options{Out: t.TempDir(), Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	baseFile(t, cache)
}

// TestLeftoversInTheCache: making a base policy removes old files of killed runs from the folder.
// Files of runs under way stay, and so do those of other programs.
func TestLeftoversInTheCache(t *testing.T) {
	cache := t.TempDir()
	var want []string
	for _, c := range []struct {
		reason, name string
		folder       bool
		hours        time.Duration // since it was touched
		stays        bool
	}{
		{"killed while it wrote, long ago", ".partial-123", false, 25, false},
		{"being written", ".partial-124", false, 23, true},
		{"a probe of a killed run", ".probe-123", true, 25, false},
		{"a probe of a run that begins", ".probe-124", true, 23, true},
		{"a file of another program", ".partial-movie", false, 25, true},
		{"a base policy, however old", "maze-m1-0123.base", false, 25, true},
	} {
		path := filepath.Join(cache, c.name)
		var err error
		if c.folder {
			err = os.Mkdir(path, 0o755)
		} else {
			err = os.WriteFile(path, nil, 0o644)
		}
		touched := time.Now().Add(-c.hours * time.Hour)
		if err := errors.Join(err, os.Chtimes(path, touched, touched)); err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		if c.stays {
			want = append(want, c.name)
		}
	}
	if _, err := Run(context.Background(), exptest.TinyMazes(t), Options{Out: t.TempDir(), Jobs: 1, Cache: cache}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	var stayed []string
	made := 0
	for _, f := range files {
		switch {
		case slices.Contains(want, f.Name()) || !strings.HasSuffix(f.Name(), ".base"):
			stayed = append(stayed, f.Name())
		default:
			made++
		}
	}
	if d := cmp.Diff(slices.Sorted(slices.Values(want)), stayed); d != "" || made != 1 {
		t.Errorf("%d base policies are made, want 1; what else is there (-want +got):\n%s", made, d)
	}
}

// TestBasesOfOneForm: bases that differ in the network alone go by one name in
// progress, and by files of their own.
func TestBasesOfOneForm(t *testing.T) {
	steps := map[string][]int{}
	_, err := Run(context.Background(), exptest.TinyMazes(t, "width = [32, 64]"), Options{Out: t.TempDir(), Jobs: 1, Cache: t.TempDir(), Pretraining: func(p train.Pretraining) {
		if p.Name != "maze, one answer" {
			t.Errorf("progress of %q", p.Name)
		}
		steps[p.File] = append(steps[p.File], p.Step)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for file, done := range steps {
		if d := cmp.Diff([]int{1, 2, 3}, done); d != "" || !strings.HasSuffix(file, ".base") {
			t.Errorf("%s: steps (-want +got):\n%s", file, d)
		}
	}
	if len(steps) != 2 {
		t.Errorf("%d bases, want two", len(steps))
	}
}

// TestBaseFailsOnce: a base policy that cannot be made is not tried again by every
// cell.
func TestBaseFailsOnce(t *testing.T) {
	spec, begun := exptest.TinyMazes(t, "pretrain_lr = 1e30", "pretrain_steps = 20"), 0
	spec.Seeds = 3
	_, err := Run(context.Background(), spec, Options{Out: t.TempDir(), Jobs: 1, Cache: t.TempDir(), Pretraining: func(p train.Pretraining) {
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

// baseFile is the one base policy in a folder.
func baseFile(t testing.TB, cache string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache holds %v (%v), want one file", files, err)
	}
	return files[0]
}

// TestOneBaseForAllThatShareLessons: fields that lessons do not depend on do not have the
// same network pre-trained once more.
func TestOneBaseForAllThatShareLessons(t *testing.T) {
	s := exptest.Load(t, "tiny.toml", "seeds = 2\n[env]\nname = \"bandit\"\nrewarded = [2, 4]\n"+exptest.TinyPolicy+
		"[eval]\nk = [1]\nsamples = 2\nproblems = 1\n[[method]]\nname = \"base\"\n")
	cache := t.TempDir()
	if _, err := Run(context.Background(), s, Options{Out: t.TempDir(), Jobs: 2, Cache: cache}); err != nil {
		t.Fatal(err)
	}
	baseFile(t, cache) // there is one
}
