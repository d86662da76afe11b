package main

import (
	"fmt"
	"strings"

	"modebench/experiments/claims"
	"modebench/metrics/stats"
)

// A finding is a claim that the box of a paper is about, in few words, with the answer that the
// box's first sentence was written for. Another answer is an error: the sentence has to be read again.
type finding struct {
	spec, claim, words string
	answer             stats.Answer
}

// A box is the answer, at the top of a paper's page, whether its main claim holds here.
type box struct {
	page    string // in results
	verdict string
	heldOut []finding // with a small transformer, on held-out problems
	tables  []finding // with tabular policies, on the problems trained on
}

var boxes = []box{
	{
		page:    "setpo",
		verdict: "SetPO's main claim is that it raises pass@k above GRPO's. At lambda 0.5, the paper's weight for Countdown, it does not. At lambda 5 it does on held-out Countdown: it recovers the pass@k that GRPO loses relative to the base policy, and gives up what GRPO gains in pass@1.",
		heldOut: []finding{
			{"dose", "setpo-at-its-dose", "at lambda 0.5, no gain of 0.03 or more over GRPO", stats.Supported},
			{"dose", "setpo-ten-times", "at lambda 5, above GRPO", stats.Supported},
			{"dose", "setpo-costs", "lambda 5 costs pass@1", stats.Supported},
			{"setpo-plugin-held-out", "improves-grpo", "at lambda 0.05, the weight of the paper's tables 1 and 2, pass@1 and pass@64 above GRPO", stats.NoDifference},
		},
		tables: []finding{{"countdown-passk", "setpo-above", "at lambda 0.5, pass@1 to pass@64 above GRPO", stats.NoDifference}},
	},
	{
		page:    "poly-epo",
		verdict: "Poly-EPO's main claim is to keep many strategies and a high pass@k where GRPO collapses. Against GRPO it does. Against GRPO with a diversity bonus it is ahead at 16 answers and behind at 64.",
		heldOut: []finding{
			{"dose", "poly-epo-above-grpo", "pass@16 and pass@64 against GRPO", stats.Supported},
			{"dose", "poly-epo-above-grpo-div", "the same against GRPO+DIV", stats.Mixed},
			{"boundary", "poly-epo-loses-less", "problems lost, against GRPO", stats.Supported},
		},
		tables: []finding{{"synthetic-strategies", "more-strategies", "correct strategies, against GRPO", stats.Supported}},
	},
	{
		page:    "vpo",
		verdict: "VPO's main claim is to make the best of many answers better, under any weights of the reward. Against GRPO it does at 5 and 30 answers. Against other methods it does under weights drawn anew, on mazes with tables. Under the weights that all are trained for it does at some settings and not at others.",
		heldOut: []finding{
			{"fronts", "vpo-best", "best@5 and best@30 against GRPO", stats.Supported},
			{"fronts", "vpo-under-any-weights", "under weights drawn anew, against Multi-RLVR", stats.Supported},
		},
		tables: []finding{
			{"maze-bestk", "vpo-best-under-any-weights", "under weights drawn anew, against all methods", stats.Supported},
			{"maze-bestk", "vpo-best", "under the weights trained for, against all methods", stats.Mixed},
		},
	},
	{
		page:    "sd-e2",
		verdict: "SD-E2's main claim is to get more final answers right by comparing strategies than by counting them. It does not here: it makes no difference. It is above its base policy.",
		heldOut: []finding{
			{"sd-e2-held-out", "acc-over-cfee", "against counting strategies", stats.NoDifference},
			{"sd-e2-held-out", "acc-over-base", "against the base policy", stats.Supported},
		},
		tables: []finding{
			{"sd-e2-efficiency", "acc-over-cfee", "against counting strategies", stats.NoDifference},
			{"sd-e2-efficiency", "acc-over-cfl", "against a length penalty", stats.Supported},
		},
	},
	{
		page:    "evol-rl",
		verdict: "Evol-RL's main claim is to raise pass@1 and pass@16 without labels. Half of it holds on held-out problems: pass@1 rises, and it is above votes alone (among all claims about Evol-RL on held-out problems that is undecided: p = .051). Its pass@16 falls below that of the base policy.",
		heldOut: []finding{
			{"label-free-room", "evolrl-raises-pass-1", "against the base policy", stats.Supported},
			{"label-free-room", "evolrl-raises-pass-16", "against the base policy", stats.Opposed},
			{"label-free-room", "evolrl-above-votes", "against votes alone", stats.Supported},
		},
		tables: []finding{{"label-free", "evolrl-raises-pass-16", "against the base policy", stats.Opposed}},
	},
}

// markdown is the text of the box, with the numbers of the kept verdicts.
func (b box) markdown(f *facts) (string, error) {
	heldOut, err := evidence(f, b.heldOut)
	if err != nil {
		return "", err
	}
	tables, err := evidence(f, b.tables)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("> **Does the main claim hold here?** %s\n>\n> *Held-out problems, a small transformer:* %s.\n>\n> *Problems trained on, tables:* %s.\n", b.verdict, heldOut, tables), nil
}

// evidence has the answer of the seeds, finding by finding.
func evidence(f *facts, findings []finding) (string, error) {
	var words []string
	for _, x := range findings {
		claim, answer, settings, err := f.claim(x.spec, x.claim)
		if err != nil {
			return "", err
		}
		if answer.Answer != x.answer {
			return "", fmt.Errorf("the answer to %s %s is %q, and the box was written for %q: write its first sentence anew", x.spec, x.claim, answer.Answer, x.answer)
		}
		together, apart := "", answersApart(settings)
		switch {
		case answer.Answer == stats.Mixed:
			apart = strings.Replace(apart, ", one by one ", ", ", 1)
		case apart != "":
			together = " taken together"
		}
		words = append(words, fmt.Sprintf("%s: %s%s (%s%s, `%s`)", x.words, answer.Answer, together, effect(claim.Metrics, settings), apart, x.spec))
	}
	return strings.Join(words, "; "), nil
}

// answersApart counts the settings of a claim by their answers; "": they all have the same one.
func answersApart(settings []claims.AnswerAt) string {
	counts := map[stats.Answer]int{}
	for _, a := range settings {
		counts[a.Answer]++
	}
	if len(counts) < 2 {
		return ""
	}
	var parts []string
	for _, a := range claims.AtSettings {
		if counts[a] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[a], a))
		}
	}
	return ", one by one " + strings.Join(parts, ", ")
}
