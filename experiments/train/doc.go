// Package train makes one run: a variant of a spec under one seed.
//
// A trainer repeats one step. It draws rollouts from the policy, has the environment judge
// them, gets advantages from the estimator and updates the policy. An evaluator measures
// the policy on the way. Records go to files in a folder that gets its final name when the
// run is whole; from time to time a file says where the run stands, and the next one goes
// on from there. Base policies of transformers are pre-trained once and kept in a cache.
//
// Run is the way in. How far it is goes out through an Observer.
package train
