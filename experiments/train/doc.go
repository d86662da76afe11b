// Package train makes one run: a variant of a spec under one seed.
//
// A trainer repeats one step. It draws rollouts from the policy, has the environment judge
// them, gets advantages from the estimator and updates the policy. An evaluator measures
// the policy on the way. Records go to files in a folder that gets its final name when the
// run is whole. From time to time the state of the run is saved to a file, and the next run
// goes on from there. Base policies of transformers are pre-trained once and cached.
//
// Run is the entry point. It reports its progress to an Observer.
package train
