package tabular_test

import (
	"bytes"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/policies"
	"modebench/policies/tabular"
)

// resumed trains a policy, writes it down half-way and goes on elsewhere, which has to
// end with the same bytes; it returns those of half the way.
func resumed(t *testing.T, what string, fresh func() *tabular.Policy, tasks []envs.Task) []byte {
	t.Helper()
	whole := fresh()
	train(t, whole, tasks, 0, 20)
	half := save(t, whole)
	train(t, whole, tasks, 20, 20)
	want := save(t, whole)
	used := fresh()
	train(t, used, tasks, 1000, 7)
	for where, p := range map[string]*tabular.Policy{"a fresh policy": fresh(), "a used one": used, "itself": whole} {
		load(t, p, half)
		if !bytes.Equal(save(t, p), half) {
			t.Errorf("%s, into %s: saving what was loaded gives other bytes", what, where)
		}
		train(t, p, tasks, 20, 20)
		if !bytes.Equal(save(t, p), want) {
			t.Errorf("%s, into %s: the resumed run ends elsewhere", what, where)
		}
	}
	return half
}

// TestResumeChains: a run over chains and goals that stops half-way, is written
// down and goes on elsewhere ends with the same bytes.
func TestResumeChains(t *testing.T) {
	for _, context := range contexts() {
		for _, sharing := range []string{"problem", "shared"} {
			fresh := func() *tabular.Policy {
				return tabular.New(tabular.Config{Sharing: sharing, Context: context, Smoothing: 0.3}, policies.DefaultOptimizer())
			}
			tasks := protocol(t, context)
			resumed(t, context+", "+sharing, fresh, tasks)
		}
	}
}

// TestCheckpointOfContextsOnlyLookedAt: a policy that has met chains and goals and
// not learnt from them, as an evaluation does, has a checkpoint that loads.
func TestCheckpointOfContextsOnlyLookedAt(t *testing.T) {
	for _, context := range contexts() {
		fresh := func() *tabular.Policy {
			return tabular.New(tabular.Config{Sharing: "problem", Context: context, Smoothing: 0.3}, policies.DefaultOptimizer())
		}
		p, q := fresh(), fresh()
		tasks := protocol(t, context)
		sample(t, p, tasks, 4, plain(1))
		load(t, q, save(t, p))
		train(t, p, tasks, 0, 5)
		train(t, q, tasks, 0, 5)
		if !bytes.Equal(save(t, p), save(t, q)) {
			t.Errorf("%s: the resumed policy ended elsewhere", context)
		}
	}
}

// TestForgedContexts: limits of a checkpoint with parameters of contexts.
func TestForgedContexts(t *testing.T) {
	first, second := []byte("modebench tabular checkpoint 1\n"), []byte("modebench tabular checkpoint 2\n")
	a, b := forgedRow("a", 2, 8), forgedRow("b", 1, 5)
	none, one, two := word(0), slices.Concat(word(1), a), slices.Concat(word(2), a, b)
	for _, c := range []struct {
		reason string
		header []byte
		lists  [][]byte
		ok     bool
	}{
		{"some of both", second, [][]byte{one, two}, true},
		{"a key in both lists: they are apart", second, [][]byte{one, one}, true},
		{"of contexts alone", second, [][]byte{none, two}, true},
		{"a list under the version that has none", first, [][]byte{one, two}, false},
		{"an empty list under the version that has none", first, [][]byte{one, none}, false},
		{"no list under the version that has one", second, [][]byte{one}, false},
		{"an empty list: contexts were only looked at", second, [][]byte{one, none}, true},
		{"three lists", second, [][]byte{one, two, two}, false},
		{"out of order", second, [][]byte{one, slices.Concat(word(2), b, a)}, false},
		{"cut short", second, [][]byte{one, two[:len(two)-1]}, false},
	} {
		p := smallChain(t)
		before := save(t, p)
		data := seal(c.header, slices.Concat(parts(t, before).settings, bytes.Join(c.lists, nil)))
		err := p.Load(bytes.NewReader(data))
		want := before
		if c.ok {
			want = data
		}
		if (err == nil) != c.ok || !bytes.Equal(save(t, p), want) {
			t.Errorf("%s: error %v, want accepted %v; what is accepted is saved alike, what is refused changes nothing", c.reason, err, c.ok)
		}
	}
}

// TestKeysAreUnambiguous: where a context ends and a view begins cannot be taken
// for another place.
func TestKeysAreUnambiguous(t *testing.T) {
	// The states "S" under the contexts n0 and n1 (numbers of a chain) and g0 (a
	// goal), and states whose names begin with such bytes.
	odd := &priored{grammar: &grammar{id: "odd", start: "S", moves: map[string][]move{
		"S":           {{1, "n\x00S"}, {2, "n\x01n\x00S"}, {3, "g\x00"}},
		"n\x00S":      {{1, ""}, {2, ""}},
		"n\x01n\x00S": {{1, ""}, {2, ""}},
		"g\x00":       {{1, ""}, {2, ""}},
	}}}
	for _, sharing := range []string{"problem", "shared"} {
		config := tabular.Config{Sharing: sharing, Context: tabular.ContextIndependent, Smoothing: 0.3}
		p := tabular.New(config, sgd(1))
		two := chain(t, odd, 2, envs.ChainOptions{})
		tasks := []envs.Task{odd, two, envs.NewGoal(odd, envs.GoalWeights(1), 0)}
		train(t, p, tasks, 0, 30)
		if got, want := len(trained(t, p)), 4+3*4; got != want {
			t.Errorf("sharing %s: %d rows of parameters for 4 views alone and in 3 contexts, want %d", sharing, got, want)
		}
	}
}

// TestContextOfAnotherEnvironment: parameters of a context that do not fit are an error
// when their view is first met, and no others are made in their place.
func TestContextOfAnotherEnvironment(t *testing.T) {
	p := tabular.New(*tabular.Default(), policies.DefaultOptimizer())
	row := forgedRow(short7("f")+short7("n\x00")+"F", 5, 2+3*5)
	before := seal([]byte("modebench tabular checkpoint 2\n"), slices.Concat(parts(t, save(t, p)).settings, word(0), word(1), row))
	load(t, p, before)
	two := chain(t, &priored{grammar: flat("f", 6)}, 2, envs.ChainOptions{})
	for range 2 {
		_, err := p.Sample([]envs.Task{two}, 1, plain(1))
		wantError(t, err, "5 parameters and 6 legal tokens")
	}
	if !bytes.Equal(save(t, p), before) {
		t.Error("the refused task left parameters behind")
	}
}
