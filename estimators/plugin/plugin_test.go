package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

// A script is the link to a plug-in that answers as it is set to.
type script struct {
	answers []string
	sent    []string
	killed  bool
}

func (s *script) exchange(line []byte, _ time.Duration) ([]byte, error) {
	s.sent = append(s.sent, string(line))
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return []byte(answer), nil
}

func (s *script) end(line []byte) { s.sent = append(s.sent, string(line)) }
func (s *script) kill()           { s.killed = true }

func (s *script) host() Host {
	return Host{connect: func(context.Context, []string, Host) (link, error) { return s, nil }}
}

// say returns the answer with this result to request id.
func say(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

// scripted opens a plug-in that answers so, after its hello.
func scripted(t *testing.T, hello string, answers ...string) (*Plugin, *script) {
	t.Helper()
	s := &script{answers: append([]string{say("1", hello)}, answers...)}
	p := &Plugin{Command: []string{"mine"}}
	if err := p.Open(t.Context(), s.host()); err != nil {
		t.Fatal(err)
	}
	return p, s
}

const plainHello = `{"protocol":1,"name":"mine"}`

// TestPluginConversation holds the lines of the wire, letter by letter.
func TestPluginConversation(t *testing.T) {
	p, s := scripted(t, `{"protocol":1,"name":"mine","needs":["mode","greedy","reward","mode"],"min_group":2,"chains":true,"objective":"pass@4"}`,
		say("2", `{"advantages":[[0.5,-5e-13,2],[1,1e-12]]}`), " {\"id\" : 3, \"result\" :\t{\"advantages\" : [ [ 1e0 , -0 , 5 ] , [ -1.5, 2 ] ] }, \"jsonrpc\" :\"2.0\", \"error\": null} \r")
	want := Description{Name: "mine", Objective: "pass@4", Hashes: p.description.Hashes,
		Requirements: estimators.Requirements{CandidateFields: envs.HasReward | envs.HasMode, RolloutFields: estimators.GroupGreedy, MinGroup: 2, Chains: true, NoPenalty: true}}
	if d := cmp.Diff(want, p.Description()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	b := batchtest.Of(batchtest.Group([]float64{1, .1, 0}, "A-B"), batchtest.Group([]float64{-2.5, 1e300}, "AA"))
	b.Seed, b.Step, b.Groups[0].Greedy, b.Groups[0].Rollouts[2].Train = math.MaxUint64, 12, .75, false
	b.Groups[1].Weights = []float64{2}
	b.Groups[1].Rollouts[0].Candidates = append(b.Groups[1].Rollouts[0].Candidates, b.Groups[0].Rollouts[0].Candidates...)
	for _, want := range [][][]float64{{{.5, 0, 0}, {1, 1e-12}}, {{1, 0, 0}, {-1.5, 2}}} {
		if d := cmp.Diff(want, batchtest.Advantages(t, p, b)); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	const params = `{"seed":18446744073709551615,"step":12,"weights":[1],"groups":[` +
		`{"problem":"p","greedy":0.75,"rollouts":[{"candidates":[{"reward":[1],"mode":"A"}]},{"candidates":[{"reward":[0.1],"mode":null}]},{"train":false,"candidates":[{"reward":[0],"mode":"B"}]}]},` +
		`{"problem":"p","greedy":0,"weights":[2],"rollouts":[{"candidates":[{"reward":[-2.5],"mode":"A"},{"reward":[1],"mode":"A"}]},{"candidates":[{"reward":[1e+300],"mode":"A"}]}]}]}`
	if d := cmp.Diff([]string{
		`{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}` + "\n",
		`{"jsonrpc":"2.0","id":2,"method":"advantage","params":` + params + "}\n",
		`{"jsonrpc":"2.0","id":3,"method":"advantage","params":` + params + "}\n",
		`{"jsonrpc":"2.0","method":"bye"}` + "\n",
	}, s.sent); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
}

// TestPluginAnswersWrongly: one line names the fault of the answer to a
// batch of two groups of 3 and 2 rollouts, and the program is ended.
func TestPluginAnswersWrongly(t *testing.T) {
	result := func(advantages string) string { return say("2", `{"advantages":`+advantages+`}`) }
	for _, c := range []struct {
		reason, answer string
		says           []string
	}{
		{"no JSON", `loss 0.3`, []string{`it wrote "loss 0.3" to its standard output`, "messages only"}},
		{"long rubbish is cut", strings.Repeat("ä", 100), []string{`"` + strings.Repeat("ä", 80) + `"... to its`}},
		{"rubbish of bytes", "\xff\x00\x1b[2J\n", []string{`"\xff\x00\x1b[2J\n"`}},
		{"an empty line", ``, []string{`it wrote "" to its standard output`}},
		{"JSON that is no message", `0.25`, []string{`it wrote "0.25" to its standard output`}},
		{"another's JSON", `{"loss": 0.25}`, []string{`it wrote "{\"loss\": 0.25}" to its standard output`}},
		{"two messages on a line", result(`[]`) + result(`[]`), []string{"to its standard output, which carries messages only"}},
		{"another version", `{"jsonrpc":"1.0","id":2,"result":{}}`, []string{"standard output", `{"jsonrpc":"2.0",...}`}},
		{"an earlier id", say("1", `{"advantages":[]}`), []string{`it answered id 1, want id 2 and one line for each request`}},
		{"an id of text", say(`"2"`, `{}`), []string{`it answered id "2", want id 2`}},
		{"no id", `{"jsonrpc":"2.0","method":"log","params":["hi"]}`, []string{"without the id of the request, 2", "log"}},
		{"no result", `{"jsonrpc":"2.0","id":2}`, []string{"neither a result nor an error"}},
		{"a null result", say("2", "null"), []string{"neither a result nor an error"}},
		{"an error", `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"ZeroDivisionError:\n division by zero (mine.py:12)"}}`, []string{"ZeroDivisionError:  division by zero (mine.py:12)"}},
		{"an error beside a result", `{"jsonrpc":"2.0","id":2,"result":{"advantages":[[0,0,0],[0,0]]},"error":{"code":1,"message":"no"}}`, []string{"(mine): no"}},
		{"a long error", `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"` + strings.Repeat("x", 1000) + `"}}`, []string{"(mine): " + strings.Repeat("x", 300) + "..."}},
		{"an error of text", `{"jsonrpc":"2.0","id":2,"error":"out of luck"}`, []string{`it answered the error "out of luck"`}},
		{"an error without a message", `{"jsonrpc":"2.0","id":2,"error":{"code":-5}}`, []string{`it answered the error {"code":-5}`}},
		{"a list as result", say("2", `[[0,0,0],[0,0]]`), []string{"result: got [[0,0,0],[0,0]], want an object with advantages"}},
		{"misspelt", say("2", `{"advantage":[]}`), []string{`result: unknown field "advantage"`}},
		{"no advantages", say("2", `{}`), []string{"result.advantages is missing"}},
		{"more than advantages", say("2", `{"advantages":[[0,0,0],[0,0]],"returns":[]}`), []string{`result: unknown field "returns", want advantages alone`}},
		{"null for advantages", result(`null`), []string{"result.advantages is missing"}},
		{"a number for advantages", result(`0`), []string{`result.advantages: got 0, want one list of numbers for each group`}},
		{"an object for advantages", result(`{"a":[1]}`), []string{`result.advantages: got {"a":[1]}, want one list`}},
		{"no groups", result(`[]`), []string{"result.advantages has 0 lists, want 2, one for each group"}},
		{"too few groups", result(`[[0,0,0]]`), []string{"has 1 list, want 2"}},
		{"too many groups", result(`[[0,0,0],[0,0],[0,0]]`), []string{"has 3 lists, want 2"}},
		{"a flat list", result(`[0,0,0,0,0]`), []string{`group 0 (problem "p"): got 0, want a list of 3 advantages`}},
		{"too few rollouts", result(`[[0,0,0],[0]]`), []string{`group 1 (problem "p"): got 1 advantage, want 2, one for each rollout`}},
		{"too many rollouts", result(`[[0,0,0,0],[0,0]]`), []string{`group 0 (problem "p"): got 4 advantages, want 3`}},
		{"an empty group", result(`[[0,0,0],[ ]]`), []string{`group 1 (problem "p"): got 0 advantages, want 2`}},
		{"Python's NaN", result(`[[0,0,0],[0,NaN]]`), []string{`group 1 (problem "p"): the advantage of rollout 1 is NaN, want a finite number`}},
		{"Python's infinity", result(`[[0,Infinity,0],[0,0]]`), []string{`group 0 (problem "p"): the advantage of rollout 1 is Infinity, want`}},
		{"its negative", result(`[[0,0, -Infinity],[0,0]]`), []string{`the advantage of rollout 2 is -Infinity, want`}},
		{"NaN of a rollout that only votes", result(`[[0,0,0],[NaN,0]]`), []string{"the advantage of rollout 0 is NaN"}},
		{"NaN after text that ends in a backslash", result(`[["\\",NaN,0],[0,0]]`), []string{`the advantage of rollout 0 is "\\", want`}},
		{"a field beside the result", `{"jsonrpc":"2.0","id":2,"surprise":1,"result":{"advantages":[[0,0,0],[0,0]]}}`, []string{`the answer: unknown field "surprise", want jsonrpc, id, result, error alone`}},
		{"two results", `{"jsonrpc":"2.0","id":2,"result":{},"result":{"advantages":[[0,0,0],[0,0]]}}`, []string{"the answer: the field result is there twice"}},
		{"advantages twice", say("2", `{"advantages":[[0,0,0],[0,0]],"advantages":[[1,1,1],[1,1]]}`), []string{"result: the field advantages is there twice"}},
		{"advantages in other letters", say("2", `{"advantages":[[0,0,0],[0,0]],"Advantages":[[1,1,1],[1,1]]}`), []string{`result: unknown field "Advantages", want advantages alone`}},
		{"too large", result(`[[0,-1e999,0],[0,0]]`), []string{"the advantage of rollout 1 is -1e999, want a finite number"}},
		{"null", result(`[[0,0,null],[0,0]]`), []string{"the advantage of rollout 2 is null, want"}},
		{"text", result(`[["0.5",0,0],[0,0]]`), []string{`the advantage of rollout 0 is "0.5", want`}},
		{"text that reads NaN", result(`[["NaN",0,0],[0,0]]`), []string{`the advantage of rollout 0 is `, `NaN`}},
		{"true", result(`[[true,0,0],[0,0]]`), []string{"the advantage of rollout 0 is true, want"}},
		{"lists per token", result(`[[[0,1],[0],[0]],[[0],[0]]]`), []string{"the advantage of rollout 0 is [0,1], want a finite number"}},
		{"hexadecimal", result(`[[0x1,0,0],[0,0]]`), []string{"to its standard output, which carries messages only"}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			p, s := scripted(t, plainHello, c.answer)
			b := batchtest.Of(batchtest.Group([]float64{1, 0, 0}, ""), batchtest.Group([]float64{1, 0}, ""))
			b.Step, b.Groups[1].Rollouts[0].Train = 7, false
			err := p.Advantages(estimators.NewAdvantages(b), b)
			testkit.WantError(t, err, append(c.says, `plug-in "mine" (mine): `)...)
			if strings.Contains(err.Error(), "step") {
				t.Errorf("it names the step, which whoever runs it does: %v", err)
			}
			if again := p.Advantages(estimators.NewAdvantages(b), b); again != err || !s.killed {
				t.Errorf("then %v; killed: %t", again, s.killed)
			}
		})
	}
}

// TestPluginSaysHelloWrongly: one line names a right value.
func TestPluginSaysHelloWrongly(t *testing.T) {
	for _, c := range []struct {
		reason, answer string
		says           []string
	}{
		{"nothing of the protocol", say("1", `{"name":"mine"}`), []string{"protocol is missing, want 1 or 2"}},
		{"another protocol", say("1", `{"protocol":3,"name":"mine"}`), []string{"it speaks protocol 3, want 1 or 2"}},
		{"tokens under protocol 1", say("1", `{"protocol":1,"name":"mine","needs":["token_entropies"]}`), []string{`needs[0]: got "token_entropies", known are reward, correct, valid, answer, mode, embedding, variant, tokens, logprob, entropy, final, greedy`}},
		{"advantages under protocol 1", say("1", `{"protocol":1,"name":"mine","advantages":"rollout"}`), []string{`unknown field "advantages" of protocol 1, want protocol 2`}},
		{"advantages of something else", say("1", `{"protocol":2,"name":"mine","advantages":"sequence"}`), []string{`advantages: got "sequence", want "rollout" or "token"`}},
		{"advantages of tokens of which nothing is asked", say("1", `{"protocol":2,"name":"mine","needs":["reward","tokens"],"advantages":"token"}`), []string{"wants needs to name a list per token: token_logprobs, token_entropies, token_ref_logprobs, token_squares, token_distributions"}},
		{"the protocol as text", say("1", `{"protocol":"1","name":"mine"}`), []string{"protocol: got string, want an integer"}},
		{"no name", say("1", `{"protocol":1}`), []string{`name: got "", want a name`}},
		{"a name of two lines", say("1", `{"protocol":1,"name":"a\nb"}`), []string{`name: got "a\nb"`, "one line"}},
		{"a long name", say("1", `{"protocol":1,"name":"`+strings.Repeat("x", 101)+`"}`), []string{"want a name of 1 to 100 characters"}},
		{"an unknown need", say("1", `{"protocol":1,"name":"mine","needs":["reward","rewards"]}`), []string{`needs[1]: got "rewards", known are reward, correct, valid, answer, mode, embedding, variant, tokens, logprob, entropy, final, greedy`}},
		{"needs as text", say("1", `{"protocol":1,"name":"mine","needs":"reward"}`), []string{"needs: got string, want an array"}},
		{"no rollouts", say("1", `{"protocol":1,"name":"mine","min_group":0}`), []string{"min_group: got 0, want 1 or more"}},
		{"misspelt", say("1", `{"protocol":1,"name":"mine","min_groups":2}`), []string{`unknown field "min_groups"`}},
		{"in other letters", say("1", `{"protocol":1,"Name":"mine"}`), []string{`unknown field "Name", want protocol, name,`}},
		{"a name twice", say("1", `{"protocol":1,"name":"mine","name":"mine"}`), []string{"the field name is there twice"}},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no function advantages in mine.py"}}`, []string{"no function advantages in mine.py"}},
		{"another id", say("2", plainHello), []string{`it answered id 2, want id 1`}},
		{"chatter", "hello!", []string{`it wrote "hello!" to its standard output`}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			s := &script{answers: []string{c.answer}}
			p := &Plugin{Command: []string{"mine"}}
			err := p.Describe(t.Context(), s.host())
			testkit.WantError(t, err, append(c.says, "plug-in (mine): hello: ")...)
			if !s.killed {
				t.Error("the program runs on")
			}
		})
	}
}

// TestPluginIsSentWhatItTakes: a batch that it does not take is the error of a
// method, and the program goes on.
func TestPluginIsSentWhatItTakes(t *testing.T) {
	p, s := scripted(t, `{"protocol":1,"name":"mine","needs":["mode"],"min_group":2}`, say("3", `{"advantages":[[1,2]]}`))
	good := batchtest.Of(batchtest.Group([]float64{1, 0}, "AB"))
	modeless, short, chain, invalid := *good, *good, *good, *good
	modeless.CandidateFields = envs.HasReward
	short.Groups = []estimators.Group{batchtest.Group([]float64{1}, "A")}
	chain.Groups = []estimators.Group{batchtest.Group([]float64{1, 0}, "AB")}
	chain.Groups[0].Rollouts[1].Candidates = append(chain.Groups[0].Rollouts[1].Candidates, chain.Groups[0].Rollouts[0].Candidates[0])
	invalid.Groups = []estimators.Group{batchtest.Group([]float64{1, 0}, "A\xff")}
	for _, c := range []struct {
		b    *estimators.Batch
		says []string
	}{
		{&modeless, []string{"the candidates carry no mode"}},
		{&short, []string{"group 0", "1 rollouts to train on, want at least 2"}},
		{&chain, []string{"group 0", "rollout 1 has 2 candidates; this estimator takes exactly one"}},
		{&invalid, []string{"groups[0].rollouts[1].candidates[0].mode", "want UTF-8"}},
	} {
		testkit.WantError(t, p.Advantages(estimators.NewAdvantages(c.b), c.b), c.says...)
	}
	testkit.WantError(t, p.Advantages(nil, good), "room for 0 groups")
	testkit.Near(t, "then", batchtest.Advantages(t, p, good)[0], []float64{1, 2}, 0)
	if len(s.sent) != 2 {
		t.Errorf("sent %q", s.sent)
	}
}

// TestPluginMethod: it is in no family, and its instance names its needs once it is described.
func TestPluginMethod(t *testing.T) {
	m, err := estimators.Lookup(Name)
	if err != nil {
		t.Fatal(err)
	}
	instance := m.New()
	testkit.WantError(t, instance.Check(), "plugin", `"command"`, "is empty")
	p := instance.Estimator.(*Plugin)
	if n := p.Requirements(); n.CandidateFields != envs.HasReward || !n.NoPenalty {
		t.Errorf("before it is described: %+v", n)
	}
	if err := instance.SetText("command=python3,-m,modebench,mine.py"); err != nil || instance.Check() != nil || !slices.Equal(p.Command, []string{"python3", "-m", "modebench", "mine.py"}) {
		t.Errorf("%v, %v, %q", err, instance.Check(), p.Command)
	}
	p.SetDescription(Description{Requirements: estimators.Requirements{RolloutFields: estimators.RolloutTokens}})
	if instance.Requirements().RolloutFields != estimators.RolloutTokens {
		t.Errorf("%+v", instance.Requirements())
	}
}

// TestVotersRewards: a plug-in, which may read them, is sent what the expressions give
// in the group that the trained rollouts make; no other method is asked for them.
func TestVotersRewards(t *testing.T) {
	g := batchtest.Group([]float64{1, 5, 3}, "ABA")
	g.Rollouts[1].Train = false
	b := batchtest.Of(g)
	for _, c := range []struct{ pair, rewards string }{
		{"shaping=reward + 100 * n + 10 * sum(group.reward)", "[241] [245] [243]"},
		{"scalarisation=reward * reward", "[1] [25] [9]"},
	} {
		m, _ := estimators.Lookup(Name)
		i := m.New()
		p, s := scripted(t, plainHello, say("2", `{"advantages":[[0,0,0]]}`))
		i.Estimator = p
		if err := i.SetText(c.pair); err != nil {
			t.Fatal(err)
		}
		if err := i.Check(); err != nil {
			t.Fatal(err)
		}
		if err := i.Advantages(estimators.NewAdvantages(b), b); err != nil {
			t.Fatal(err)
		}
		for _, reward := range strings.Fields(c.rewards) {
			if want := `"reward":` + reward; !strings.Contains(s.sent[1], want) || !strings.Contains(s.sent[1], `"weights":[1]`) {
				t.Errorf("%s: sent %s, want %s", c.pair, s.sent[1], want)
			}
		}
	}
	undefined := `shaping=1 / same(group.mode, mode)`
	if err := batchtest.Method(t, "grpo", undefined).Advantages(estimators.NewAdvantages(b), b); err != nil {
		t.Errorf("a voter's reward that nobody reads: %v", err)
	}
	m, _ := estimators.Lookup(Name)
	i := m.New()
	i.Estimator, _ = scripted(t, plainHello)
	if err := i.SetText(undefined); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(t, i.Advantages(estimators.NewAdvantages(b), b), "rollout 1, candidate 0: shaping", "1 / 0 is +Inf")
}

// FuzzPluginReply: no line makes the parsers panic; they accept exactly the lines that
// encoding/json reads, and their errors are one line.
func FuzzPluginReply(f *testing.F) {
	for _, seed := range []string{
		say("2", `{"advantages":[[0.5,-0.5],[1e-3]]}`), say("2", ` { "advantages" : [ [ 1 , 2.5e1 ] , [ -0 ] ] } `),
		say("2", `{"advantages":[[NaN,1],[-Infinity]]}`), say("2", `{"advantages":[[1,"a\"],["],[{"x":[1,{}]}]]}`),
		say("2", `{"advantages":[[[],null],[true]]}`), say("2", `{"advantages":[[],[1]]}`), say("2", `{"advantages":[[1,2],[3],[4]]}`),
		say("2", `{"advantages":[[[1],[0]],[[-0.5]]]}`), say("2", `{"protocol":2,"name":"mine","needs":["token_squares"],"advantages":"token"}`),
		say("2", rememberingHello), say("2", `{"state":{"a":[1,"NaN"]}}`), say("2", `{"state":NaN}`), say("2", " {\"state\" :\tnull} "), say("2", `{"state":1,"state":2}`),
		say("2", plainHello), `{"jsonrpc":"2.0","id":2,"error":{"message":"NaN \u2028"}}`, "NaN", "", "\"NaN\\\"", "[", `{"jsonrpc":"2.0","id":2,"result":NaN}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		b := batchtest.Of(batchtest.Group([]float64{1, 0}, ""), batchtest.Group([]float64{1}, ""))
		dst := estimators.NewAdvantages(b)
		result, err := parseReply(slices.Clone(line), 2)
		if err != nil {
			testkit.OneLine(t, err)
			return
		}
		if d, err := parseHello(result); err != nil {
			testkit.OneLine(t, err)
		} else if d.Name == "" || d.Requirements.MinGroup < 1 {
			t.Fatalf("accepted the hello %+v", d)
		}
		if state, err := parseState(line, 2); err != nil {
			testkit.OneLine(t, err)
		} else if kept, err := appendState(nil, state); err != nil || !json.Valid(kept) || bytes.ContainsRune(kept, '\n') || len(state) > mostState {
			t.Fatalf("%q: %v, and the state %q would be sent as %q", line, err, state, kept)
		}
		if err := parseTokenAdvantages(estimators.NewTokenAdvantages(b), b, result); err != nil {
			testkit.OneLine(t, err)
		}
		err = parseAdvantages(dst, b, result)
		var want struct {
			Result struct{ Advantages [][]*float64 }
		}
		// A number of JSON that is not finite is an error for both.
		fits := json.Unmarshal(line, &want) == nil && len(want.Result.Advantages) == 2
		for g, row := range want.Result.Advantages {
			fits = fits && len(row) == len(dst[g]) && !slices.Contains(row, nil)
		}
		if err != nil {
			testkit.OneLine(t, err)
			var exact struct{ Result map[string]json.RawMessage }
			// The fields of Go's reader are in any case, and the same one twice is merged.
			alone := json.Unmarshal(line, &exact) == nil && len(exact.Result) == 1 && exact.Result["advantages"] != nil
			if fits && alone && strings.Count(strings.ToLower(string(line)), "advantages") == 1 && strings.Count(strings.ToLower(string(line)), "result") == 1 {
				t.Fatalf("%q: %v", line, err)
			}
			return
		}
		if !fits {
			t.Fatalf("%q is accepted as %v", line, dst)
		}
		for g, row := range want.Result.Advantages {
			for i, x := range row {
				if dst[g][i] != *x {
					t.Fatalf("%q: read %v, want %v in group %d", line, dst[g][i], *x, g)
				}
			}
		}
	})
}
