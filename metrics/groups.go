package metrics

// A Group is metrics that are measured together, if measure in [eval] of a spec lists its name.
type Group struct{ Name, Doc string }

// The names of the groups.
const (
	MeasureVotes      = "votes"
	MeasureRollouts   = "rollouts"
	MeasureEmbeddings = "embeddings"
	MeasureBranches   = "branches"
	MeasureKL         = "kl"
	MeasureSearch     = "search"
	MeasureUpdates    = "updates"
	MeasureDrawn      = "drawn"
	MeasureBoundary   = "boundary"
	// MeasureBoundaryNull needs MeasureBoundary beside it.
	MeasureBoundaryNull = "boundary_null"
	MeasureLaw          = "law"
	MeasureLengths      = "lengths"
)

// Groups lists the groups in the order in which measure lists them.
func Groups() []Group {
	return []Group{
		{MeasureVotes, "maj@k and the majority's share"},
		{MeasureRollouts, "of whole rollouts"},
		{MeasureEmbeddings, "of cosines"},
		{MeasureBranches, "branches@h"},
		{MeasureKL, "from the policy before training"},
		{MeasureSearch, "search@k, an evolutionary search at test time"},
		{MeasureUpdates, "what clips and corrections did in training"},
		{MeasureDrawn, "tokens drawn for training"},
		{MeasureBoundary, "what training made of each problem"},
		{MeasureBoundaryNull, "what a second pool of answers of the policy before training makes of it, beside boundary"},
		{MeasureLaw, "accuracy against entropy"},
		{MeasureLengths, "tokens of right and of wrong rollouts"},
	}
}
