package foretell

import (
	"modebench/experiments/board"
	"modebench/metrics/stats"
)

// A Comparison measures how well a short board foretells a long one: which results of the first
// hold on the second. "Short" and "long" only name the two sides: any two boards can be compared.
type Comparison struct {
	Short, Long *board.Table
	// Shared has the methods that both boards have, in the order of the short one. Methods with the
	// same records on all tasks of both boards are one.
	Shared []SharedMethod
	// Everywhere are the methods that fit all tasks of both boards, by name. Taus over all tasks
	// are of these.
	Everywhere []string
	Over       []Scope   // means over tasks: all of them, then those that both boards have
	Tasks      []Scope   // a task of the short board against one of the long one
	Seeds      []Repeat  // each board against itself
	Within     []Within  // the columns of each board against each other
	Steps      []StepTau // the audit against each board; empty without an audit
}

// Names are the boards' names in texts: their policies, or short and long if these are the same.
func (f *Comparison) Names() [2]string {
	if f.Short.Policy == f.Long.Policy {
		return [2]string{"short", "long"}
	}
	return [2]string{f.Short.Policy, f.Long.Policy}
}

// A Scope is a part of both boards that is compared, column by column.
type Scope struct {
	Short, Long []string // tasks
	Columns     []Agreement
}

// An Agreement is how alike two boards order methods by a column.
type Agreement struct {
	Column string
	// Tau is Kendall's tau-b with its 95% interval over methods (stats.KendallTau); N is how many
	// methods have a value on both boards. NaN where fewer than three have one, or all are equal.
	Tau stats.Interval
	// Halves are the taus of each board with itself, by halves of its seeds (Repeat). Ceiling is the
	// tau to expect, from these, if the boards differed in their seeds alone (ceiling). NaN where results
	// do not keep the column by seed, or there is one seed.
	Halves  [2]float64
	Ceiling float64
}

// A SharedMethod is a method on two boards.
type SharedMethod struct {
	Method      string
	Short, Long board.Line
	// Ranks are the ranks that are open on either board as shares of its methods: from the share
	// that is surely above to that which is not surely below.
	Ranks [2][2]float64
}

// A Repeat is how alike a board orders methods on two occasions.
type Repeat struct {
	Board     string // as Names calls it
	Column    string
	Occasions string // the occasions
	// Tau is over the methods that fit all tasks of the board: the mean over Of pairs of occasions,
	// between the lowest and the highest of them. For tuning seeds against evaluation seeds the bounds are
	// the 95% interval over methods, and the score of both is the mean over tasks: tuning keeps no single
	// seed to take an interquartile mean of.
	Tau   stats.Interval
	Pairs int
	// Ceiling is, between tasks, the mean of the tau to expect of a pair if the tasks differed
	// in their seeds alone (Agreement); else NaN.
	Ceiling float64
}

// Within compares the score of a board with its components: tau of the score and of other
// columns on the same board, with 95% intervals over the methods that fit all tasks. Both sides
// have the same seeds.
type Within struct {
	Board               string // as Names calls it
	Accuracy, Diversity stats.Interval
}

// A StepTau is Kendall's tau of a number of the audit and a result of the boards.
type StepTau struct {
	Column string // "cosine pass@8", "snr of 16"
	// Taus are those with score, accuracy and diversity of the short board, then of the long one. They are of
	// rows that are not tuned, since the audit is of a method's own fields, and score is the mean over tasks of areas in
	// units of the tuned Reference's. Tuned are the same of tuned rows, with the score of the board. N is how
	// many methods are audited and fit all tasks of the board.
	Taus, Tuned [6]stats.Interval
}
