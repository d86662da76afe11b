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
		{MeasureUpdates, "effects of clips and corrections in training"},
		{MeasureDrawn, "tokens drawn for training"},
		{MeasureBoundary, "problems that training solves and loses"},
		{MeasureBoundaryNull, "the same of a second pool of answers of the policy before training, beside boundary"},
		{MeasureLaw, "accuracy against entropy"},
		{MeasureLengths, "tokens of right and of wrong rollouts"},
	}
}
