package train

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/spec"
	"modebench/internal/params"
)

// TestBasesAreContentAddressed: the name of a base policy's file changes with all that can change
// the policy, and with nothing else, so that methods and seeds share one.
func TestBasesAreContentAddressed(t *testing.T) {
	const text = "[env]\nname = \"countdown\"\n" + exptest.TinyPolicy + "[[method]]\nname = \"grpo\"\n"
	more := 0 // features that the encoding has besides the environment's
	name := func(text string) string {
		t.Helper()
		return baseName(t, exptest.Load(t, "my.toml", text).Variants[0], more)
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
		{"a demonstrator whose answers are no lessons", `"countdown"`, "\"countdown\"\nq = 0.1\nsigma = 3", true},
		{"other weights of the reward", `"countdown"`, "\"countdown\"\nreward = \"setpo\"", true},
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

// baseName is the name of a variant's base policy, whose encoding has more features than the
// environment's.
func baseName(t *testing.T, v *spec.Variant, more int) string {
	t.Helper()
	p, err := v.Setup()
	if err != nil {
		t.Fatal(err)
	}
	encoding, err := envs.NewEncoding(p.Env, p.Form())
	if err != nil {
		t.Fatal(err)
	}
	encoding.Features += more
	b := base{config: p.Policy.(*spec.TransformerPolicy).Config, parts: p, encoding: encoding}
	file, _, err := b.fileName()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestBasesDependOnLessons: the name of a base policy depends on the fields of its
// environment that lessons read, and not on those that others read alone. The first
// lessons are in the name, so a field that is said to be another's and is not shows.
func TestBasesDependOnLessons(t *testing.T) {
	unread := map[string][]string{ // fields that base policies do not depend on, beside the draw of problems
		"bandit":         {"rewarded", "dim", "jitter", "correct_answers", "wrong_answers", "collinearity", "low", "high"},
		"coins":          {"q", "sigma"},
		"countdown":      {"reward", "q", "sigma"},
		"derivation":     {"verify", "overlong_max", "overlong_cache", "overlong_weight", "slip", "q", "sigma"},
		"maze":           nil,
		"multiplication": {"slip", "lapse"},
		"polynomial":     {"slip"},
	}
	for _, env := range envs.Names() {
		def, err := envs.Lookup(env)
		if err != nil {
			t.Fatal(err)
		}
		load := func(line string) (string, error) {
			s, err := exptest.TryLoad(t, "my.toml", "[env]\nname = \""+env+"\"\n"+line+exptest.TinyPolicy+"[[method]]\nname = \"base\"\n")
			if err != nil {
				return "", err
			}
			return baseName(t, s.Variants[0], 0), nil
		}
		same, err := load("")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range params.Fields(def.Default()) {
			tried := false
			for _, value := range otherValues(f) {
				if tried && testing.Short() {
					break
				}
				name, err := load(f.Name + " = " + value + "\n")
				if err != nil {
					continue // out of bounds
				}
				tried = true
				if want := f.Name == "env_seed" || slices.Contains(unread[env], f.Name); (name == same) != want {
					t.Errorf("%s: %s = %s: the same base policy: %v, want %v", env, f.Name, value, name == same, want)
				}
			}
			if !tried {
				t.Errorf("%s: no other value of %s than %v was accepted", env, f.Name, f.Value)
			}
		}
	}
}

// otherValues are values that a field may have in place of its own, as a spec writes them.
func otherValues(f params.Field) []string {
	switch v := f.Value.(type) {
	case bool:
		return []string{fmt.Sprint(!v)}
	case int:
		return []string{fmt.Sprint(v + 1), fmt.Sprint(v + 2), fmt.Sprint(v + 3), fmt.Sprint(v - 1)}
	case float64:
		return []string{fmt.Sprint(v / 2), fmt.Sprint(v + 0.125)}
	case string:
		for _, c := range f.Choices {
			if c != v {
				return []string{`"` + c + `"`}
			}
		}
	}
	return []string{"[1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 22, 25]"} // denominations
}

// otherLessons are those of an environment but for one.
type otherLessons struct {
	envs.Teacher
	index           int
	answer, problem bool // the other fields
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

// TestLessonsAreInTheHash: no version number reports changed demonstrations, so the name of a base
// policy depends on the first ones.
func TestLessonsAreInTheHash(t *testing.T) {
	loaded := exptest.Load(t, "my.toml", "[env]\nname = \"polynomial\"\n"+exptest.TinyPolicy+"[[method]]\nname = \"grpo\"\n")
	name := func(change func(envs.Teacher) envs.Env) string {
		t.Helper()
		p, err := loaded.Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		encoding, err := envs.NewEncoding(p.Env, p.Form())
		if err != nil {
			t.Fatal(err)
		}
		p.Env = change(p.Env.(envs.Teacher))
		file, _, err := (&base{config: p.Policy.(*spec.TransformerPolicy).Config, parts: p, encoding: encoding}).fileName()
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
		{"another answer in a later lesson, which would take time to look at", digested, true, true, true},
	} {
		got := name(func(e envs.Teacher) envs.Env { return otherLessons{e, c.index, c.answer, c.problem} })
		if (got == same) != c.equal {
			t.Errorf("%s: %s and %s", c.reason, same, got)
		}
	}
}

// TestShownTheSplitOOD: a base policy that is shown problems of the split ood has another name for
// each draw, since other problems are held out. Without such problems all draws share one name.
func TestShownTheSplitOOD(t *testing.T) {
	name := func(env, policy string) string {
		t.Helper()
		loaded := exptest.Load(t, "my.toml", "[env]\nname = \"countdown\"\n"+env+exptest.TinyPolicy+policy+"[[method]]\nname = \"grpo\"\n")
		p, err := loaded.Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		origin, err := newBase(p, p.Policy.(*spec.TransformerPolicy).Config)
		if err != nil {
			t.Fatal(err)
		}
		return origin.name
	}
	if name("", "") != name("env_seed = 3\n", "") {
		t.Error("without pretrain_ood two draws have base policies of their own")
	}
	names := []string{name("", ""), name("", "pretrain_ood = 0.1\n"), name("env_seed = 3\n", "pretrain_ood = 0.1\n"), name("", "pretrain_ood = 0.2\n")}
	for i, a := range names {
		if slices.Contains(names[:i], a) {
			t.Errorf("two of %q are the same", names)
		}
	}
}
