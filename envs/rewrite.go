package envs

// A Rewriter is a problem that knows other ways in which language models write its answers.
// Package reply, which reads what models say leniently, asks for them.
type Rewriter interface {
	Problem
	// Rewrite writes an answer that does not parse in the text form, if it knows how. What it
	// does not know it gives back as it is. It only changes how an answer is written: what
	// comes out says what went in.
	Rewrite(answer string) string
}
