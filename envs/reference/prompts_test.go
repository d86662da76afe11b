package reference_test

import (
	"fmt"
	"regexp"
	"testing"

	"modebench/envs"
	"modebench/envs/judging"
)

// tagged finds the text between the tags that prompts have.
var tagged = regexp.MustCompile(`(?s)<([a-z]+(?:_\d+)?)>(.*?)</`)

// TestPromptsEarnNothing: who copies the example that a prompt shows, or the whole prompt, earns
// nothing, under either reading, in all environments and splits.
func TestPromptsEarnNothing(t *testing.T) {
	settings := map[string][]string{ // beside the defaults
		"coins":      {"denominations=200,400,500,998,999&kinds=3&amount_min=200&amount_max=999&min_modes=1", "kinds=8&most_coins=2&min_modes=1"},
		"countdown":  {"numbers=3&min_number=1&max_number=9&target_min=1&target_max=9&min_modes=1&at_most_once=true", "numbers=3&min_number=1&max_number=4&target_min=1&min_modes=1"},
		"derivation": {"givens=8&steps=6&distractors=3", "overlong_weight=0.9", "givens=2&steps=1&distractors=0"},
		"maze":       {"size=5&openings_min=0&openings_max=2&items_min=1&items_max=1&lava_min=0&lava_max=0", "size=7"},
	}
	for _, name := range envs.Names() {
		for _, split := range envs.Splits() {
			earnNothing(t, fmt.Sprintf("%s/%s/0", name, split), 1000)
			earnNothing(t, fmt.Sprintf("%s/%s/0?candidates=3", name, split), 200)
			for _, other := range settings[name] {
				earnNothing(t, fmt.Sprintf("%s/%s/0?%s", name, split, other), 300)
			}
		}
	}
}

// earnNothing judges the prompts of the first count problems as answers.
func earnNothing(t *testing.T, first string, n int) {
	t.Helper()
	r := parse(t, first)
	env, err := r.Build()
	if err != nil {
		t.Fatal(err)
	}
	for r.Index = range n {
		q, err := r.FindIn(env)
		if err != nil {
			t.Fatal(err)
		}
		answers := []string{q.Prompt()}
		for _, m := range tagged.FindAllStringSubmatch(q.Prompt(), -1) {
			if q.Chain == nil {
				answers = append(answers, m[2], "<answer>"+m[2]+"</answer>")
				continue
			}
			text := ""
			for i := range q.Chain.Answers() {
				text += fmt.Sprintf("<%[1]s_%[2]d>%[3]s</%[1]s_%[2]d>\n", q.Info.Word, i+1, m[2])
			}
			answers = append(answers, text)
		}
		for _, answer := range answers {
			for _, reading := range judging.Readings() {
				for _, v := range judging.Judge(q, answer, reading).Verdicts {
					if v.Correct || v.Scalar(q.Weights) != 0 {
						t.Errorf("%s, %s reading: %q earns %v", r, reading, answer, v.Reward)
						return
					}
				}
			}
		}
	}
}
