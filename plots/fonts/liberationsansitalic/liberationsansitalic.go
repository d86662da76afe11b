// Package liberationsansitalic is in place of a face that no figure uses.
package liberationsansitalic

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is the file of the face.
var TTF = liberationsansregular.TTF
