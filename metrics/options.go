package metrics

// The defaults of Options, of evaluations, documents and imported answers alike.
const (
	DefaultDraws = 128 // scalarisations behind ew_best@k
	DefaultDelta = 0.8 // SD-E2's
)

// Options choose the metrics of a Table.
type Options struct {
	Weights []float64 // w*, one finite entry per reward component
	K       []int     // the k of pass@k and so on, each at least 1, none twice
	// Samples is the number of candidates that distinct_correct, distinct_incorrect and reward_l1
	// of an exact distribution refer to. Pools are taken as large as they are.
	Samples int
	// Draws are the scalarisations w of ew_best@k, with entries in [0, 1]; all
	// problems and methods share them. nil leaves ew_best@k out.
	Draws [][]float64
	// Variants reports that verdicts carry variants (envs.Info.Variants). Without it
	// the metrics of variants are left out.
	Variants bool
	// Answers reports that verdicts carry answers to vote with (envs.Info.Votes). Without
	// it the metrics of votes and final_accuracy are left out.
	Answers bool
	// Measure lists the groups of metrics beyond the plain ones, as measure in [eval] does. A
	// table computes those of votes, rollouts and embeddings.
	Measure []string
	// Delta is the cosine above which an answer repeats an earlier answer (Uniq and RR of
	// SD-E2 sec. 3.2 and app. D), in [-1, 1]; read by the metrics of embeddings alone.
	Delta float64
}
