package imported

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"modebench/internal/nearest"
)

// A Form names a meaning of the fields of a line of JSON.
type Form string

// The forms.
const (
	Auto Form = "auto"  // the form that fits the first line of a file
	JSON Form = "jsonl" // the names that are found in the wild
	TRL  Form = "trl"   // the table of completions of TRL's GRPOTrainer (log_completions)
	Verl Form = "verl"  // the rollouts and validations that verl writes down
)

// Forms lists the forms by name.
func Forms() []string { return []string{string(Auto), string(JSON), string(TRL), string(Verl)} }

// Fields are names of fields of a line by their role: "id", "text", "prompt", "step", "label" and
// "seed". Of several names the first that a line has counts.
type Fields map[string][]string

// Roles lists the roles of fields.
func Roles() []string { return []string{"id", "text", "prompt", "step", "label", "seed"} }

// speakers are the roles of fields that may be chats, and the role in a chat whose last turn counts.
var speakers = map[string]string{"text": "assistant", "prompt": "user"}

// fieldsOf are the fields of each form. verl has no field for the name of a problem, but the ground
// truth that a user gives its reward function ("gts") may be one.
var fieldsOf = map[Form]Fields{
	JSON: {
		"id": {"id", "problem", "problem_id"}, "text": {"completion", "response", "output", "answer", "text", "messages"},
		"prompt": {"prompt", "input", "question"}, "step": {"step"}, "label": {"label", "method", "run"}, "seed": {"seed"},
	},
	TRL: {
		"id": {"id", "problem", "problem_id"}, "text": {"completion"},
		"prompt": {"prompt"}, "step": {"step"}, "label": {"label", "run"}, "seed": {"seed"},
	},
	Verl: {
		"id": {"id", "problem", "problem_id", "gts"}, "text": {"output"},
		"prompt": {"input"}, "step": {"step"}, "label": {"label", "run"}, "seed": {"seed"},
	},
}

func (f Fields) with(extra Fields) Fields {
	out := maps.Clone(f)
	maps.Copy(out, extra)
	return out
}

// A Line is the content of a line of a log.
type Line struct {
	ID     string // "": the problem is known by its prompt
	Text   string // the model's answer
	Prompt string // "": the line has no prompt
	Label  string // "": that of the file
	Step   int    // of training, 0 or more
	Seed   int    // 0 or more
}

type document map[string]json.RawMessage

// parseDocument reads an object of JSON. NaN and Infinity, which Python writes, are null.
func parseDocument(line []byte) (document, error) {
	var doc document
	err := json.Unmarshal(line, &doc)
	if err != nil {
		err = json.Unmarshal(withoutNaN(line), &doc)
	}
	if err != nil || doc == nil {
		return nil, errors.New("it is no object of JSON")
	}
	return doc, nil
}

// notJSON matches the numbers that JSON does not have, and texts, so that those in texts stay.
var notJSON = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// withoutNaN writes null for the words NaN, Infinity and -Infinity outside of texts.
func withoutNaN(line []byte) []byte {
	return notJSON.ReplaceAllFunc(line, func(match []byte) []byte {
		if match[0] == '"' {
			return match
		}
		return []byte("null")
	})
}

func formOf(doc document) Form {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { _, ok := doc[name]; return !ok })
	}
	switch {
	case has("input", "output", "gts", "score"):
		return Verl
	case has("prompt", "completion", "advantage"):
		return TRL
	}
	return JSON
}

func (doc document) read(fields Fields) (*Line, error) {
	var l Line
	var err error
	for _, t := range []struct {
		role string
		into *string
	}{{"id", &l.ID}, {"prompt", &l.Prompt}, {"label", &l.Label}, {"text", &l.Text}} {
		name, raw := doc.find(fields[t.role])
		switch {
		case name == "" && t.role == "text":
			return nil, doc.without(fields["text"])
		case name == "":
			continue
		}
		if *t.into, err = textOf(raw, t.role); err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
	}
	if l.Step, err = doc.count(fields["step"]); err == nil {
		l.Seed, err = doc.count(fields["seed"])
	}
	return &l, err
}

func (doc document) find(names []string) (string, json.RawMessage) {
	for _, name := range names {
		if raw, ok := doc[name]; ok && string(raw) != "null" {
			return name, raw
		}
	}
	return "", nil
}

func (doc document) without(names []string) error {
	for _, name := range names {
		if _, null := doc[name]; null {
			return fmt.Errorf("field %q is null: no completion; leave the line out, or give an empty text", name)
		}
	}
	hint := ""
	for name := range doc { // of a few names, and only the nearest is reported
		if near := nearest.Name(name, names); near != "" && (hint == "" || name < hint) {
			hint = name
		}
	}
	if hint != "" {
		hint = fmt.Sprintf(" (--text %s, if it is that)", hint)
	}
	return fmt.Errorf("no completion: want it in the field %s%s", strings.Join(names, ", "), hint)
}

const maxCount = 1 << 53

// count reads a whole number, 0 without one. Some write 10.0.
func (doc document) count(names []string) (int, error) {
	name, raw := doc.find(names)
	if name == "" {
		return 0, nil
	}
	var x float64
	if json.Unmarshal(raw, &x) != nil || x != math.Trunc(x) || x < 0 || x >= maxCount {
		return 0, fmt.Errorf("field %q is %.40s, want a whole number of at least 0", name, raw)
	}
	return int(x), nil
}

// textOf reads a text, and in the fields of speakers a chat.
func textOf(raw json.RawMessage, role string) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	who, chat := speakers[role]
	if !chat {
		return "", fmt.Errorf("got %.40s, want a text", raw)
	}
	var turns []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &turns) != nil {
		return "", errors.New("want a text or a chat, a list of turns with role and content; one completion a line")
	}
	for _, turn := range slices.Backward(turns) {
		if turn.Role == who {
			return contentOf(turn.Content)
		}
	}
	return "", fmt.Errorf("the chat has no turn of the role %s", who)
}

// contentOf reads the content of a turn: a text, a list of parts of which some are texts, or
// nothing, as in a call of a tool.
func contentOf(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil || len(raw) == 0 {
		return text, nil
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return "", errors.New("the content of a turn is no text and no list of parts")
	}
	var all strings.Builder // parts may be a million
	for _, part := range parts {
		all.WriteString(part.Text)
	}
	return all.String(), nil
}
