package expression

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr/file"
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

// Explain turns an error of package expr about a text into a Mistake.
func Explain(text string, err error) *Mistake {
	m := &Mistake{Text: text}
	if at := (*file.Error)(nil); errors.As(err, &at) {
		m.Line, m.Column, m.Message = at.Line, at.Column+1, at.Message
	} else {
		m.Message = err.Error()
	}
	m.Message = strings.Join(strings.Fields(m.Message), " ")
	m.Undefined = errors.As(err, new(undefined))
	m.OutOfRange = strings.HasPrefix(m.Message, "index out of range")
	return m
}

// explain is Explain in the words of an environment.
func explain(text string, err error, variables []Variable) *Mistake {
	m := Explain(text, err)
	for _, v := range variables {
		if t := reflect.TypeOf(v.Sample); t.Kind() == reflect.Pointer {
			m.Message = strings.ReplaceAll(strings.ReplaceAll(m.Message, t.String(), v.Name), t.Elem().String(), v.Name)
		}
	}
	m.Hint = hint(m, variables)
	return m
}
