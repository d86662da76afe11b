package envs

// A Baselined problem knows a fixed policy that sees less of the problem than a policy
// could, for example a policy that ignores the walls of a maze. A metric of that policy
// shows what can be reached without competence.
type Baselined interface {
	// AppendBaseline appends that policy's log-probability of each legal next token after the given
	// prefix, up to a common additive constant. All are finite: a token that the policy never takes
	// has one so far below the others that its probability is 0.
	AppendBaseline(dst []float64, prefix []Token) []float64
}
