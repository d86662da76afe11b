package audit

import (
	"errors"
	"fmt"

	"modebench/envs"
	"modebench/envs/bandit"
	"modebench/estimators"
)

// Options are the problems and sizes of an audit.
type Options struct {
	Bandit   envs.Config // nil: Bandit()
	Problems int         // one softmax each, averaged over
	Groups   []int       // sizes N
	Outcomes int         // the most outcomes of a group to enumerate; above, groups are drawn
	Samples  int         // groups of each problem to draw
	Seed     uint64
	Jobs     int // goroutines; nothing depends on it

	// Progress is called after every bandit of a row, one call at a time; nil: not wanted.
	Progress func(Progress)
}

// Progress is how far an audit is: Done of Total parts, the last one of the method
// with that label, at groups of Group rollouts.
type Progress struct {
	Label       string
	Group       int
	Done, Total int
}

// Default returns the options of an audit where nothing is set.
func Default() Options {
	return Options{Problems: 48, Groups: []int{2, 4, 8, 16, 32}, Outcomes: 100_000, Samples: 1_000, Jobs: 1}
}

// ks are the k of the pass@k whose gradients every step is compared with.
var ks = []int{1, 2, 4, 8, 16, 32, 64}

// Bandit is the bandit of an audit: four modes, two of them rewarded, so few that groups of 32 can
// be enumerated on many problems, and a steep start whose order differs from problem to problem, so
// that some are easy (.88) and some hard (.12). On a single problem with rewards of 0 and 1 all
// pass@k have the same direction: it is between problems that they differ.
func Bandit() *bandit.Config {
	c := bandit.Default()
	c.Modes, c.Rewarded, c.Start, c.Zipf = 4, 2, "zipf", 2
	return c
}

// A Method is a method to audit under its label. New makes an instance at its fields, for one
// goroutine, and a function that ends it.
type Method struct {
	Label string
	New   func() (*estimators.Instance, func() error, error)
	// Steps is equal for methods that make the same steps, such as those that differ in
	// their losses alone. The steps are then computed once. "": those of no other method.
	Steps string
}

// Check returns the first fault of the options.
func (o Options) Check() error {
	switch {
	case o.Problems < 1 || o.Problems > 1000:
		return fmt.Errorf("%d problems, want 1 to 1000", o.Problems)
	case len(o.Groups) == 0:
		return errors.New("no group sizes")
	case o.Outcomes < 1 || o.Outcomes > 100_000_000:
		return fmt.Errorf("%d outcomes to enumerate at most, want 1 to 100000000", o.Outcomes)
	case o.Samples < 2*batches:
		return fmt.Errorf("%d samples, want at least %d", o.Samples, 2*batches)
	}
	for _, n := range o.Groups {
		if n < 1 || n > 4096 {
			return fmt.Errorf("groups of %d rollouts, want 1 to 4096", n)
		}
	}
	return nil
}
