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

// MaxLine is the most bytes that a line of a log, or a record of a list, may have.
const MaxLine = 16 << 20

// A Form names a meaning of the fields of a record.
type Form string

// The forms.
const (
	Auto   Form = "auto"    // the form that fits the first record of a file
	JSON   Form = "jsonl"   // the names that are found in the wild
	TRL    Form = "trl"     // the table of completions of TRL's GRPOTrainer (log_completions)
	Verl   Form = "verl"    // the rollouts and validations that verl writes down
	LMEval Form = "lm-eval" // the samples of lm-evaluation-harness (--log_samples)
	VLLM   Form = "vllm"    // vLLM's RequestOutput as an object
	OpenAI Form = "openai"  // the output of OpenAI's Batch API, which vLLM's run-batch writes too
)

// Forms lists the forms by name.
func Forms() []Form { return []Form{Auto, JSON, TRL, Verl, LMEval, VLLM, OpenAI} }

// Fields are names of fields of a record by their role: "id", "text", "prompt", "step", "label" and
// "seed". A name may lead to a field within others, as doc.id. Of several names the first that a record
// has counts.
type Fields map[string][]string

// Roles lists the roles of fields.
func Roles() []string { return []string{"id", "text", "prompt", "step", "label", "seed"} }

// speakers are the roles of fields that may be chats, and the role in a chat whose last turn counts.
var speakers = map[string]string{"text": "assistant", "prompt": "user"}

// formed has for each form its fields beside step, label and seed, those that tell it from the others,
// whether a record lists several completions, and whether lines have the label of their folder. verl
// has no field for the name of a problem, but the ground truth that a user gives its reward function
// ("gts") may be one.
var formed = map[Form]struct {
	fields       Fields
	marks        []string
	many, folder bool
}{
	JSON: {fields: Fields{
		"id": {"id", "problem", "problem_id"}, "text": {"completion", "response", "output", "answer", "text", "messages"},
		"prompt": {"prompt", "input", "question"}, "label": {"label", "method", "run"},
	}},
	TRL: {folder: true, marks: []string{"prompt", "completion", "advantage"}, fields: Fields{
		"id": {"id", "problem", "problem_id"}, "text": {"completion"}, "prompt": {"prompt"},
	}},
	Verl: {folder: true, marks: []string{"input", "output", "gts", "score"}, fields: Fields{
		"id": {"id", "problem", "problem_id", "gts"}, "text": {"output"}, "prompt": {"input"},
	}},
	LMEval: {folder: true, many: true, marks: []string{"doc", "resps"}, fields: Fields{
		"id": {"doc.id", "doc.problem", "doc.problem_id"}, "text": {"resps"}, "prompt": {"doc.prompt", "arguments.gen_args_0.arg_0"},
	}},
	VLLM: {many: true, marks: []string{"outputs"}, fields: Fields{
		"id": {"id", "problem", "problem_id", "request_id"}, "text": {"outputs"}, "prompt": {"prompt"},
	}},
	OpenAI: {many: true, marks: []string{"custom_id", "response"}, fields: Fields{
		"id": {"custom_id"}, "text": {"response.body.choices", turns},
	}},
}

// turns is the field of OpenAI's Responses API, which lists the turns of one completion.
const turns = "response.body.output"

// with returns the fields with those of others in their place.
func (f Fields) with(extra Fields) Fields {
	out := Fields{"step": {"step"}, "label": {"label", "run"}, "seed": {"seed"}}
	maps.Copy(out, f)
	maps.Copy(out, extra)
	return out
}

// A Line is the content of a record.
type Line struct {
	ID     string   // "": the problem is known by its prompt
	Texts  []string // the model's answers; none: the record repeats those of another
	Prompt string   // "": the line has no prompt
	Label  string   // "": that of the file
	Step   int      // of training, 0 or more
	Seed   int      // 0 or more
}

type document map[string]json.RawMessage

// parseDocument reads an object of JSON. NaN and Infinity, which Python writes, are null.
func parseDocument(line []byte) (document, error) {
	var doc document
	err := json.Unmarshal(line, &doc)
	if err != nil {
		err = json.Unmarshal(notJSON.ReplaceAllFunc(line, func(match []byte) []byte {
			if match[0] == '"' {
				return match
			}
			return []byte("null")
		}), &doc)
	}
	if err != nil || doc == nil {
		return nil, errors.New("it is no object of JSON")
	}
	return doc, nil
}

// notJSON matches the numbers that JSON does not have, and texts, so that those in texts stay.
var notJSON = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// formOf is the form whose marks a record has, be they null, or else that of the names in the wild.
func formOf(doc document) (Form, error) {
	var fits []string
	free, _ := doc.find(formed[JSON].fields["text"])
	for _, form := range Forms() {
		f := formed[form]
		if len(f.marks) == 0 || slices.ContainsFunc(f.marks, func(name string) bool { return doc[name] == nil }) {
			continue
		}
		fits = append(fits, string(form))
		if !f.many || slices.Contains(f.marks, free) {
			free = "" // it is a field of this form
		}
	}
	if len(fits) == 0 || free != "" {
		fits = append(fits, string(JSON))
	}
	if len(fits) > 1 {
		return "", fmt.Errorf("its fields fit several forms, %s: name one with --log", strings.Join(fits, " and "))
	}
	return Form(fits[0]), nil
}

func (doc document) read(form Form, fields Fields) (*Line, error) {
	var l Line
	for _, t := range []struct {
		role string
		into *string
	}{{"id", &l.ID}, {"prompt", &l.Prompt}, {"label", &l.Label}} {
		if name, raw := doc.find(fields[t.role]); name != "" {
			var err error
			if *t.into, err = textOf(raw, t.role); err != nil {
				return nil, fmt.Errorf("field %q: %w", name, err)
			}
		}
	}
	name, raw := doc.find(fields["text"])
	if name == "" {
		return nil, doc.without(fields["text"])
	}
	var err error
	if formed[form].many && name != turns {
		l.Texts, err = textsOf(raw, 2)
	} else {
		l.Texts = make([]string, 1)
		l.Texts[0], err = textOf(raw, "text")
	}
	if err == nil && len(l.Texts) == 0 {
		err = errors.New("it lists no completion")
	}
	if err != nil {
		return nil, fmt.Errorf("field %q: %w", name, err)
	}
	if l.Step, err = doc.count(fields["step"]); err == nil {
		l.Seed, err = doc.count(fields["seed"])
	}
	return &l, err
}

// find returns the first of the fields that the line has and that is not null.
func (doc document) find(names []string) (string, json.RawMessage) {
	for _, name := range names {
		if raw := doc.field(name); raw != nil && string(raw) != "null" {
			return name, raw
		}
	}
	return "", nil
}

// field is that of a name, or of its parts between dots.
func (doc document) field(name string) json.RawMessage {
	if raw := doc[name]; raw != nil {
		return raw
	}
	outer, rest, _ := strings.Cut(name, ".")
	var inner document
	if rest == "" || json.Unmarshal(doc[outer], &inner) != nil {
		return nil
	}
	return inner.field(rest)
}

// without is the error about a record that has no completion. APIs have the reason in its place.
func (doc document) without(names []string) error {
	if _, reason := doc.find([]string{"error", "response.body.error"}); reason != nil {
		return fmt.Errorf("no completion: the request failed: %.200s", reason)
	}
	for _, name := range names {
		if doc.field(name) != nil {
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
		hint = fmt.Sprintf(" (--field text=%s, if it is that)", hint)
	}
	return fmt.Errorf("no completion: want it in the field %s%s", strings.Join(names, ", "), hint)
}

// count reads a whole number, 0 without one. Some write 10.0.
func (doc document) count(names []string) (int, error) {
	name, raw := doc.find(names)
	if name == "" {
		return 0, nil
	}
	var x float64
	if json.Unmarshal(raw, &x) != nil || x != math.Trunc(x) || x < 0 || x >= 1<<53 {
		return 0, fmt.Errorf("field %q is %.40s, want a whole number of at least 0", name, raw)
	}
	return int(x), nil
}

// textsOf reads completions: a text, an object with a text or a message, or a list of them. lm-eval has
// two lists: of the requests of a document, and of the completions of each.
func textsOf(raw json.RawMessage, lists int) ([]string, error) {
	var list []json.RawMessage
	if lists > 0 && json.Unmarshal(raw, &list) == nil && list != nil {
		var all []string
		for _, entry := range list {
			texts, err := textsOf(entry, lists-1)
			if err != nil {
				return nil, err
			}
			all = append(all, texts...)
		}
		return all, nil
	}
	var answer struct {
		Text    *string
		Message *struct{ Content json.RawMessage }
	}
	var text string
	var err error
	switch failed := json.Unmarshal(raw, &answer); {
	case failed == nil && answer.Text != nil:
		text = *answer.Text
	case failed == nil && answer.Message != nil:
		text, err = contentOf(answer.Message.Content)
	default:
		text, err = textOf(raw, "")
	}
	return []string{text}, err
}

// textOf reads a text, and in the fields of speakers a chat.
func textOf(raw json.RawMessage, role string) (string, error) {
	var text *string
	if json.Unmarshal(raw, &text) == nil && text != nil {
		return *text, nil
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
