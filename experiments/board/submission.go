package board

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"modebench/estimators/plugin"
	"modebench/internal/input"
)

// A Submission is a user's method, to be placed among those of the board.
type Submission struct {
	Name  string // its label, on the board
	file  string // that errors name
	dir   string // where commands of plug-ins are started
	table map[string]any
	text  []byte // the file, with empty lines in place of the parts that no spec has
	lines map[string]int
	tune  *tuneTable
}

// tuneTable is the file's table of tuning.
type tuneTable struct {
	Knob   string `toml:"knob"`
	Values []any  `toml:"values"`
}

// ReadSubmission reads a file with one [[method]] table as a spec has it, and at most one [tune] table
// with a knob and three values of it. file is its name in errors, and commands are started in
// its folder. Whether the method takes its fields is known when it is put on a task (Entrant).
func ReadSubmission(file string, data []byte) (*Submission, error) {
	if len(data) > maxOwn {
		return nil, input.Errorf("%s: it has %d bytes, want %d at most", file, len(data), maxOwn)
	}
	var doc struct {
		Method []map[string]any `toml:"method"`
		Tune   *tuneTable       `toml:"tune"`
	}
	err := DecodeTOML(file, data, &doc)
	if err != nil {
		return nil, err
	}
	o := &Submission{file: file, dir: filepath.Dir(file), tune: doc.Tune}
	if o.text, o.lines, err = without(data, "tune"); err != nil {
		return nil, located(file, err)
	}
	if len(doc.Method) != 1 {
		return nil, input.Errorf("%s: it has %d [[method]] tables, want one", file, len(doc.Method))
	}
	o.table = doc.Method[0]
	if err := o.checkMethod(); err != nil {
		return nil, err
	}
	return o, o.checkTune()
}

// maxOwn bounds a file, in bytes: the decoder takes the square of the number of keys. maxLabel bounds
// a label.
const (
	maxOwn   = 1 << 14
	maxLabel = 60
)

// CommandSubmission is a plug-in that is started by a command in the working folder. Its name is that
// of the file that the command ends with.
func CommandSubmission(command []string) (*Submission, error) {
	if len(command) == 0 {
		return nil, input.Errorf("there is no command: want one, as in python3 -m modebench mine.py")
	}
	last := filepath.Base(command[len(command)-1])
	text, err := toml.Marshal(map[string]any{"method": []map[string]any{{
		"name": plugin.Name, "label": strings.TrimSuffix(last, filepath.Ext(last)), "command": command,
	}}})
	if err != nil {
		return nil, input.Errorf("the command: %w", err)
	}
	return ReadSubmission("command.toml", text) // a spec is named after a file
}

// errorf is an error at a key of the file.
func (o *Submission) errorf(key, format string, args ...any) error {
	where := o.file
	if line := o.lines[key]; line > 0 {
		where += fmt.Sprintf(":%d", line)
	}
	return input.Errorf("%s: %w", where, fmt.Errorf(format, args...))
}

// checkMethod checks the fields that the board asks for; the spec checks the method's own fields.
func (o *Submission) checkMethod() error {
	name, ok := o.table["name"].(string)
	if !ok || name == "" || name == "*" {
		return o.errorf("method", "want name, that of one method, as in name = \"set-rl\" (bench list methods)")
	}
	o.Name = name
	if label, given := o.table["label"]; given {
		if o.Name, ok = label.(string); !ok || o.Name == "" {
			return o.errorf("method.label", "label is %v, want a text", label)
		}
	}
	if len(o.Name) > maxLabel || strings.ContainsFunc(o.Name, func(r rune) bool { return r == '|' || !unicode.IsPrint(r) }) {
		return o.errorf("method.label", "the label %q goes into tables: want printable characters, at most %d bytes, and no |", o.Name, maxLabel)
	}
	if o.Name == Base || o.Name == Optimum {
		return o.errorf("method.label", "%q is a reference of the scores: want another label", o.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(o.table)) {
		value := o.table[key]
		switch key {
		case "train", "eval", "policy":
			return o.errorf("method."+key, "%q is the same for all methods on the board: leave it out", key)
		}
		if !plain(value) {
			return o.errorf("method."+key, "%q is %v, want a text, a number, true or false, or a list of such", key, value)
		}
	}
	return nil
}

// plain reports whether a value can be written on a line of a [[method]] table.
func plain(value any) bool {
	switch x := value.(type) {
	case string, bool, int64, float64:
		return true
	case []any:
		return !slices.ContainsFunc(x, func(v any) bool { _, list := v.([]any); return list || !plain(v) })
	}
	return false
}

// checkTune checks the shape of the knob's values; the method checks the values themselves.
func (o *Submission) checkTune() error {
	if o.tune == nil {
		return nil
	}
	switch o.tune.Knob {
	case "":
		return o.errorf("tune", "want knob, the field to tune")
	case "name", "label", "command", "train", "eval", "policy":
		return o.errorf("tune.knob", "%q is no knob: want a field of the method with numbers", o.tune.Knob)
	}
	if err := checkValues(o.tune.Knob, o.tune.Values); err != nil {
		return o.errorf("tune.values", "%w", err)
	}
	return nil
}

// Taken is the error of a name that results have.
func (o *Submission) Taken() error {
	return o.errorf("method", "%q is the name of a method on the board: give yours another name, label = \"mine\"", o.Name)
}

// Among checks that the method can be placed among the results: no method there may have its name.
func (o *Submission) Among(results []*Result) error {
	for _, r := range results {
		if r.Standing(o.Name) != nil || slices.ContainsFunc(r.Unfit, func(u Unfit) bool { return u.Method == o.Name }) {
			return o.Taken()
		}
	}
	return nil
}

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
