// Package liberationsansregular is the face of that name.
package liberationsansregular

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is the file of the face.
var TTF = liberationsansregular.TTF
