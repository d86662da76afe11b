package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"modebench/estimators"
	"modebench/estimators/batchjson"
	"modebench/internal/each"
)

// The batches whose advantages methods' pages show: one of rollouts with one answer each, and
// one of rollouts with two.
const (
	exampleFile = "docs/site/example.json"
	severalFile = "docs/site/example-several.json"
)

// Their descriptions on pages.
const (
	exampleIntro = "Of eight rollouts of one problem, four are of the correct mode A, one is of the correct mode B and three are wrong, in the modes C, D and E."
	severalIntro = "Four rollouts have two answers each. The correct modes are A and B. The two components of the reward weigh the same."
)

type example struct {
	file   string
	intro  string // its description
	batch  *estimators.Batch
	greedy float64  // the reward of the greedy rollout
	fields []string // the file's fields of rollouts and their answers, without the modes
	kinds  []kindOfRollout
}

// A kindOfRollout is rollouts of a group with the same values in the file.
type kindOfRollout struct {
	values   map[string]string // by field; those of several answers have spaces between
	rollouts []int
}

func (k *kindOfRollout) modes() string { return k.values["mode"] }

func readExample(repo fs.FS, file, intro string) (*example, error) {
	data, err := fs.ReadFile(repo, file)
	if err != nil {
		return nil, err
	}
	e, err := parseExample(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	e.file, e.intro = file, intro
	return e, nil
}

func parseExample(data []byte) (*example, error) {
	b, err := batchjson.Read(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	// The same text again, since pages show values as it writes them.
	var doc struct {
		Groups []struct{ Rollouts []map[string]json.RawMessage }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	e := &example{batch: b, greedy: b.Groups[0].Greedy}
	for _, name := range append(b.CandidateFields.Names(), b.RolloutFields.Names()...) {
		if name != "mode" && name != "greedy" { // the head of every table; a fact of the group
			e.fields = append(e.fields, name)
		}
	}
	for i, rollout := range doc.Groups[0].Rollouts {
		values, err := e.valuesOf(rollout)
		if err != nil {
			return nil, err
		}
		same := slices.IndexFunc(e.kinds, func(earlier kindOfRollout) bool { return maps.Equal(earlier.values, values) })
		if same < 0 {
			same = len(e.kinds)
			e.kinds = append(e.kinds, kindOfRollout{values: values})
		}
		e.kinds[same].rollouts = append(e.kinds[same].rollouts, i)
	}
	return e, nil
}

// valuesOf are the values in the file of a rollout, by field.
func (e *example) valuesOf(rollout map[string]json.RawMessage) (map[string]string, error) {
	var candidates []map[string]json.RawMessage
	if err := json.Unmarshal(rollout["candidates"], &candidates); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, name := range append([]string{"mode"}, e.fields...) {
		if raw := rollout[name]; raw != nil {
			out[name] = shownAs(raw)
			continue
		}
		all := each.Map(candidates, func(c map[string]json.RawMessage) string { return shownAs(c[name]) })
		out[name] = strings.Join(all, " ")
		if name == "reward" && len(e.batch.Weights) == 1 {
			out[name] = strings.Trim(out[name], "[]")
		}
	}
	return out, nil
}

// shownAs is a value of the file as a table shows it.
func shownAs(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	switch string(raw) {
	case "true":
		return "yes"
	case "false":
		return "no"
	}
	return string(raw)
}

func (e *example) head(first string) []string {
	out := []string{first}
	for _, k := range e.kinds {
		name := escape(k.modes())
		if n := len(k.rollouts); n > 1 {
			name += fmt.Sprintf(" (%d rollouts)", n)
		}
		out = append(out, name)
	}
	return out
}

func (e *example) row(field string) []string {
	return append([]string{field}, each.Map(e.kinds, func(k kindOfRollout) string { return escape(k.values[field]) })...)
}

// read are the rows of the fields that a method reads, behind the reward, which is always there.
func (e *example) read(needs estimators.Requirements) [][]string {
	names := append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...)
	reward := e.row("reward")
	if !slices.Contains(names, "reward") {
		reward[0] += " (not read)"
	}
	rows := [][]string{reward}
	for _, name := range e.fields {
		if name != "reward" && slices.Contains(names, name) {
			rows = append(rows, e.row(name))
		}
	}
	return rows
}
