package imported

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"modebench/internal/input"
	"modebench/internal/nearest"
)

// MaxLine is the most bytes that a line of a log may have.
const MaxLine = 16 << 20

// A File is a log that was read.
type File struct {
	Name   string `json:"name"` // without its folder
	SHA256 string `json:"sha256"`
	Lines  int    `json:"completions"`
	Form   Form   `json:"form"`

	path, label string // label: of lines without one
}

type logs struct {
	form   Form
	fields Fields // in place of those of the form
	as     string // the label of lines without one; "": by their file
	files  []*File
}

// read hands the lines of a log to take, in order, with their numbers from 1. Blank lines
// are passed over. Errors name file and line.
func (r *logs) read(ctx context.Context, path string, take func(*File, int, *Line) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, untilDone{ctx, in}); err != nil {
		return err
	}
	file := &File{Name: filepath.Base(path), SHA256: hex.EncodeToString(sum.Sum(nil)), Form: r.form, path: path}
	for _, other := range r.files {
		if other.SHA256 == file.SHA256 {
			return input.Errorf("%s has the same bytes as %s: its answers would count twice", path, other.path)
		}
	}
	r.files = append(r.files, file)
	each := eachLine
	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		each = func(f *os.File, take func(int, []byte) error) error { return eachRow(ctx, f, r.wants, take) }
	}
	err = each(in, func(n int, line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		l, err := r.parse(file, line)
		if err == nil {
			file.Lines++
			err = take(file, n, l)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		return nil
	})
	if err == nil && file.Lines == 0 {
		err = fmt.Errorf("%s holds no completions", path)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &input.Error{Err: err}
}

// untilDone reads until the context ends.
type untilDone struct {
	ctx context.Context
	in  io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(p)
}

// parse reads a line; the first line of a file decides its form.
func (r *logs) parse(file *File, line []byte) (*Line, error) {
	doc, err := parseDocument(line)
	if err != nil {
		return nil, err
	}
	if file.Lines == 0 {
		if file.Form == Auto || file.Form == "" {
			file.Form = formOf(doc)
		}
		file.label = r.labelOf(file)
	}
	l, err := doc.read(fieldsOf[file.Form].with(r.fields))
	if err != nil {
		return nil, err
	}
	if l.Label == "" {
		l.Label = file.label
	}
	return l, nil
}

// labelOf is the label of lines without one: the name of the file without its extension.
// TRL and verl write a file for each step, so theirs is the name of the folder, which TRL
// puts a folder "completions" into.
func (r *logs) labelOf(file *File) string {
	if r.as != "" {
		return r.as
	}
	name := strings.TrimSuffix(file.Name, filepath.Ext(file.Name))
	if file.Form == JSON {
		return name
	}
	path, err := filepath.Abs(file.path)
	if err != nil {
		return name
	}
	folder := filepath.Dir(path)
	if file.Form == TRL && filepath.Base(folder) == "completions" {
		folder = filepath.Dir(folder)
	}
	if base := filepath.Base(folder); base != string(filepath.Separator) {
		return base
	}
	return name
}

func eachLine(f *os.File, take func(int, []byte) error) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, 1<<16), MaxLine)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := take(n, line); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: a line of more than %d bytes", f.Name(), n+1, MaxLine)
	}
	return lines.Err()
}

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

// with returns the fields with those of others in their place.
func (f Fields) with(extra Fields) Fields {
	out := Fields{}
	maps.Copy(out, f)
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

// find returns the first of the fields that the line has and that is not null.
func (doc document) find(names []string) (string, json.RawMessage) {
	for _, name := range names {
		if raw, ok := doc[name]; ok && string(raw) != "null" {
			return name, raw
		}
	}
	return "", nil
}

// without is the error about a line that has no completion.
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
