package sets

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"modebench/estimators"
)

var (
	statedAt   = regexp.MustCompile(`^(pass|max)@0*([1-9][0-9]{0,3})$`)
	statedOver = regexp.MustCompile(`(?s)^(.*\S)\s+over\s+0*([1-9][0-9]{0,3})$`)
)

// StatedTarget is the target that a text states: reward, pass@K, max@K, or EXPRESSION over N.
// An estimator outside of this module states its target so; "" states no target.
func StatedTarget(i *estimators.Instance, s estimators.TargetSetting, text string) (estimators.Target, error) {
	text = strings.TrimSpace(text)
	switch text {
	case "":
		return estimators.Target{Why: "it names no objective"}, nil
	case "reward":
		return estimators.RewardTarget(i, s)
	}
	if m := statedAt.FindStringSubmatch(text); m != nil {
		k, _ := strconv.Atoi(m[2])
		if m[1] == "pass" {
			return estimators.PassAt(k, s), nil
		}
		return i.Best(text, k, s)
	}
	m := statedOver.FindStringSubmatch(text)
	if m == nil {
		return estimators.Target{}, fmt.Errorf("the objective %q is not one of reward, pass@K, max@K, EXPRESSION over N", text)
	}
	n, _ := strconv.Atoi(m[2])
	if f := findSetObjective(m[1]); f != nil {
		return objectiveTarget(i, f, n, s)
	}
	set := &SetRL{Objective: m[1], N: n}
	if err := set.Check(); err != nil {
		return estimators.Target{}, fmt.Errorf("the objective %q: %w", text, err)
	}
	return expressionTarget(set, text, s), nil
}
