package maze

import (
	"strings"

	"modebench/envs"
)

var moveNames = [4]string{"UP", "DOWN", "LEFT", "RIGHT"}

const kindNames = "SEGDBL#."

func vocabulary() []string {
	return append(append(moveNames[:], strings.Split(kindNames, "")...), strings.Split("0123456789", "")...)
}

// The vocabulary: four moves, eight kinds of cells, ten digits.
const (
	up envs.Token = iota
	down
	left
	right
	firstKind  // S E G D B L # .
	firstDigit = firstKind + 8
)
