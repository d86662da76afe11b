package expression

import (
	"context"
	"errors"
	"strings"
	"testing"

	"modebench/internal/testkit"
)

// long are values whose lists have n entries.
func long(n int) map[string]any {
	env := values()
	env["reward"], env["correct"] = make([]float64, n), make([]bool, n)
	env["mode"] = strings.Split(strings.Repeat("a ", n-1)+"a", " ")
	env["group"] = &lists{make([]float64, n), env["mode"].([]string)}
	return env
}

// TestSteps: an evaluation counts its steps, and ends once the count is too high, in
// every way to go through a list within a loop.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		text  string
		steps int // of lists of 10
	}{
		{"sum(map(group.reward, sum(map(group.reward, #))))", 10*(1+10+10) + 10},
		{"count(reward, count(correct) > 2)", 10 * (1 + 10)},
		{"sum(map(reward, same(mode, mode[#index])))", 10*(1+10) + 10},
		{"sum(map(reward, distinct(mode)))", 10*(1+10) + 10},
		{"sum(map(reward, mean(reward) + std(correct)))", 10*(1+20) + 10},
		{"sum(map(reward, max(reward[1:])))", 10*(1+9) + 10},
		{"count(reward, # in reward)", 10 * (1 + 10)},
		{"count(reward, 'b' not in mode)", 10 * (1 + 10)},
		{"count(reward, reward == group.reward)", 10 * (1 + 10)},
		{"count(reward, reward[1:] != group.reward)", 10 * (1 + 9)},
		{"let a = map(reward, # + 1); count(reward, any(a, # > 9))", 10 + 10*(1+10)},
		{"count(reward, len(filter(mode, # == 'a')) > 2)", 10 * (1 + 10)},
	} {
		p, err := Compile(c.text, variables)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for range 2 { // the count begins anew
			if _, err := p.Number(context.Background(), long(10)); err != nil || p.library.steps != c.steps {
				t.Errorf("%s: %d steps, %v, want %d", c.text, p.library.steps, err, c.steps)
			}
		}
		_, err = p.Number(context.Background(), long(1000))
		var m *Mistake
		if !errors.As(err, &m) || !strings.Contains(m.Message, "it looks at more than 262144 entries of lists") || m.Text != c.text || m.Undefined {
			t.Errorf("%s of 1000 entries: %v", c.text, err)
		}
		if p.library.steps > maxSteps+1000 {
			t.Errorf("%s: %d steps before it ends", c.text, p.library.steps)
		}
	}
}

// TestNumberHeedsItsContext: an evaluation ends with its context, in the middle too.
func TestNumberHeedsItsContext(t *testing.T) {
	p, err := Compile("sum(map(reward, sum(map(reward, #))))", variables)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int64{0, 1, 50} {
		ctx := testkit.NewEndsAt(most)
		if _, err := p.Number(ctx, long(300)); err != context.Canceled {
			t.Errorf("asked %d times: %v", most, err)
		}
		if p.library.steps > 300*int(most) {
			t.Errorf("asked %d times: %d entries were looked at, want none after it had ended", most, p.library.steps)
		}
	}
}
