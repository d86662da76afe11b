package plugin

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

const rememberingHello = `{"protocol":1,"name":"mine","state":true}`

var one = batchtest.Of(batchtest.Group([]float64{1, 0}, ""))

// state is the text that a run keeps of a plug-in.
func state(t *testing.T, p *Plugin) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Save(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestStateConversation holds the lines of the wire if a program remembers.
func TestStateConversation(t *testing.T) {
	answer := `{"advantages":[[0.5,-0.5]]}`
	p, s := scripted(t, rememberingHello, say("2", answer), say("3", `{"state": {"b" : [1, 2.50]}}`), say("4", `{}`), say("5", answer), say("6", `{"state":null}`), say("7", `{ }`))
	instance := &estimators.Instance{Estimator: p}
	if instance.State() == nil || state(t, p) != "" {
		t.Errorf("state %v, %q", instance.State(), state(t, p))
	}
	load := func(text string) {
		t.Helper()
		if err := p.Load(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	remember := func(want string) {
		t.Helper()
		batchtest.Advantages(t, p, one)
		before := state(t, p)
		if err := p.Remember(one); err != nil || state(t, p) != want {
			t.Errorf("%v; kept %q after %q, want %q", err, state(t, p), before, want)
		}
	}
	load("") // of which a program that has seen nothing is not told
	remember(`{"b" : [1, 2.50]}`)
	load("{\"c\":\n\"\\n\"}")
	if got := state(t, p); got != "{\"c\":\n\"\\n\"}" {
		t.Errorf("what was loaded is kept as %q", got)
	}
	remember("")
	load("")
	var sent []string
	for _, line := range s.sent {
		if !strings.Contains(line, `"advantage"`) {
			sent = append(sent, line)
		}
	}
	if d := cmp.Diff([]string{
		`{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}` + "\n",
		`{"jsonrpc":"2.0","id":3,"method":"save","params":{}}` + "\n",
		`{"jsonrpc":"2.0","id":4,"method":"load","params":{"state":{"c":"\n"}}}` + "\n",
		`{"jsonrpc":"2.0","id":6,"method":"save","params":{}}` + "\n",
		`{"jsonrpc":"2.0","id":7,"method":"load","params":{"state":null}}` + "\n",
	}, sent); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
}

// TestNoState: a program that declares no state has no state.
func TestNoState(t *testing.T) {
	for hello, want := range map[string]bool{plainHello: false, rememberingHello: true, strings.Replace(rememberingHello, "true", "false", 1): false} {
		p, _ := scripted(t, hello)
		if got := (&estimators.Instance{Estimator: p}).State() != nil; got != want {
			t.Errorf("%s: a state: %v, want %v", hello, got, want)
		}
	}
	if _, err := parseHello(json.RawMessage(strings.Replace(rememberingHello, "true", `"yes"`, 1))); err == nil {
		t.Error("a state of text is taken")
	}
}

// TestStateAnswersWrongly: one line names the fault, and the program is ended.
func TestStateAnswersWrongly(t *testing.T) {
	for _, c := range []struct{ reason, answer, says string }{
		{"no object", say("2", `[1]`), "save: result: got [1], want an object with state"},
		{"misspelt", say("2", `{"states":1}`), `save: result: unknown field "states"`},
		{"nothing", say("2", `{}`), "save: result.state is missing"},
		{"a number that is none", say("2", `{"state":[NaN]}`), "save: the state has a number that is not finite"},
		{"too large", say("2", `{"state":"`+strings.Repeat("x", mostState)+`"}`), "save: the state has 16777218 bytes, want at most 16777216"},
		{"an error", `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"no answer to 'save'"}}`, "save: no answer to 'save'"},
	} {
		p, s := scripted(t, rememberingHello, c.answer)
		err := p.Remember(one)
		testkit.WantError(t, err, `plug-in "mine" (mine): `+c.says)
		if again := p.Remember(one); again != err || !s.killed {
			t.Errorf("%s: then %v, killed %v", c.reason, again, s.killed)
		}
	}
	for answer, says := range map[string]string{say("2", `{"loaded":1}`): `load: result: got {"loaded":1}, want {}`, say("2", `[]`): "load: result: got [], want {}"} {
		p, _ := scripted(t, rememberingHello, answer)
		testkit.WantError(t, p.Load(strings.NewReader("1")), says)
	}
	p, s := scripted(t, rememberingHello)
	testkit.WantError(t, p.Load(strings.NewReader("{")), "load: the state that was kept is damaged")
	if len(s.sent) != 1 || !s.killed {
		t.Errorf("sent %q, killed %v", s.sent, s.killed)
	}
	shut := &Plugin{Command: []string{"mine"}}
	for _, err := range []error{shut.Remember(one), shut.Load(strings.NewReader("1"))} {
		testkit.WantError(t, err, "it is not open")
	}
}

// TestStateInPython: the example remembers what the built-in does, bit for bit, though its
// program is a new process at every step.
func TestStateInPython(t *testing.T) {
	needNumpy(t)
	leavesNothing(t)
	builtin, kept := batchtest.Method(t, "outcome-ucb-con", "scale=none"), ""
	for step := range 4 {
		p := &Plugin{Command: adapter("outcome_ucb.py")}
		if err := p.Open(t.Context(), Host{Dir: "../python/examples"}); err != nil {
			t.Fatal(err)
		}
		if err := p.Load(strings.NewReader(kept)); err != nil {
			t.Fatal(err)
		}
		b := batchtest.Sample(2, 6, 0)
		for i := range b.Groups[0].Rollouts {
			b.Groups[0].Rollouts[i].Candidates[0].Reward[0] += float64((i+step)%5) / 7
		}
		b.Groups[1].Problem = "q"
		want := batchtest.Advantages(t, builtin.Estimator, b)
		for g, got := range batchtest.Advantages(t, p, b) {
			testkit.Near(t, "the advantages", got, want[g], 0)
		}
		for _, s := range []estimators.Stateful{p, builtin.State()} {
			if err := s.Remember(b); err != nil {
				t.Fatal(err)
			}
		}
		kept = state(t, p)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(kept, `"q": {`) {
		t.Errorf("the state is %s", kept)
	}
}
