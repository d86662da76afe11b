package plots

import (
	"regexp"
	"strconv"

	"modebench/experiments/record"
	"modebench/plots/draw"
)

// measures holds the metrics that have a nicer name than their own.
var measures = map[string]draw.Measure{
	"reward":              {Label: "reward", Share: true},
	"accuracy":            {Label: "accuracy", Share: true},
	"hypervolume":         {Label: "hypervolume / exact front's", Share: true},
	"headroom":            {Label: "headroom", Unit: "best@K − best@1", AtZero: true},
	"entropy_mode":        {Label: "mode entropy", Unit: "nats", AtZero: true},
	"entropy_token":       {Label: "token entropy", Unit: "nats", AtZero: true},
	"entropy_sequence":    {Label: "sequence entropy", Unit: "nats", AtZero: true},
	"kl":                  {Label: "KL to the base policy", Unit: "nats", AtZero: true},
	"correct_modes_alive": {Label: "rewarded modes alive", Unit: "mass > 2%", AtZero: true, Whole: true},
	"modes_alive":         {Label: "modes alive", Unit: "mass > 2%", AtZero: true, Whole: true},
	"distinct_correct":    {Label: "distinct correct modes", AtZero: true, Whole: true},
	"distinct_incorrect":  {Label: "distinct incorrect modes", AtZero: true, Whole: true},
	"distinct_variants":   {Label: "distinct correct answers", AtZero: true, Whole: true},
	"diversity_width":     {Label: "diversity width", Unit: "share of problems", Share: true},
	"average_mode":        {Label: "average mode", Unit: "distinct correct answers", AtZero: true},
	"reward_l1":           {Label: "reward diversity", Unit: "mean pairwise L1", AtZero: true},
	"reward_l1_correct":   {Label: "reward diversity of correct answers", Unit: "mean pairwise L1", AtZero: true},
	"rho_bar":             {Label: "reward collinearity", Unit: "mean correlation of the components"},
	"vendi":               {Label: "Vendi score", Unit: "effective answers", AtZero: true},
	"div":                 {Label: "Div", Unit: "1 − mean cosine", Share: true},
	"uniq":                {Label: "Uniq", Unit: "distinct answers", AtZero: true},
	"redundancy":          {Label: "redundancy", Unit: "share of pairs", Share: true},
	"chain_div":           {Label: "Div of a rollout", Unit: "1 − mean cosine", Share: true},
	"chain_uniq":          {Label: "Uniq of a rollout", Unit: "distinct answers", AtZero: true},
	"chain_redundancy":    {Label: "redundancy of a rollout", Unit: "share of pairs", Share: true},
	"setpo_diversity":     {Label: "SetPO's diversity D"},
	"final_accuracy":      {Label: "accuracy of the final answer", Share: true},
	"strategy_accuracy":   {Label: "strategy accuracy", Share: true},
	"strategies":          {Label: "strategies per rollout", AtZero: true},
	"tokens":              {Label: "tokens per rollout", AtZero: true},
	"tokens_right":        {Label: "tokens of right rollouts", AtZero: true},
	"tokens_wrong":        {Label: "tokens of wrong rollouts", AtZero: true},
}

// families holds the metrics that come with a k, such as pass@16. The k in a label,
// a word of its own, stands for the number.
var families = map[string]draw.Measure{
	"pass":           {Label: "pass@k", Share: true},
	"best":           {Label: "best@k", Share: true},
	"best_first":     {Label: "best of the first k drawn", Share: true},
	"ew_best":        {Label: "E_w[best@k]", Unit: "w ~ Dir(1)", Share: true},
	"maj":            {Label: "maj@k", Share: true},
	"majority_share": {Label: "majority share@k", Share: true},
	"coverage":       {Label: "coverage@k", Share: true},
	"front_coverage": {Label: "front coverage@k", Share: true},
	"regret":         {Label: "regret@k", AtZero: true},
}

// describe looks a metric up; an unknown one is shown under its own name.
func describe(metric string) draw.Measure {
	if m, ok := measures[metric]; ok {
		return m
	}
	if family, k, ok := record.SplitK(metric); ok {
		if m, known := families[family]; known {
			m.Label = withK(m.Label, strconv.Itoa(k))
			return m
		}
	}
	return draw.Measure{Label: metric}
}

// MetricTitle says what a metric is, as the axes of figures do; "" where its name says it.
func MetricTitle(metric string) string {
	if title := describe(metric).Title(); title != metric {
		return title
	}
	return ""
}

// describeFamily is describe for the metrics family@k at every k.
func describeFamily(family string) draw.Measure {
	if m, ok := families[family]; ok {
		return m
	}
	return draw.Measure{Label: family + "@k"}
}

var letterK = regexp.MustCompile(`\bk\b`)

// withK replaces the k in a family's label by a number.
func withK(label, k string) string { return letterK.ReplaceAllString(label, k) }
