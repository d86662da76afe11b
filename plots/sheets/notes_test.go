package sheets

import (
	"testing"

	"modebench/plots/numbers"
)

func TestLastStepNote(t *testing.T) {
	at := func(method string, step int) numbers.Variant {
		v := methodsShown(method)[0]
		v.Steps = []int{0, step}
		return v
	}
	of := func(tokens int, v numbers.Variant) numbers.Variant {
		v.Tokens = tokens
		return v
	}
	for want, shown := range map[string][]numbers.Variant{
		"After 50 training steps or 900 tokens, whichever came first.":               {at("base", 0), of(900, at("grpo", 50)), of(900, at("gspo", 50))},
		"After 50 training steps or 300 to 900 tokens, whichever came first.":        {of(300, at("gspo", 50)), of(900, at("grpo", 50))},
		"After 50 training steps, or fewer where a budget of tokens ended training.": {at("grpo", 50), of(900, at("gspo", 50))},
		"Before training.":                       {at("base", 0)},
		"After 50 training steps.":               {at("base", 0), at("grpo", 50)},
		"At the last evaluated step (40 to 50).": {at("gspo", 40), at("grpo", 50)},
	} {
		if got := LastStepNote(shown); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
