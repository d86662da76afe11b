// Package audit states how good the steps of an estimator are: their bias, their variance,
// and which objectives they climb.
//
// An audit takes bandits all of whose answers can be enumerated, under the softmax policy
// that training starts from. It takes the expectation of a step over all groups of
// rollouts, or over drawn ones with intervals, and compares it with the exact gradients of
// the objective that the method claims to climb and of pass@k.
package audit
