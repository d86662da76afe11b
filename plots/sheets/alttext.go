package sheets

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"modebench/metrics/stats"
)

// ListItems is how many lines or rows of a panel the text for a reader who does not see a figure has.
const ListItems = 10

// List joins the first limit of n items, and adds how many are left out.
func List(n, limit int, text func(i int) string) string {
	var parts []string
	for i := range min(n, limit) {
		parts = append(parts, text(i))
	}
	if n > limit {
		parts = append(parts, fmt.Sprintf("and %d more", n-limit))
	}
	return strings.Join(parts, ", ")
}

// Number is a mean in three digits.
func Number(value stats.Interval) string {
	if value.N == 0 || math.IsNaN(value.Mean) {
		return "not measured"
	}
	return strconv.FormatFloat(value.Mean, 'g', 3, 64)
}

// Capital is a name at the beginning of a line.
func Capital(s string) string {
	return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):]
}
