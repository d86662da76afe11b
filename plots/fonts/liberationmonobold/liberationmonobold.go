// Package liberationmonobold is in place of a face that no figure uses.
package liberationmonobold

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is the file of the face.
var TTF = liberationsansregular.TTF
