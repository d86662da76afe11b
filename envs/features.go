package envs

// Features counts the features with which an environment describes its problems and the
// states of its answers.
type Features struct {
	Count  int // features are 0 to Count-1
	Width  int // most features of one position of a prompt, or of one state
	Prompt int // most positions of a prompt, over all splits
	Tokens int // answers hold the tokens 0 to Tokens-1
}

// A Describer is an environment that describes its problems to sequence models.
// Its problems are DescribedProblems, and their cursors DescribedCursors.
//
// An environment need not be a Describer. Its encoding then takes the tokens of a prompt
// and their places for features, and states have only the features of every encoding.
type Describer interface {
	Env
	Features() Features
}

// A DescribedProblem lists the features of its prompt.
type DescribedProblem interface {
	Problem
	// AppendPromptFeatures appends the features of each position of the prompt.
	// Positions are made by AppendPosition. They determine the prompt.
	AppendPromptFeatures(dst [][]int32) [][]int32
}

// A DescribedCursor lists the features of its state.
type DescribedCursor interface {
	Cursor
	// AppendFeatures appends features that the problem and the tokens so far
	// determine, without repetition, also when the answer is done. The last token
	// and its place in the answer need not be among them: an encoding adds both.
	AppendFeatures(dst []int32) []int32
}

// AppendPosition appends a position to a prompt. It has the room that a position of an earlier
// prompt left behind in dst.
func AppendPosition(dst [][]int32, features ...int32) [][]int32 {
	if len(dst) == cap(dst) {
		return append(dst, append([]int32(nil), features...))
	}
	dst = dst[:len(dst)+1]
	dst[len(dst)-1] = append(dst[len(dst)-1][:0], features...)
	return dst
}

// A Numbering gives features their numbers: it is how many have one.
type Numbering int32

// Take gives the next n features their numbers, and returns the first of these.
func (c *Numbering) Take(n int) int32 {
	first := int32(*c)
	*c += Numbering(n)
	return first
}
