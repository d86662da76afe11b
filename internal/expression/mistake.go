package expression

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/file"

	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
)

// A Mistake is a fault of an expression, and its place.
type Mistake struct {
	Text         string // of the expression
	Line, Column int    // from 1, columns in characters; 0: of all of it
	Message      string
	Hint         string // a cure
	Undefined    bool   // it has no value for these data, but may have one for others
	OutOfRange   bool   // a list has no entry at an index
}

func (m *Mistake) Error() string {
	where := ""
	if m.Line > 1 {
		where = fmt.Sprintf("line %d, ", m.Line)
	}
	if m.Column > 0 {
		where += fmt.Sprintf("column %d: ", m.Column)
	}
	text := fmt.Sprintf("%s%s in %q", where, m.Message, m.Text)
	if m.Hint != "" {
		text += " (" + m.Hint + ")"
	}
	return text
}

// explain turns an error of package expr about a text into a Mistake, in the words of an
// environment.
func explain(text string, err error, variables []Variable) *Mistake {
	m := &Mistake{Text: text, Message: err.Error(), Undefined: input.Is[undefined](err)}
	if cause, ok := errors.AsType[*file.Error](err); ok {
		m.Line, m.Column, m.Message = cause.Line, cause.Column+1, cause.Message
	}
	m.Message = strings.Join(strings.Fields(m.Message), " ")
	m.OutOfRange = strings.HasPrefix(m.Message, "index out of range")
	for _, v := range variables {
		if t := reflect.TypeOf(v.Sample); t.Kind() == reflect.Pointer {
			m.Message = strings.ReplaceAll(strings.ReplaceAll(m.Message, t.String(), v.Name), t.Elem().String(), v.Name)
		}
	}
	m.Hint = hint(m, variables)
	return m
}

// members are the names of a variable's members; nil if it has no members.
func (v Variable) members() []string {
	t := reflect.TypeOf(v.Sample)
	if t.Kind() != reflect.Pointer {
		return nil
	}
	var out []string
	for i := range t.Elem().NumField() {
		out = append(out, t.Elem().Field(i).Tag.Get("expr"))
	}
	return out
}

func memberOf(variables []Variable, name string) string {
	place := slices.IndexFunc(variables, func(v Variable) bool { return v.Name == name })
	return variables[place].members()[0]
}

// names lists what expressions may read, members by their full names.
func names(variables []Variable) []string {
	var out []string
	for _, v := range variables {
		members := v.members()
		if members == nil {
			out = append(out, v.Name)
		}
		for _, member := range members {
			out = append(out, v.Name+"."+member)
		}
	}
	return out
}

func functionNames() []string {
	return each.Map(Functions(), func(f Function) string { return f.Name })
}

// hint lists names in place of an unknown name: functions if a bracket follows it, else
// variables, the nearest first.
func hint(m *Mistake, variables []Variable) string {
	if _, name, ok := strings.Cut(m.Message, "has no field "); ok {
		return known(name, "known", slices.DeleteFunc(names(variables), func(n string) bool { return !strings.Contains(n, ".") }))
	}
	name, ok := strings.CutPrefix(m.Message, "unknown name ")
	switch {
	case !ok:
		return ""
	case m.called(name):
		return known(name, "functions", functionNames())
	}
	return known(name, "known", names(variables))
}

func (m *Mistake) called(name string) bool {
	lines := strings.Split(m.Text, "\n")
	if m.Line < 1 || m.Line > len(lines) {
		return false
	}
	line := []rune(lines[m.Line-1])
	behind := m.Column - 1 + utf8.RuneCountInString(name)
	if behind > len(line) {
		return false
	}
	return strings.HasPrefix(strings.TrimSpace(string(line[behind:])), "(")
}

// known lists names after the nearest one, which was probably meant.
func known(name, kind string, names []string) string {
	return nearest.Hint(name, names) + kind + ": " + strings.Join(names, ", ")
}

// A Variable is a name that expressions may read.
type Variable struct {
	Name   string
	Sample any    // a value of its type; a pointer to a struct has its fields' tags `expr` as members
	Doc    string // one line
}
