package train

import (
	"math"
	"slices"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/rng"
	"modebench/policies"
)

// TestMinibatches: the parts of a batch hold each of its rollouts once with its
// advantage, their sizes differ by one at most, and their draw by step and epoch.
func TestMinibatches(t *testing.T) {
	whole := policies.Batch{Advantages: [][]float64{{0, 1, 2, 3, 4}, {5, 6, 7}, {8, 9}}}
	for g := range whole.Advantages {
		group := policies.Group{}
		right := []bool{}
		for i := range whole.Advantages[g] {
			group.Rollouts = append(group.Rollouts, policies.Rollout{Number: i})
			right = append(right, i%2 == 0)
		}
		whole.Groups = append(whole.Groups, group)
		whole.Correct = append(whole.Correct, right)
	}
	var m minibatches
	orders := map[string]bool{}
	for draw := range 20 {
		for _, n := range []int{1, 2, 3, 10} {
			m.deal(&whole, n, rng.New(5).Int(uint64(draw)))
			seen, order := map[float64]bool{}, ""
			for part := range n {
				var b policies.Batch
				m.take(&b, &whole, part)
				size := 0
				for g := range b.Groups {
					for i, a := range b.Advantages[g] {
						first := whole.Advantages[slices.IndexFunc(whole.Advantages, func(own []float64) bool { return slices.Contains(own, a) })][0]
						if number := b.Groups[g].Rollouts[i].Number; a != first+float64(number) || b.Correct[g][i] != (number%2 == 0) {
							t.Errorf("rollout %d has the advantage %v and is right: %v", number, a, b.Correct[g][i])
						}
						seen[a] = true
						order += string(rune('0' + int(a)))
						size++
					}
				}
				if size != 10/n && size != (10+n-1)/n {
					t.Errorf("part %d of %d has %d of 10 rollouts", part, n, size)
				}
			}
			if len(seen) != 10 {
				t.Errorf("%d parts hold %d rollouts, want all 10", n, len(seen))
			}
			orders[order] = true
		}
	}
	if len(orders) < 20 {
		t.Errorf("%d different deals in 20 draws", len(orders))
	}
}

// TestMinibatchesMakeUpdates: an epoch has as many updates as minibatches, off-policy after the
// first; one minibatch is the whole batch, to the bit.
func TestMinibatchesMakeUpdates(t *testing.T) {
	after := func(n int64) []float64 {
		tr := trainerOf(t, "grpo", exptest.Set("train", "minibatches", n), exptest.Set("train", "batch", int64(1)))
		for step := range 5 {
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
		}
		return probabilities(t, tr)
	}
	plain, one, four := after(1), after(1), after(4)
	if !slices.Equal(plain, one) || slices.Equal(plain, four) {
		t.Errorf("one part gives %v, four give %v", one, four)
	}
}

// TestMinibatchesAreDealtByEpoch, each anew.
func TestMinibatchesAreDealtByEpoch(t *testing.T) {
	tr := trainerOf(t, "grpo", exptest.Set("train", "epochs", int64(2)), exptest.Set("train", "minibatches", int64(3)))
	if err := tr.step(0, nil); err != nil {
		t.Fatal(err)
	}
	dealt := func(epoch uint64) [][]place {
		var m minibatches
		m.deal(&policies.Batch{Groups: tr.groups}, 3, tr.key.Str("minibatch").Int(0).Int(epoch))
		return m.parts
	}
	same := func(a, b [][]place) bool { return slices.EqualFunc(a, b, slices.Equal) }
	if !same(tr.split.parts, dealt(1)) || same(tr.split.parts, dealt(0)) {
		t.Errorf("parts of the second epoch %v; want %v, the first has %v", tr.split.parts, dealt(1), dealt(0))
	}
}

// TestFewerRolloutsThanMinibatches: if dynamic sampling leaves fewer rollouts than minibatches, no
// update is empty, and the record is of an update that moved the policy.
func TestFewerRolloutsThanMinibatches(t *testing.T) {
	tr := trainerOf(t, "grpo", exptest.Set("train", "problems", int64(4)), exptest.Set("train", "batch", int64(4)), exptest.Set("train", "group", int64(2)),
		exptest.Set("train", "minibatches", int64(8)), exptest.Set("method", "generations", int64(1)))
	fewer := 0
	for step := range 12 {
		var rec record.Train
		if err := tr.step(step, &rec); err != nil {
			t.Fatal(err)
		}
		left := len(tr.batch.Groups)
		if left == 0 {
			continue
		}
		if left < 4 {
			fewer++
		}
		if len(tr.split.parts) != 2*left || rec.GradNorm == 0 || rec.Loss == 0 {
			t.Errorf("step %d: %d groups of 2 in %d parts, the record says %+v", step, left, len(tr.split.parts), rec)
		}
	}
	if fewer == 0 {
		t.Error("no step had fewer rollouts than minibatches: nothing was tested")
	}
}

// TestScheduleEndsAboveZero, however long it is: a rate of 0 would represent 1.
func TestScheduleEndsAboveZero(t *testing.T) {
	tr := spec.Train{Steps: 1e9, Schedule: "cosine"}
	if got := rate(&tr, 1e9-1); !(got > 0 && got < 1e-17) {
		t.Errorf("the last of 1e9 steps has the rate %v", got)
	}
}

// TestSchedule holds the factors of the learning rate against their definition.
func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		schedule string
		warmup   int
		step     int
		want     float64
		reason   string
	}{
		{"constant", 0, 5, 0, "0 stands for 1"},
		{"constant", 4, 0, 0.25, "the first of four"},
		{"constant", 4, 3, 1, "the last of the warm-up"},
		{"constant", 4, 4, 0, "warm"},
		{"cosine", 0, 0, 1, "starts at the top"},
		{"cosine", 0, 5, 0.5, "halfway"},
		{"cosine", 0, 9, 0.5 + 0.5*math.Cos(0.9*math.Pi), "the last step is above 0"},
		{"cosine", 2, 1, 1, "warm-up"},
		{"cosine", 2, 6, 0.5, "halfway after the warm-up"},
	} {
		tr := spec.Train{Steps: 10, Warmup: c.warmup, Schedule: c.schedule}
		if got := rate(&tr, c.step); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s, warm-up %d, step %d: %v, want %v: %s", c.schedule, c.warmup, c.step, got, c.want, c.reason)
		}
	}
	if rates := func() (out []float64) {
		tr := trainerOf(t, "grpo", exptest.Set("train", "schedule", "cosine"), exptest.Set("train", "steps", int64(4)), exptest.Set("train", "warmup", int64(1)))
		for step := range 4 {
			if err := tr.step(step, nil); err != nil {
				t.Fatal(err)
			}
			out = append(out, tr.update.Rate)
		}
		return out
	}(); len(rates) != 4 || rates[0] != 1 || !(rates[3] < rates[2] && rates[2] < rates[1]) {
		t.Errorf("rates of the updates: %v", rates)
	}
}
