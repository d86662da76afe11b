// Package imported makes records of other people's completions: the answers of a language model to
// problems of the environments, in log files.
//
// A line of a log is a completion: the problem, by its reference or by its prompt, the text,
// and where known the step of training, the label of the model or method, and the seed. All
// completions of one label, seed and kind of problems make a cell, those of one step an
// evaluation of it. They are judged, and measured by the code that measures evaluations of
// our own policies, so whatever reads records reads these.
//
// A cell is a pure function of its completions and of the options. The policy of its
// resolved cell is the hash of the completions that were measured.
package imported
