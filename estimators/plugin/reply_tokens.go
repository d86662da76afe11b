package plugin

import (
	"encoding/json"
	"fmt"
	"strconv"

	"modebench/estimators"
	"modebench/internal/plural"
)

// parseTokenAdvantages reads the answer of a plug-in that gives every token an advantage of
// its own: one list per group, in it one list per rollout, in it one number per token. dst
// has that shape.
func parseTokenAdvantages(dst [][][]float64, b *estimators.Batch, result json.RawMessage) error {
	return eachGroup(len(dst), b, result, "list", func(g int, group json.RawMessage) error { return parseGroupTokens(dst[g], group) })
}

// parseGroupTokens reads the advantages of the tokens of one group.
func parseGroupTokens(dst [][]float64, group json.RawMessage) error {
	rollouts, ok := entries(group)
	if !ok {
		return fmt.Errorf("got %s, want a list of %s", clip(string(group), 40), plural.Of(len(dst), "list"))
	}
	if len(rollouts) != len(dst) {
		return fmt.Errorf("got %s, want %d, one for each rollout", plural.Of(len(rollouts), "list"), len(dst))
	}
	for i, rollout := range rollouts {
		values, ok := entries(rollout)
		if !ok {
			return fmt.Errorf("rollout %d: got %s, want a list of %s", i, clip(string(rollout), 40), plural.Of(len(dst[i]), "advantage"))
		}
		if len(values) != len(dst[i]) {
			return fmt.Errorf("rollout %d: got %s, want %d, one for each token", i, plural.Of(len(values), "advantage"), len(dst[i]))
		}
		for k, value := range values {
			x, err := strconv.ParseFloat(string(value), 64)
			if err != nil {
				return fmt.Errorf("rollout %d: the advantage of token %d is %s, want a finite number", i, k, asWritten(value))
			}
			dst[i][k] = x
		}
	}
	return nil
}
