package multiplication

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"modebench/envs"
	"modebench/internal/rng"
)

// some calls f for problems of all variants, with answers that wander off the
// right way in many places.
func some(t *testing.T, f func(p *Problem, answers [][]envs.Token)) {
	t.Helper()
	for _, v := range variants {
		e := build(t, v.change)
		for i, split := range envs.Splits() {
			p := problem(t, e, split, i)
			key := rng.New(6).Str(v.name).Int(uint64(i))
			var answers [][]envs.Token
			for j := range 60 {
				k := key.Int(uint64(j))
				answer := p.Demonstrate(k.Rand())
				c := &cursor{problem: p}
				cut := int(k.Str("cut").Rand().Int64N(int64(len(answer))))
				for _, token := range answer[:cut] {
					c.take(token)
				}
				answers = append(answers, answer, append(answer[:cut:cut], wander(c, k, 0.02)...))
			}
			f(p, answers)
		}
	}
}

// TestLegal: the tokens that may come next in every place of an answer.
func TestLegal(t *testing.T) {
	p := drawn(t, 34, 67, 3)
	for _, c := range []struct{ reason, before, want string }{
		{"an operand is a number or an expression", "", "123456789("},
		{"numbers of a decomposition are not 0", "(", "123456789"},
		{"a number alone needs no parentheses", "3", "0123456789*"},
		{"numbers have two digits", "34", "*"},
		{"or are 100", "10", "0*"},
		{"and no more", "100", "*"},
		{"a number in parentheses is not alone", "(3", "0123456789+-*"},
		{"the first operator decides: a sum", "(30+4", "0123456789+-)"},
		{"a difference", "(40-6", "0123456789+-)"},
		{"a product", "(2*1", "0123456789*)"},
		{"there are three terms at most", "(20+10+4", "0123456789)"},
		{"the second operand", "(30+4)*", "123456789("},
		{"ends with an equals sign", "34*67", "="},
		{"after its parentheses too", "34*(60+7)", "="},
		{"the product at once", "34*67=", "0123456789"},
		{"an expansion begins", "34*(60+7)=", "123456789"},
		{"a factor is followed by a factor", "34*(60+7)=34", "*"},
		{"and a term by the next one's sign", "34*(70-3)=34*70", "-"},
		{"two differences make a sum", "(40-6)*(70-3)=40*70-40*3-6*70", "+"},
		{"the last term is followed by the partial products", "34*(70-3)=34*70-34*3", "0123456789="},
		{"partial products may begin with 0", "34*(70-3)=34*70-34*3=", "0123456789"},
		{"and be 0", "34*(70-3)=34*70-34*3=0", "0123456789-"},
		{"but not end in a 0", "34*(70-3)=34*70-34*3=10", "0123456789"},
		{"they have five digits, of which the last is not 0", "34*(70-3)=34*70-34*3=1234", "123456789-"},
		{"and no more", "34*(70-3)=34*70-34*3=12345", "-"},
		{"not even 00001", "34*(70-3)=34*70-34*3=0000", "123456789"},
		{"a product of products has one term and no partial products", "(2*17)*67=2*17*67=", "0123456789"},
		{"the product has four digits", "34*67=227", "123456789."},
		{"and an end", "34*67=2278", "."},
		{"which is the end", "34*67=2278.", ""},
	} {
		var tokens []envs.Token
		for _, r := range c.before {
			tokens = append(tokens, envs.Token(slices.Index([]rune(symbols+"."), r)))
		}
		got := ""
		cursor := walked(t, p, tokens)
		for _, token := range cursor.Legal() {
			got += (symbols + ".")[token : token+1]
		}
		if got != c.want || cursor.Done() != (c.want == "") {
			t.Errorf("%s: after %q %q may follow, want %q", c.reason, c.before, got, c.want)
		}
	}
}

func TestPush(t *testing.T) {
	p := drawn(t, 34, 67, 0)
	whole := parsed(t, p, "34*67 = 2278")
	for _, c := range []struct {
		reason string
		before []envs.Token
		token  envs.Token
		want   string
	}{
		{"no leading zero", nil, 0, `token "0" is not legal here, want one of 1 2 3 4 5 6 7 8 9 (`},
		{"the end comes at the end", whole[:5], end, `token "end" is not legal here, want one of =`},
		{"beyond the vocabulary", whole[:2], words, `token "?" is not legal here, want one of *`},
		{"below it", whole[:2], -1, `token "?" is not legal here, want one of *`},
		{"after the end", whole, 1, `token "1" comes after the end of the answer`},
	} {
		cursor := walked(t, p, c.before)
		state := cursor.AppendState(nil)
		if err := cursor.Push(c.token); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
		if !slices.Equal(state, cursor.AppendState(nil)) {
			t.Errorf("%s: the refused token changed the state", c.reason)
		}
	}
}

// TestRunIsAWalk: judging takes an answer number by number, and ends in the state of a
// cursor; it refuses an answer that is not legal or not whole.
func TestRunIsAWalk(t *testing.T) {
	legal, illegal := 0, 0
	some(t, func(p *Problem, answers [][]envs.Token) {
		r := rng.New(7).Str(p.id).Rand()
		for _, answer := range answers {
			changed := slices.Clone(answer)
			changed[r.IntN(len(changed))] = envs.Token(r.IntN(int(words)+2) - 1)
			for _, a := range [][]envs.Token{answer, changed, answer[:r.IntN(len(answer))], append(answer[:len(answer):len(answer)], 0)} {
				walk := &cursor{problem: p}
				ok := true
				for _, token := range a {
					ok = ok && walk.Push(token) == nil
				}
				var room leaves
				run := &cursor{problem: p}
				_, reading, whole := run.run(a, &room)
				if whole != (ok && walk.Done()) {
					t.Fatalf("%v: a whole answer: %v, but the cursor takes it: %v, to its end: %v", a, whole, ok, walk.Done())
				}
				if !whole {
					illegal++
					continue
				}
				legal++
				if !slices.Equal(run.AppendState(nil), appendDone(walk)) || reading.valid != walk.valid {
					t.Fatalf("%s:\n%+v and, token by token,\n%+v", p.AnswerText(a), run, walk)
				}
			}
		}
	})
	if legal < 2000 || illegal < 2000 {
		t.Errorf("%d legal and %d illegal answers, want more of both", legal, illegal)
	}
}

// appendDone is the state of a cursor that is done. The digits of the product,
// which a run does not count, are left out.
func appendDone(c *cursor) []byte {
	d := *c
	d.digits = 0
	return d.AppendState(nil)
}

// TestStatesDecideVerdicts: prefixes of one state, continued alike, get one
// verdict. So states may be merged without a loss.
func TestStatesDecideVerdicts(t *testing.T) {
	merged := 0
	some(t, func(p *Problem, answers [][]envs.Token) {
		first := map[string][]envs.Token{}
		for _, answer := range answers {
			c := &cursor{problem: p}
			for i, token := range answer {
				c.take(token)
				state := string(c.AppendState(nil))
				prefix, met := first[state]
				if !met {
					first[state] = answer[:i+1]
					continue
				}
				if slices.Equal(prefix, answer[:i+1]) {
					continue
				}
				merged++
				other := append(slices.Clone(prefix), answer[i+1:]...)
				if v, w := p.Judge(answer), p.Judge(other); !reflect.DeepEqual(v, w) {
					t.Fatalf("%s and %s have the same state after %d and %d tokens, but the verdicts\n%+v\n%+v",
						p.AnswerText(answer), p.AnswerText(other), i+1, len(prefix), v, w)
				}
			}
		}
	})
	if merged < 1000 {
		t.Errorf("%d pairs of prefixes with one state, want more", merged)
	}
}

// TestViewsDecideChances: states of one view have the same legal tokens and the
// same prior, so that a table may have one row for them; and states of one key have
// one view.
func TestViewsDecideChances(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares the chances of some hundred thousand states")
	}
	rows, met := 0, 0
	some(t, func(p *Problem, answers [][]envs.Token) {
		chances, view := map[string]string{}, map[string]string{}
		for _, answer := range answers {
			c := &cursor{problem: p}
			for i := range len(answer) + 1 {
				key, state := string(c.AppendView(nil)), string(c.AppendState(nil))
				now := fmt.Sprint(c.Legal(), p.AppendPrior(nil, answer[:i]))
				if known, is := chances[key]; is && known != now {
					t.Fatalf("%s: the view %q has the chances %s and, after %v, %s", p.id, key, known, answer[:i], now)
				} else if !is {
					rows++
				}
				if known, is := view[state]; is && known != key {
					t.Fatalf("%s: the state %q has the views %q and %q", p.id, state, known, key)
				}
				chances[key], view[state] = now, key
				met++
				if i < len(answer) {
					c.take(answer[i])
				}
			}
		}
	})
	if rows*3 > met {
		t.Errorf("%d rows for %d states met, want a third or less", rows, met)
	}
}

// TestViews lists the parts that two answers must share to share a view.
func TestViews(t *testing.T) {
	p := drawn(t, 34, 67, 3)
	for _, c := range []struct {
		reason, a, b string
		want         bool
	}{
		{"another expression of the same look", "(30+4)*(6", "(17+17)*(6", true},
		{"valid or not", "(30+4)*(6", "(17+16)*(6", true},
		{"a difference looks otherwise", "(30+4)*(6", "(40-6)*(6", false},
		{"and so does a number", "(30+4)*(6", "34*(6", false},
		{"the operand under way", "(30+4)*(6", "(30+4)*(7", false},
		{"a number to be copied, whatever has been written of it", "34*(60+7)=3", "34*(60+7)=9", true},
		{"in another decomposition", "34*(60+7)=3", "34*(65+2)=3", true},
		{"with another symbol after it", "34*(60+7)=34*6", "(30+4)*60=34*6", false},
		{"another number", "34*(60+7)=34*6", "34*(65+2)=34*6", false},
		{"the factors to be multiplied", "34*(60+7)=34*60+34*7=0", "34*(60+7)=34*61+34*7=5", true},
		{"the product, whatever came before", "34*(60+7)=34*60+34*7=0402+832=8", "(2*17)*67=2*17*67=8", true},
		{"at another digit", "34*67=8", "34*67=87", false},
		{"with a first digit 0, which cannot end the product", "34*67=80", "34*67=87", false},
	} {
		views := [2]string{}
		for i, text := range [2]string{c.a, c.b} {
			var tokens []envs.Token
			for _, r := range text {
				tokens = append(tokens, envs.Token(slices.Index([]rune(symbols), r)))
			}
			views[i] = string(walked(t, p, tokens).AppendView(nil))
		}
		if (views[0] == views[1]) != c.want {
			t.Errorf("%s: %s and %s share a view: %v, want %v", c.reason, c.a, c.b, !c.want, c.want)
		}
	}
}

// TestKeysDoNotAllocate: sampling asks for one at every token.
func TestKeysDoNotAllocate(t *testing.T) {
	p := problem(t, build(t, nil), envs.Train, 0)
	room := make([]byte, 0, 256)
	met := [finished + 1]bool{}
	for j := range 20 {
		answer := p.Demonstrate(rng.New(8).Int(uint64(j)).Rand())
		c := cursor{problem: p}
		n := testing.AllocsPerRun(1, func() {
			c = cursor{problem: p}
			for _, token := range answer {
				met[c.stage] = true
				c.AppendState(room)
				c.AppendView(room)
				if c.Push(token) != nil {
					t.Fatal("a demonstration is not legal")
				}
			}
			met[c.stage] = true
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", p.AnswerText(answer), n)
		}
	}
	if slices.Contains(met[:], false) {
		t.Errorf("the demonstrations met the stages %v, want all", met)
	}
}
