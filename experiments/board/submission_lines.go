package board

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// without is a TOML text with empty lines in place of a table at its top, so that what is left
// stays on its lines. lines has the line, from 1, of every table at the top and of the keys in
// it, as in "method" and "method.name".
func without(data []byte, table string) (rest []byte, lines map[string]int, err error) {
	lines = map[string]int{}
	var starts []int // the expressions' first lines, from 0
	var drop []bool
	p := unstable.Parser{}
	p.Reset(data)
	under := ""
	for p.NextExpression() {
		e := p.Expression()
		line, name := 0, under
		it := e.Key()
		for i := 0; it.Next(); i++ {
			key := it.Node()
			if i == 0 {
				line = bytes.Count(data[:key.Raw.Offset], []byte("\n"))
				if e.Kind != unstable.KeyValue {
					name = ""
				}
			}
			if name != "" {
				name += "."
			}
			name += string(key.Data)
			if _, known := lines[name]; !known {
				lines[name] = line + 1
			}
		}
		if e.Kind != unstable.KeyValue {
			under = name
		}
		starts = append(starts, line)
		drop = append(drop, name == table || len(name) > len(table) && name[:len(table)+1] == table+".")
	}
	if err := p.Error(); err != nil {
		return nil, nil, err
	}
	text := bytes.Split(slices.Clone(data), []byte("\n"))
	for i, start := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		for ; drop[i] && start < end; start++ {
			text[start] = nil
		}
	}
	return bytes.Join(text, []byte("\n")), lines, nil
}
