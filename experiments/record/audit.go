package record

// AuditFile is the name of an audit's file, and AuditVersion the version of its form, which is
// raised by hand.
const (
	AuditFile    = "audit.json"
	AuditVersion = 1
)

// An Audit states how good the steps of estimators are on a policy all of whose answers
// can be enumerated: the softmax over the arms of some bandits, one group of each. It is a pure
// function of the fields that it holds.
type Audit struct {
	Version  int         `json:"version"`
	Env      Component   `json:"env"`
	Problems int         `json:"problems"` // train/0 and so on: one softmax each
	Policy   [][]float64 `json:"policy"`   // probability of every arm, by problem
	Groups   []int       `json:"groups"`   // sizes N of the groups audited
	Ks       []int       `json:"k"`        // of the pass@k that steps are held against
	Outcomes int         `json:"outcomes"` // the most outcomes of a group that are enumerated
	Samples  int         `json:"samples"`  // groups drawn of each problem if there are more
	Seed     uint64      `json:"seed"`
	// Parallel reports that the gradients of pass@k have one direction for all k, so that no
	// row can tell them apart.
	Parallel bool       `json:"parallel,omitempty"`
	Rows     []AuditRow `json:"rows"` // method by method, each at all groups
}

// How the numbers of a row came about.
const (
	AuditExact   = "exact"
	AuditSampled = "sampled"
)

// An AuditRow is a method at a group size. A step is g = (1/N) sum_i A_i grad log pi(y_i) in the
// logits of all problems, from one group of each, over the number of problems; mean is its
// expectation and goal the exact gradient of the objective that the method claims to climb.
type AuditRow struct {
	Label  string `json:"label"`
	Method string `json:"method"`
	Family string `json:"family"`
	Group  int    `json:"group"`
	How    string `json:"how,omitempty"`   // AuditExact, AuditSampled; "": it was not audited
	Why    string `json:"why,omitempty"`   // why it was not, or why it has no claim
	Claim  string `json:"claim,omitempty"` // the objective it claims to climb; "": none
	// Steps is how many outcomes of a group were enumerated, or groups drawn, in all
	// problems together.
	Steps int `json:"steps,omitempty"`

	Length   *AuditNumber `json:"length"`   // |mean|
	Scale    *AuditNumber `json:"scale"`    // mean.goal / |goal|^2
	Bias     *AuditNumber `json:"bias"`     // |mean - scale goal| / |mean|, in [0, 1]: 0 is no bias in direction
	Cosine   *AuditNumber `json:"cosine"`   // of mean and goal
	Variance *AuditNumber `json:"variance"` // trace of the covariance of a step
	SNR      *AuditNumber `json:"snr"`      // |mean|^2 / variance
	// Pass is the cosine of mean and the gradient of pass@k, for every k of the audit.
	Pass []*AuditNumber `json:"pass"`
}

// An AuditNumber is exact, or has a 95% interval; nil if it is undefined.
type AuditNumber struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}
