package experiments

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/input"
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

// TestLeftoversInTheCache: where a base policy is made, what killed runs left in the
// folder long ago goes. What another run may be writing stays, and what is none of
// ours.
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
	if _, err := tinyMazes(t).Run(context.Background(), Options{Out: t.TempDir(), Jobs: 1, Cache: cache}); err != nil {
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
	_, err := tinyMazes(t, "width = [32, 64]").Run(context.Background(), Options{Out: t.TempDir(), Jobs: 1, Cache: t.TempDir(), Pretraining: func(p Pretraining) {
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

// otherLessons are those of an environment but for one.
type otherLessons struct {
	envs.Teacher
	index           int
	answer, problem bool // what is another one
}

// Lesson implements envs.Teacher. Any answer to one polynomial can be given to another.
func (o otherLessons) Lesson(index, n int, r *rand.Rand) (envs.Problem, [][]envs.Token, error) {
	p, answers, err := o.Teacher.Lesson(index, n, r)
	if err != nil || index != o.index {
		return p, answers, err
	}
	if o.answer {
		_, answers, err = o.Teacher.Lesson(index, n, rand.New(rand.NewPCG(1, 2)))
	}
	if err == nil && o.problem {
		p, err = o.Problem(envs.Pretrain, index+1)
	}
	return p, answers, err
}

// TestLessonsAreInTheHash: no version number says that demonstrations are others now,
// so the name of a base policy depends on what the first ones show.
func TestLessonsAreInTheHash(t *testing.T) {
	spec, err := Parse("my.toml", []byte("[env]\nname = \"polynomial\"\n"+tinyPolicy+"[[method]]\nname = \"grpo\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	name := func(change func(envs.Teacher) envs.Env) string {
		t.Helper()
		p, at := spec.Variants[0].build()
		if at != nil {
			t.Fatal(at.err)
		}
		encoding, err := envs.NewEncoding(p.env, p.form())
		if err != nil {
			t.Fatal(err)
		}
		p.env = change(p.env.(envs.Teacher))
		file, _, err := (&base{config: p.policy.(*transformerPolicy).Config, parts: p, encoding: encoding}).fileName()
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	same := name(func(e envs.Teacher) envs.Env { return e })
	for _, c := range []struct {
		reason          string
		index           int
		answer, problem bool
		equal           bool
	}{
		{"the same lessons from elsewhere", 0, false, false, true},
		{"another answer in the first lesson", 0, true, false, false},
		{"another answer in the last one that is digested", digested - 1, true, false, false},
		{"another problem with the same answer", 5, false, true, false},
		{"another answer in a lesson beyond, which would take time to look at", digested, true, true, true},
	} {
		got := name(func(e envs.Teacher) envs.Env { return otherLessons{e, c.index, c.answer, c.problem} })
		if (got == same) != c.equal {
			t.Errorf("%s: %s and %s", c.reason, same, got)
		}
	}
}
