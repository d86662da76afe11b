package plots

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A measure says how a metric is shown.
type measure struct {
	label  string
	unit   string
	share  bool // lives in [0, 1]: so does its axis
	atZero bool // cannot be negative: its axis starts at 0
	whole  bool // counts something: ticks at whole numbers
}

// measures holds the metrics that have a nicer name than their own.
var measures = map[string]measure{
	"reward":              {label: "reward", share: true},
	"accuracy":            {label: "accuracy", share: true},
	"hypervolume":         {label: "hypervolume / exact front's", share: true},
	"headroom":            {label: "headroom", unit: "best@K − best@1", atZero: true},
	"entropy_mode":        {label: "mode entropy", unit: "nats", atZero: true},
	"entropy_token":       {label: "token entropy", unit: "nats", atZero: true},
	"entropy_sequence":    {label: "sequence entropy", unit: "nats", atZero: true},
	"kl":                  {label: "KL to the base policy", unit: "nats", atZero: true},
	"correct_modes_alive": {label: "rewarded modes alive", unit: "mass > 2%", atZero: true, whole: true},
	"modes_alive":         {label: "modes alive", unit: "mass > 2%", atZero: true, whole: true},
	"distinct_correct":    {label: "distinct correct modes", atZero: true, whole: true},
	"distinct_incorrect":  {label: "distinct incorrect modes", atZero: true, whole: true},
	"distinct_variants":   {label: "distinct correct answers", atZero: true, whole: true},
	"diversity_width":     {label: "diversity width", unit: "share of problems", share: true},
	"average_mode":        {label: "average mode", unit: "distinct correct answers", atZero: true},
	"reward_l1":           {label: "reward diversity", unit: "mean pairwise L1", atZero: true},
	"reward_l1_correct":   {label: "reward diversity of correct answers", unit: "mean pairwise L1", atZero: true},
	"rho_bar":             {label: "reward collinearity", unit: "mean correlation of the components"},
	"vendi":               {label: "Vendi score", unit: "effective answers", atZero: true},
	"div":                 {label: "Div", unit: "1 − mean cosine", share: true},
	"uniq":                {label: "Uniq", unit: "distinct answers", atZero: true},
	"redundancy":          {label: "redundancy", unit: "share of pairs", share: true},
	"chain_div":           {label: "Div of a rollout", unit: "1 − mean cosine", share: true},
	"chain_uniq":          {label: "Uniq of a rollout", unit: "distinct answers", atZero: true},
	"chain_redundancy":    {label: "redundancy of a rollout", unit: "share of pairs", share: true},
	"setpo_diversity":     {label: "SetPO's diversity D"},
	"final_accuracy":      {label: "accuracy of the final answer", share: true},
	"strategy_accuracy":   {label: "strategy accuracy", share: true},
	"strategies":          {label: "strategies per rollout", atZero: true},
	"tokens":              {label: "tokens per rollout", atZero: true},
}

// families holds the metrics that come with a k, such as pass@16. The k in a label,
// a word of its own, stands for the number.
var families = map[string]measure{
	"pass":           {label: "pass@k", share: true},
	"best":           {label: "best@k", share: true},
	"best_first":     {label: "best of the first k drawn", share: true},
	"ew_best":        {label: "E_w[best@k]", unit: "w ~ Dir(1)", share: true},
	"maj":            {label: "maj@k", share: true},
	"majority_share": {label: "majority share@k", share: true},
	"coverage":       {label: "coverage@k", share: true},
	"front_coverage": {label: "front coverage@k", share: true},
	"regret":         {label: "regret@k", atZero: true},
}

// describe looks a metric up; an unknown one is shown under its own name.
func describe(metric string) measure {
	if m, ok := measures[metric]; ok {
		return m
	}
	if family, k, ok := splitK(metric); ok {
		if m, known := families[family]; known {
			m.label = withK(m.label, strconv.Itoa(k))
			return m
		}
	}
	return measure{label: metric}
}

// describeFamily is describe for the metrics family@k at every k.
func describeFamily(family string) measure {
	if m, ok := families[family]; ok {
		return m
	}
	return measure{label: family + "@k"}
}

var letterK = regexp.MustCompile(`\bk\b`)

// withK puts a number in the place of the k in a family's label.
func withK(label, k string) string { return letterK.ReplaceAllString(label, k) }

// splitK takes "pass@16" apart; ok is false for a name that does not end in @
// and a whole number above zero.
func splitK(metric string) (family string, k int, ok bool) {
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

// title is the metric's name with its unit.
func (m measure) title() string {
	if m.unit == "" {
		return m.label
	}
	return m.label + " (" + m.unit + ")"
}

// lines is the title broken to a width, the unit on a line of its own if it has
// to move.
func (m measure) lines(f font.Font, width vg.Length) []string {
	if m.unit == "" || textWidth(f, m.title()) <= width {
		return wrap(f, m.title(), width)
	}
	return append(wrap(f, m.label, width), wrap(f, "("+m.unit+")", width)...)
}

// rounding is how far a computed share may lie outside [0, 1].
const rounding = 1e-9

// inUnit reports whether values from low to high are shares. A reward with
// penalties, say, is not, and is shown as a free metric.
func (m measure) inUnit(low, high float64) bool {
	return m.share && low >= -rounding && high <= 1+rounding
}

// axis is the range of an axis for means from low to high whose bands reach
// from bandLow to bandHigh.
func (m measure) axis(low, high, bandLow, bandHigh float64) (from, to float64) {
	if m.inUnit(low, high) {
		return 0, 1
	}
	from, to = min(low, bandLow), max(high, bandHigh)
	if from == to {
		from, to = from-max(0.5*math.Abs(from), 0.5), to+max(0.5*math.Abs(to), 0.5)
	}
	room := 0.04 * (to - from)
	from, to = from-room, to+room
	if m.atZero && low >= 0 {
		from = 0
	}
	return from, to
}

// format writes a value into a cell.
func (m measure) format(v float64) string {
	switch {
	case m.share && math.Abs(v) <= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case m.whole:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case math.Abs(v) >= 1000 || v != 0 && math.Abs(v) < 0.01:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
