package record

// Names of the files, as listed in the package comment.
const (
	ManifestFile   = "run.json"
	PlanFile       = "plan.json" // until there is a manifest
	CellFile       = "cell.json"
	TrainFile      = "train.jsonl"
	EvalFile       = "eval.jsonl"
	CheckpointFile = "policy.ckpt"
	DoneFile       = "DONE"
	ProvenanceFile = "provenance.json"
)

// PoolsFile holds the recorded answers of evaluations, one Pool a line; a cell whose keep in
// [eval] is 0 has no such file.
const PoolsFile = "pools.jsonl"
