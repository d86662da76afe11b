package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
)

// A wanted error states the values that a flag takes in place of the given one.
type wanted string

func (w wanted) Error() string { return string(w) }

// A fault is the error of a parser.
type fault struct{ error }

// valueMistake is the error of a value that its flag does not take, nil if err is another.
func valueMistake(err error) error {
	var wrong *pflag.InvalidValueError
	var want wanted
	var fault fault
	switch {
	case !errors.As(err, &wrong):
		return nil
	case errors.As(err, &fault):
		return input.Usagef("--%s: %w", strings.TrimSpace(wrong.GetFlag().Name+" "+wrong.GetValue()), fault.error)
	case !errors.As(err, &want):
		return nil
	}
	value := wrong.GetValue()
	if kind := wrong.GetFlag().Value.Type(); kind != "int" && kind != "duration" {
		value = strconv.Quote(value)
	}
	return input.Usagef("--%s is %s, %s", wrong.GetFlag().Name, value, string(want))
}

// A value is a flag that parse reads. text is its default, and then the text that was parsed.
type value[T any] struct {
	to         *T
	parse      func(text string) (T, error)
	kind, text string
}

func (v *value[T]) String() string { return v.text }
func (v *value[T]) Type() string   { return v.kind }

func (v *value[T]) Set(text string) error {
	x, err := v.parse(text)
	if err == nil {
		*v.to, v.text = x, text
	}
	return err
}

// Parsed declares a flag whose text parse reads.
func Parsed[T any](flags *pflag.FlagSet, to *T, name, doc string, parse func(text string) (T, error)) {
	flags.Var(&value[T]{to, func(text string) (T, error) {
		x, err := parse(text)
		if err != nil {
			err = fault{err}
		}
		return x, err
	}, "string", ""}, name, doc)
}

// Int declares a flag of a whole number of at least bounds[0], and at most bounds[1] if it is there.
// *to is the default, which may lie outside of them. name may end in a comma and a letter.
func Int(flags *pflag.FlagSet, to *int, name, doc string, bounds ...int) {
	name, short, _ := strings.Cut(name, ",")
	flags.VarP(&value[int]{to, func(text string) (int, error) {
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		switch {
		case err != nil:
			return 0, err
		case len(bounds) > 1 && (int(n) < bounds[0] || int(n) > bounds[1]):
			return 0, wanted(fmt.Sprintf("want %d to %d", bounds[0], bounds[1]))
		case int(n) < bounds[0]:
			return 0, wanted(fmt.Sprintf("want %d or more", bounds[0]))
		}
		return int(n), nil
	}, "int", strconv.Itoa(*to)}, name, short, doc)
}

// Duration declares a flag of a time of at least least. *to is the default.
func Duration(flags *pflag.FlagSet, to *time.Duration, name, doc string, least time.Duration) {
	flags.Var(&value[time.Duration]{to, func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		switch {
		case err != nil || d >= least:
			return d, err
		case least > 0:
			return 0, wanted("want more than 0, as in 10m")
		}
		return 0, wanted("want 0 or more, as in 30s")
	}, "duration", to.String()}, name, doc)
}

// Choice declares a flag of one of some names. *to is the default.
func Choice[T ~string](flags *pflag.FlagSet, to *T, name, doc string, names ...T) {
	flags.Var(&value[T]{to, func(text string) (T, error) {
		if slices.Contains(names, T(text)) {
			return T(text), nil
		}
		return "", wanted(nearest.Hint(text, words(names)) + "want one of " + strings.Join(words(names), ", "))
	}, "string", string(*to)}, name, doc)
}

func words[T ~string](names []T) []string {
	return each.Map(names, func(name T) string { return string(name) })
}

// A list is a flag of words whose list is checked whenever words are added.
type list struct {
	pflag.Value
	pflag.SliceValue
	check func() error
}

func (l list) Set(text string) error { return errors.Join(l.Value.Set(text), l.check()) }

// Choices declares a flag of some of the known names, each once, or of alone by itself unless it is
// "". *to is the default.
func Choices(flags *pflag.FlagSet, to *[]string, name, doc string, known []string, alone string) {
	words := pflag.NewFlagSet("", pflag.ContinueOnError)
	words.StringSliceVar(to, name, *to, doc)
	v := words.Lookup(name).Value
	flags.Var(list{v, v.(pflag.SliceValue), func() error { return checkChoices(*to, known, alone) }}, name, doc)
}

func checkChoices(names, known []string, alone string) error {
	if alone != "" && len(names) == 1 && names[0] == alone {
		return nil
	}
	want := wanted("want some of " + strings.Join(known, ", ") + ", each once")
	if alone != "" {
		want += wanted(", or " + alone + " alone")
	}
	for i, name := range names {
		if !slices.Contains(known, name) || slices.Contains(names[:i], name) {
			return want
		}
	}
	if len(names) == 0 {
		return want
	}
	return nil
}
