package spec

import (
	"strconv"
	"strings"
)

// This file reads the quick form of a spec: the changes to a long spec that show the direction
// of its effects within ten minutes, in the form of --set:
//
//	quick = ["seeds=2", "train.steps=100", "method.poly-epo.n=4"]

// quickForm returns the settings of the quick form, and its number of seeds; 0: the spec's.
func (d document) quickForm() (settings []*setting, seeds int, err error) {
	quick := d.root.get("quick")
	if len(quick.entries()) == 0 {
		return nil, 0, d.errorf(d.root, "the spec has no quick form: want quick = [\"seeds=2\", \"train.steps=100\"], or --seeds and --set")
	}
	for _, entry := range quick.list {
		pair, _ := entry.value.(string)
		text, ofSeeds := strings.CutPrefix(pair, "seeds=")
		if !ofSeeds {
			settings = append(settings, &setting{pair, entry.line})
			continue
		}
		if seeds, err = strconv.Atoi(text); err != nil || seeds < 1 || seeds > MaxSeeds {
			return nil, 0, d.errorf(entry, "field %q: got %q, want seeds=N with N from 1 to %d", "quick", pair, MaxSeeds)
		}
	}
	return settings, seeds, nil
}
