package numbers

import (
	"strconv"
	"strings"
)

// SplitK splits "pass@16" into its family and its k. ok is false for a name that does not end
// in @ and a whole number above zero.
func SplitK(metric string) (family string, k int, ok bool) {
	at := strings.LastIndexByte(metric, '@')
	if at < 1 {
		return "", 0, false
	}
	k, err := strconv.Atoi(metric[at+1:])
	if err != nil || k < 1 {
		return "", 0, false
	}
	return metric[:at], k, true
}
