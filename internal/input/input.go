// Package input holds the error of a mistake in a user's text or file.
package input

import "fmt"

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
