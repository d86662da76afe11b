package maze

import (
	"slices"
	"strings"

	"modebench/envs"
)

var moveNames = [4]string{"UP", "DOWN", "LEFT", "RIGHT"}

const kindNames = "SEGDBL#."

// vocabulary has four moves, eight kinds of cells and ten digits.
var vocabulary = slices.Concat(moveNames[:], strings.Split(kindNames, ""), strings.Split("0123456789", ""))

const (
	up envs.Token = iota
	down
	left
	right
	firstKind  // S E G D B L # .
	firstDigit = firstKind + 8
)
