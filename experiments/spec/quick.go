package spec

import (
	"strconv"
	"strings"
)

// This file makes the quick form of a spec. What a long spec changes to show the direction of
// its effects within ten minutes stands in it, as --set has it:
//
//	quick = ["seeds=2", "train.steps=100", "method.poly-epo.n=4"]

// quickForm is what the quick form sets, and its number of seeds; 0: the spec's.
func (d document) quickForm(root map[string]any) (pairs []string, seeds int, err error) {
	list, ok := root["quick"].([]any)
	if !ok || len(list) == 0 {
		return nil, 0, d.errorf("", "the spec has no quick form: want quick = [\"seeds=2\", \"train.steps=100\"], or --seeds and --set")
	}
	for _, entry := range list {
		pair, _ := entry.(string)
		text, ofSeeds := strings.CutPrefix(pair, "seeds=")
		if !ofSeeds {
			pairs = append(pairs, pair)
			continue
		}
		if seeds, err = strconv.Atoi(text); err != nil || seeds < 1 || seeds > MaxSeeds {
			return nil, 0, d.errorf("quick", "field %q: got %q, want seeds=N with N from 1 to %d", "quick", pair, MaxSeeds)
		}
	}
	return pairs, seeds, nil
}
