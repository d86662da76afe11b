// Package input holds the errors of mistakes that a user made.
package input

import (
	"errors"
	"fmt"
	"io/fs"
)

// An Error is a mistake in a user's text or file: a spec, a document, an answer, a file that is
// damaged. Its text names the place.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *Error) Unwrap() error { return e.Err }

// Errorf is an Error with a text as fmt.Errorf makes it.
func Errorf(format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...)}
}

// Is reports whether an error, or an error that it wraps, is of type E.
func Is[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// UnlessFile makes err an Error, unless it is nil or a file itself that cannot be read or written.
func UnlessFile(err error) error {
	if err == nil || Is[*fs.PathError](err) {
		return err
	}
	return &Error{err}
}

// A Usage is a mistake on the command line. Its text names the flag or the argument.
type Usage struct{ Err error }

func (e *Usage) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *Usage) Unwrap() error { return e.Err }

// Usagef is a Usage with a text as fmt.Errorf makes it.
func Usagef(format string, args ...any) error {
	return &Usage{fmt.Errorf(format, args...)}
}
