package estimators

// RolloutAdvantages gives one advantage per group and rollout of a batch that came from outside, after
// a check that it holds what the method requires.
func (i *Instance) RolloutAdvantages(b *Batch) ([][]float64, error) {
	dst := NewAdvantages(b)
	err := i.Requirements().Check(b)
	if err == nil {
		err = i.Advantages(dst, b)
	}
	return dst, i.named(err)
}

// AllTokenAdvantages is RolloutAdvantages of a method with one advantage per token.
func (i *Instance) AllTokenAdvantages(b *Batch) ([][][]float64, error) {
	dst := NewTokenAdvantages(b)
	err := i.Requirements().Check(b)
	if err == nil {
		err = i.TokenAdvantages(dst, b)
	}
	return dst, i.named(err)
}

// Idle explains that the groups of a batch are too small for the method to teach anything; "" if they
// are not.
func (i *Instance) Idle(b *Batch) string {
	if why := i.Requirements().Idle(b); why != "" {
		return "method " + i.Method.Name + ": " + why
	}
	return ""
}
