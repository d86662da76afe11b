package record

import (
	"strconv"
	"strings"
)

// MaxK is the largest number that the name of a metric may end in. It is far above any
// pool of answers and any length of a rollout, and far below where integers end.
const MaxK = 1 << 30

// SplitK takes the name of a metric apart: "pass" and 16 of "pass@16". ok is false for a
// name that does not end in @ and a number from 1 to MaxK, as strconv.Itoa writes it.
func SplitK(metric string) (family string, k int, ok bool) {
	index := strings.LastIndexByte(metric, '@')
	if index < 1 {
		return "", 0, false
	}
	k, err := strconv.Atoi(metric[index+1:])
	if err != nil || k < 1 || k > MaxK || strconv.Itoa(k) != metric[index+1:] {
		return "", 0, false
	}
	return metric[:index], k, true
}

// Family returns the keys by which metrics are sorted and searched: the text before the @, and the
// number of SplitK, 0 without a number.
func Family(metric string) (family string, k int) {
	if family, k, ok := SplitK(metric); ok {
		return family, k
	}
	family, _, _ = strings.Cut(metric, "@")
	return family, 0
}
