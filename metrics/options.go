package metrics

// Options say what a Table measures.
type Options struct {
	Weights []float64 // w*, one finite entry per reward component
	K       []int     // the k of pass@k and so on, each at least 1, none twice
	// Samples is the number of candidates that distinct_correct,
	// distinct_incorrect and reward_l1 of an exact distribution refer to. Pools
	// are taken as large as they are.
	Samples int
	// Draws are the scalarisations w of ew_best@k, with entries in [0, 1]; all
	// problems and methods share them. nil leaves ew_best@k out.
	Draws [][]float64
	// Variants says that verdicts carry variants (envs.Info.Variants). Without it
	// the metrics of variants are left out.
	Variants bool
	// Answers says that verdicts carry answers to vote with (envs.Info.Votes). Without
	// it the metrics of votes and final_accuracy are left out.
	Answers bool
	// Groups are the metrics beyond the plain ones that are asked for.
	Groups Groups
	// Delta is the cosine above which an answer repeats another one (Uniq and RR of
	// SD-E2 sec. 3.2 and app. D), in [-1, 1]; read by the metrics of Embeddings alone.
	Delta float64
}

// Groups is a set of groups of metrics that a Table has to be asked for, since they
// cost more than the others or not every environment has what they read.
type Groups uint8

// The groups.
const (
	// Votes are maj@k and majority_share@k, of verdicts with an Answer.
	Votes Groups = 1 << iota
	// Rollouts are the metrics of whole chains: final_accuracy, strategy_accuracy,
	// strategies.
	Rollouts
	// Embeddings are the metrics of verdicts' Embedding: div, vendi and so on.
	Embeddings
)
