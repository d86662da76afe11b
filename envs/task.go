package envs

// A Task is given to a policy: a prompt and the grammar of its rollouts. A Problem is a
// task whose rollouts hold one answer; Chain and Goal make other tasks of it, so that
// rollout protocols are written once and not once per environment.
type Task interface {
	// ID names the task; two tasks of one ID are the same.
	ID() string
	// Prompt is the task as tokens.
	Prompt() []Token
	// Start returns a cursor at the beginning of a rollout.
	Start() Cursor
}

// A Wrapper is a task made of another task.
type Wrapper interface {
	Task
	// Unwrap returns the task it was made of.
	Unwrap() Task
}

// ProblemOf returns the problem that a task was made of.
func ProblemOf(t Task) Problem {
	for {
		switch layer := t.(type) {
		case Problem:
			return layer
		case Wrapper:
			t = layer.Unwrap()
		default:
			return nil
		}
	}
}

// A Viewer is a cursor whose whole state tells more than a policy should see. A tabular
// policy with a row for every number of steps left, for example, would learn nothing about
// the current cell of a maze.
type Viewer interface {
	Cursor
	// AppendView appends a key of the part of the state that a policy sees. States of one
	// view have the same legal tokens.
	AppendView(dst []byte) []byte
}

// A WrapperCursor walks a rollout of a Wrapper.
type WrapperCursor interface {
	Cursor
	// Unwrap returns the cursor of the answer under way, and the number of tokens
	// of the rollout that came before that answer.
	Unwrap() (inner Cursor, before int)
	// AppendContext appends a key of the part that the wrapper lets a policy see beside the
	// answer under way: for example the answer's number in its chain, or the goal.
	AppendContext(dst []byte) []byte
}

// View holds the parts of a cursor's state that a policy sees.
type View struct {
	Context []byte // added by the wrappers; empty for a problem's own cursor
	Answer  []byte // of the answer under way, or of the control token that is due
	Before  int    // tokens of the rollout that came before that answer or token
	// Control: a chain asks for a control token (ChainOptions.Stops). The problem's
	// demonstrator knows nothing of those, and no answer's view equals theirs.
	Control bool
}

// Look fills the view from a cursor. It reuses the view's slices.
func (v *View) Look(c Cursor) {
	v.Context, v.Answer, v.Before = v.Context[:0], v.Answer[:0], 0
	for {
		w, ok := c.(WrapperCursor)
		if !ok {
			break
		}
		v.Context = w.AppendContext(v.Context)
		inner, before := w.Unwrap()
		v.Before += before
		c = inner
	}
	if viewer, ok := c.(Viewer); ok {
		v.Answer = viewer.AppendView(v.Answer)
	} else {
		v.Answer = c.AppendState(v.Answer)
	}
	if _, v.Control = c.(*control); !v.Control {
		v.Answer = notControl(v.Answer)
	}
}
