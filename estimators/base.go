package estimators

// Base is no training at all: every advantage is zero. It is the method `base`,
// the row that every table compares with, and takes the place of `optimum`,
// which has no policy. It takes rollouts of any number of candidates.
type Base struct{}

func (*Base) Requirements() Requirements { return Requirements{MinGroup: 1, Chains: true} }

func (*Base) Advantages(dst [][]float64, b *Batch) error {
	if err := checkShape(dst, b); err != nil {
		return err
	}
	for _, group := range dst {
		clear(group)
	}
	return nil
}

func init() {
	Register(Baselines, 10, Method{
		Name: "base", Summary: "no training: the row every other method is held against",
		Source: "-", Estimator: From(Base{}), Target: noObjective,
		Properties: Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "all zeros"},
	})
	Register(Baselines, 20, Method{
		Name: "optimum", Summary: "no policy: the exact optimum of each metric, which bounds every policy that is not told the weights it is scored under", Optimum: true,
		Source: "-", Estimator: From(Base{}), Target: noObjective,
		Properties: Properties{ShiftInvariant: true, Scale: Linear, ZeroSum: true, Why: "all zeros"},
	})
}
