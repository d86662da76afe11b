package estimators

// evolrlMethods learn without labels: Evol-RL, its ablations and what it is held
// against; and its parts added to supervised GRPO.
var evolrlMethods = []Method{}
