package metrics

import (
	"fmt"
	"slices"
)

// A Metric is something a run is measured by, under the name that columns, figures,
// claims and comparisons use.
type Metric struct {
	Description
	// Measure is the group that measure in [eval] of a spec has to list for it; "": none.
	Measure string
	// Run says that it is of a run as a whole, and not of an evaluation.
	Run bool
	// Policy says that it takes the policy itself, so that judged answers alone (Document)
	// have none of it.
	Policy bool
}

// The groups of metrics that measure in [eval] lists, in the order of its choices.
const (
	MeasureVotes      = "votes"
	MeasureRollouts   = "rollouts"
	MeasureEmbeddings = "embeddings"
	MeasureBranches   = "branches"
	MeasureKL         = "kl"
	MeasureSearch     = "search"
	MeasureUpdates    = "updates"
	MeasureDrawn      = "drawn"
	MeasureBoundary   = "boundary"
	// MeasureBoundaryNull needs MeasureBoundary beside it.
	MeasureBoundaryNull = "boundary_null"
	MeasureLaw          = "law"
	MeasureLengths      = "lengths"
)

// fromVerdicts are those of them that a Table makes from verdicts alone.
var fromVerdicts = []struct {
	name  string
	group Groups
}{
	{MeasureVotes, Votes}, {MeasureRollouts, Rollouts}, {MeasureEmbeddings, Embeddings},
}

// GroupsOf is what Options.Groups holds where measure lists these groups.
func GroupsOf(measure []string) Groups {
	var out Groups
	for _, g := range fromVerdicts {
		if slices.Contains(measure, g.name) {
			out |= g.group
		}
	}
	return out
}

const (
	// BranchFamily is the one family whose number is a position and no k.
	BranchFamily = "branches"
	// BranchRollouts is how many rollouts branches are counted among, as in Poly-EPO
	// fig. 3 (or all, where fewer are drawn).
	BranchRollouts = 8
	// CollapseMetric is the one metric of a whole run and not of an evaluation.
	CollapseMetric = "collapse_step"
	// DrawnMetric is what training has cost in tokens of rollouts, whatever became of them.
	DrawnMetric = "drawn_tokens"
	// TokensRightMetric and TokensWrongMetric tell the lengths of right rollouts from those
	// of wrong ones.
	TokensRightMetric = "tokens_right"
	TokensWrongMetric = "tokens_wrong"
	// HeadroomMetric is what a search over the largest pool gains over a single answer.
	HeadroomMetric = "headroom"
)

// Headroom is best@K - best@1 at the largest K of ks, where values has both; values are by
// name.
func Headroom(ks []int, values map[string]float64) (headroom float64, ok bool) {
	if len(ks) == 0 {
		return 0, false
	}
	one, ok := values["best@1"]
	most, has := values[fmt.Sprintf("best@%d", slices.Max(ks))]
	return most - one, ok && has
}

// ofPolicy are the descriptions that judged answers alone do not have.
var ofPolicy = []plainMetric{entropySequence, modesAlive, correctModesAlive}

// All lists what a run is measured by: the families that depend on k ("best@k") first.
func All() []Metric {
	var out []Metric
	for i, d := range descriptions() {
		m := Metric{Description: d, Policy: slices.Contains(ofPolicy, plainMetric(i-int(families)))}
		for _, g := range fromVerdicts {
			if d.Group == g.group {
				m.Measure = g.name
			}
		}
		out = append(out, m)
	}
	more := func(name, doc, measure string, run bool) {
		out = append(out, Metric{Description: Description{Name: name, Doc: doc}, Measure: measure, Run: run, Policy: name != HeadroomMetric})
	}
	more(HeadroomMetric, "best@K - best@1 at the largest K; where k lists 1", "", false)
	more("entropy_token", "entropy per token, nats", "", false)
	more("tokens", "tokens of a rollout (SD-E2's #TOK)", MeasureRollouts, false)
	more(BranchFamily+"@h", fmt.Sprintf("distinct prefixes of h tokens among %d rollouts at least that long (Poly-EPO fig. 3); h: positions in [eval]", BranchRollouts), MeasureBranches, false)
	more("kl", "KL divergence of a rollout from the policy before training, nats; at temperature 1", MeasureKL, false)
	for _, s := range []struct{ name, doc string }{
		{"search@k", "best w*.r that an evolutionary search finds with k answers to a problem (MAP-Elites over modes; VPO fig. 4)"},
		{"search_pass@k", "share of problems of which that search finds a correct answer with k of them"},
	} {
		out = append(out, Metric{Description: Description{Name: s.name, Doc: s.doc, Pools: true}, Measure: MeasureSearch, Policy: true})
	}
	more("clipped", "share of tokens that the ratio's clip cut off, over all updates so far", MeasureUpdates, false)
	more("corrected", "share of tokens whose weight a correction (tis, icepop, bound) truncated or set to 0, over all updates so far", MeasureUpdates, false)
	more("log_ratio", "mean |log pi - log pi_old| of a token, nats, over all updates so far", MeasureUpdates, false)
	more(DrawnMetric, "tokens of all rollouts drawn for training so far: those that only vote, those of dropped groups and greedy ones too", MeasureDrawn, false)
	more(LostMetric, "share of the problems solved before training that are solved no longer, with the largest k answers", MeasureBoundary, false)
	more(GainedMetric, "share of the problems not solved before training that are solved, with the largest k answers", MeasureBoundary, false)
	more(CrossingMetric, "log2 of the k from which on pass@k is below what it was before training; of the largest k where it is not", MeasureBoundary, false)
	more(PassAreaMetric, "area under pass@k over log2 k, from the smallest k to the largest, over its width", MeasureBoundary, false)
	for _, c := range Covers {
		more(c.Name, fmt.Sprintf("share of problems at which at least %v%% of answers are correct (Cover@tau, 2510.08325)", 100*c.Tau), MeasureBoundary, false)
	}
	more(UnsolvedMetric, "expected distinct answers in a pool, at problems where none of them is correct", MeasureBoundary, false)
	more(LostMetric+NullSuffix, "lost, of a second pool of answers of the policy before training instead of one after it: what the draws alone make", MeasureBoundaryNull, false)
	more(GainedMetric+NullSuffix, "gained, of that second pool", MeasureBoundaryNull, false)
	more(CrossingMetric+NullSuffix, "crossing, of that second pool", MeasureBoundaryNull, false)
	more(LawAMetric, "a of the entropy law R = -a e^H + b, accuracy against entropy_token, fitted to all evaluations so far", MeasureLaw, false)
	more(LawBMetric, "b of that law", MeasureLaw, false)
	more(LawR2Metric, "share of the accuracy's variance that the law explains", MeasureLaw, false)
	more(LawErrorMetric, "accuracy, less that of the law fitted to the evaluations in the first 15% of the steps; after these", MeasureLaw, false)
	more(TokensRightMetric, "tokens of a rollout with a correct answer, mean over all of them", MeasureLengths, false)
	more(TokensWrongMetric, "tokens of a rollout without one, mean over all of them (Dr. GRPO fig. 1)", MeasureLengths, false)
	more(CollapseMetric, fmt.Sprintf("step from which on entropy_token stays at or below %v of what it was before training; the last step where it does not", CollapseShare), "", true)
	return out
}
