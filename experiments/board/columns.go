package board

import "math"

// A Column is a number that the board keeps of each seed of a method on a task. All results, tables,
// pages and figures of boards iterate Columns, so that a new column is an entry there.
type Column struct {
	Name    string // in results, CSV and JSON
	Title   string // for axes and menus; "": that of the metric of this name
	Head    string // heading in tables of methods; "": Name
	Legend  string // for readers of these tables, without a full stop
	Uses    Uses
	measure func(f *Final) float64
}

// Uses are the tables, files and figures that have a column, beside the results.
type Uses int

// The uses of a column.
const (
	InTable        Uses = 1 << iota // table of methods as text, LaTeX and Markdown
	InDetails                       // second table of methods in Markdown
	OnPage                          // table of methods on the HTML page
	InData                          // methods as CSV and JSON: tuned, not tuned, tuned for accuracy
	ofSeeds                         // results keep it of every seed
	Compared                        // between two boards, in the mean over tasks
	ComparedByTask                  // between two boards, task by task
)

// Columns are the columns of the board. The first is the score that ranks.
var Columns = []Column{
	{Name: "area", Title: "area under accuracy and diversity", Uses: InDetails | OnPage | InData | ofSeeds, measure: func(f *Final) float64 { return f.trace.Area() },
		Legend: "the area under the frontier of accuracy and diversity, 0 for the base policy and 1 for the exact optimum"},
	{Name: "accuracy", Uses: InTable | OnPage | InData | ofSeeds | ComparedByTask, measure: func(f *Final) float64 { return f.trace.last().Accuracy },
		Legend: "after training, the share of the way from the base policy (0) to the exact optimum (1)"},
	{Name: "gain", Title: "diversity above GRPO's at equal accuracy", Uses: InTable | OnPage | InData | ofSeeds | Compared | ComparedByTask,
		measure: func(f *Final) float64 { return f.above(diversity) },
		Legend:  "diversity less that of GRPO on its own way at the same accuracy, in the mean over the accuracies that both reach"},
	{Name: "end_gain", Title: "diversity above GRPO's at the accuracy of the end", Head: "end gain", Uses: InTable | OnPage | InData | ofSeeds | Compared | ComparedByTask,
		measure: func(f *Final) float64 { return f.aboveAtEnd() },
		Legend:  "diversity after training less that of GRPO on first reaching this accuracy, over the seeds on which it does"},
	{Name: "solved@16_gain", Title: "pass@16 above GRPO's at equal accuracy", Head: "pass@16 gain", Uses: InDetails | InData | ofSeeds | Compared,
		measure: func(f *Final) float64 { return f.above(solved) }, Legend: "the same of pass@16 (on mazes best@16)"},
	{Name: "diversity", Uses: InDetails | OnPage | InData | ofSeeds | ComparedByTask, measure: func(f *Final) float64 { return f.trace.last().Diversity },
		Legend: "after training, the share of all correct strategies that 64 answers find"},
	{Name: "halfway", Title: "accuracy after half of the budget", Uses: InDetails | InData, measure: func(f *Final) float64 { return f.trace.halfway(f.budget) },
		Legend: "the accuracy after half of the budget, for those who stop early"},
	{Name: "solved@64", Title: "pass@64 (on mazes best@64)", Uses: InDetails | OnPage | InData | ofSeeds | Compared | ComparedByTask,
		measure: func(f *Final) float64 { return Metric(f.Last, f.solved+"@64") }, Legend: "pass@64 after training (on mazes best@64)"},
	{Name: "best@64", Uses: InDetails | OnPage | InData | Compared | ComparedByTask, measure: func(f *Final) float64 { return f.Scaled("reward", Metric(f.Last, "best@64")) },
		Legend: "the best of 64 answers, from the base policy's one answer (0) to the optimum (1)"},
	// Best of 64 answers under random weights of the reward's components, in the unit of the reward.
	{Name: "ew_best@64", measure: func(f *Final) float64 { return Metric(f.Last, "ew_best@64") }},
	{Name: "distinct", Title: "distinct correct strategies of 64 answers", Uses: Compared, measure: func(f *Final) float64 { return Metric(f.Last, "distinct_correct") }},
	{Name: "entropy", Title: "entropy over strategies (nats)", Uses: Compared | ComparedByTask | ofSeeds, measure: func(f *Final) float64 { return Metric(f.Last, "entropy_mode") }},
	// The entropy collapses when it falls to a tenth of its beginning for good.
	{Name: "collapsed", Title: "share of seeds whose entropy collapses", Uses: InDetails | OnPage | InData | Compared, measure: func(f *Final) float64 { return f.trace.collapsed() },
		Legend: "the share of seeds whose entropy over strategies stays at or below a tenth of its beginning"},
	{Name: "tokens90", Title: "share of the budget until 90% of the gain in accuracy", Head: "tokens", Uses: InDetails | InData | Compared | ComparedByTask,
		measure: func(f *Final) float64 { return f.trace.TokensTo(.9) / f.budget }, Legend: "the share of the budget until nine tenths of the method's own gain are made"},
}

// aboveAtEnd is how far the diversity after training lies above that of the reference on first reaching
// the same accuracy; NaN if the reference is not known or never reaches it.
func (f *Final) aboveAtEnd() float64 {
	last := f.trace.last()
	return last.Diversity - f.reference.AtAccuracy(last.Accuracy, diversity)
}

// above is how far a number of the evaluations lies above the reference's at equal accuracy; NaN if the
// reference is not known.
func (f *Final) above(number func(Point) float64) float64 {
	if f.reference == nil {
		return math.NaN()
	}
	return f.trace.Above(f.reference, number)
}

// Names are the names of the columns with any of some uses; 0: of all.
func Names(uses Uses) (out []string) {
	for _, c := range Columns {
		if uses == 0 || c.Uses&uses != 0 {
			out = append(out, c.Name)
		}
	}
	return out
}
