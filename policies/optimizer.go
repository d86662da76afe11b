package policies

// Optimizer holds the parameters of a policy's optimiser.
type Optimizer struct {
	Name    string  `param:"optimizer" doc:"adam (Kingma and Ba, 2015) or plain gradient descent" choices:"adam,sgd"`
	LR      float64 `param:"lr" doc:"learning rate" min:"0"`
	Beta1   float64 `param:"beta1" doc:"adam: decay of the first moment" min:"0" max:"0.9999999"`
	Beta2   float64 `param:"beta2" doc:"adam: decay of the second moment" min:"0" max:"0.9999999"`
	AdamEps float64 `param:"adam_epsilon" doc:"adam: added to the root of the second moment" min:"1e-30"`
}

// DefaultOptimizer is Adam with its usual decays and a rate that suits tabular
// policies.
func DefaultOptimizer() Optimizer {
	return Optimizer{Name: "adam", LR: 0.1, Beta1: 0.9, Beta2: 0.999, AdamEps: 1e-8}
}
