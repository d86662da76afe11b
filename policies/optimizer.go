package policies

// Optimizer holds the parameters of a policy's optimiser.
type Optimizer struct {
	Name    string  `param:"optimizer" doc:"adam (Kingma and Ba, 2015); sgd, plain gradient descent; or natural, the gradient under the inverse Fisher matrix (Amari, 1998; Kakade, 2001), exact for tabular policies whose rows learn apart: sharing = problem, and no context that is added up" choices:"adam,sgd,natural"`
	LR      float64 `param:"lr" doc:"learning rate" min:"0"`
	Beta1   float64 `param:"beta1" doc:"adam: decay of the first moment" min:"0" max:"0.9999999" when:"optimizer=adam"`
	Beta2   float64 `param:"beta2" doc:"adam: decay of the second moment" min:"0" max:"0.9999999" when:"optimizer=adam"`
	AdamEps float64 `param:"adam_epsilon" doc:"adam: added to the root of the second moment" min:"1e-30" when:"optimizer=adam"`
	// WeightDecay is decoupled from the gradient (Loshchilov and Hutter, 2019): an update first
	// takes the share rate * weight_decay from each parameter that it moves.
	WeightDecay float64 `param:"weight_decay" doc:"share of each parameter, times the learning rate, that an update takes off whatever the gradient (AdamW); of a tabular policy, in the rows that the batch visits, and towards the base policy; of a transformer, of the matrices of its linear maps" min:"0" late:"0"`
	// ClipNorm bounds the gradient before the optimiser sees it; under natural it
	// does so before the gradient is divided by the Fisher matrix.
	ClipNorm float64 `param:"clip_norm" doc:"a gradient of a larger Euclidean norm, over all parameters, is scaled down to this one; 0: never" min:"0" late:"0"`
}

// DefaultOptimizer is Adam with its usual decays and a rate that suits tabular policies.
func DefaultOptimizer() Optimizer {
	return Optimizer{Name: "adam", LR: 0.1, Beta1: 0.9, Beta2: 0.999, AdamEps: 1e-8}
}
