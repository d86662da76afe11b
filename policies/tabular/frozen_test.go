package tabular_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/policies"
)

// TestSampleFrozen: a frozen policy draws, to the bit, what the policy drew when it was
// frozen, however far that has moved since; so does a policy that was saved and read back.
func TestSampleFrozen(t *testing.T) {
	one, two := &priored{grammar: branching("one", 0)}, &priored{grammar: branching("two", 3)}
	problems := []envs.Task{one, two}
	for _, sharing := range []string{"problem", "shared"} {
		p, _ := grown(t, sharing, problems...)
		train(t, p, problems, 100, 5)
		for _, opt := range []policies.SampleOptions{plain(7), {Greedy: true}, {Temperature: 0.7, TopP: 0.8, Key: plain(3).Key}} {
			then := keep(sample(t, p, problems, 20, opt))
			ref := p.Freeze()
			var file bytes.Buffer
			if err := p.SaveFrozen(&file, ref); err != nil {
				t.Fatal(err)
			}
			train(t, p, problems, 100, 10)
			read, err := p.LoadFrozen(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			now := keep(sample(t, p, problems, 20, opt))
			for what, from := range map[string]policies.Reference{"kept": ref, "read back": read} {
				opt.From = from
				if d := cmp.Diff(then, keep(sample(t, p, problems, 20, opt)), cmp.Comparer(func(a, b envs.Task) bool { return a.ID() == b.ID() })); d != "" {
					t.Errorf("sharing %s, %+v: the policy that was %s draws otherwise (-then):\n%.1000s", sharing, opt, what, d)
				}
			}
			opt.From = nil
			if !cmp.Equal(now, keep(sample(t, p, problems, 20, opt)), cmp.Comparer(func(a, b envs.Task) bool { return a.ID() == b.ID() })) {
				t.Errorf("sharing %s: drawing by another policy has moved this one", sharing)
			}
			// A reference that was read back is one, too.
			a, _ := look(t, p, then, ref)
			b, _ := look(t, p, then, read)
			if !cmp.Equal(a.Ref, b.Ref) || !cmp.Equal(a.KL, b.KL) {
				t.Errorf("sharing %s: the reference that was read back says %v, and not %v", sharing, b.Ref, a.Ref)
			}
		}
	}
}

// TestLearnFromFrozen: rollouts of a frozen policy, learned from as they were handed out,
// give the bits of the same rollouts walked anew.
func TestLearnFromFrozen(t *testing.T) {
	one := &priored{grammar: branching("one", 0)}
	problems := []envs.Task{one}
	p, _ := grown(t, "problem", problems...)
	ref := p.Freeze()
	train(t, p, problems, 100, 5)
	opt := plain(9)
	opt.From = ref
	groups := sample(t, p, problems, 20, opt)
	a, _ := look(t, p, groups, ref)
	b, _ := look(t, p, keep(groups), ref)
	if d := cmp.Diff([][]float64{a.Logp, a.Ref, a.KL}, [][]float64{b.Logp, b.Ref, b.KL}); d != "" || cmp.Equal(a.Logp, a.Ref) {
		t.Errorf("of the last sample (-) and walked anew:\n%s", d)
	}
}

// TestForeignFrozen: another policy's references, and damaged files, are refused.
func TestForeignFrozen(t *testing.T) {
	problems := []envs.Task{&priored{grammar: branching("one", 0)}}
	p, _ := grown(t, "problem", problems...)
	other, _ := grown(t, "shared", problems...)
	train(t, p, problems, 100, 2)
	opt := plain(9)
	opt.From = other.Freeze()
	if _, err := p.Sample(problems, 2, opt); err == nil {
		t.Error("drew by what another policy has frozen")
	}
	var file bytes.Buffer
	if err := p.SaveFrozen(&file, opt.From); err == nil {
		t.Error("saved what another policy has frozen")
	}
	if err := p.SaveFrozen(&file, p.Freeze()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.LoadFrozen(bytes.NewReader(file.Bytes())); err == nil {
		t.Error("read what a policy with other settings has frozen")
	}
	for i := range file.Len() {
		damaged := bytes.Clone(file.Bytes())
		damaged[i] ^= 1
		if _, err := p.LoadFrozen(bytes.NewReader(damaged)); err == nil {
			t.Fatalf("byte %d may be damaged", i)
		}
		if _, err := p.LoadFrozen(bytes.NewReader(file.Bytes()[:i])); err == nil {
			t.Fatalf("cut off at byte %d it is read", i)
		}
	}
}
