package envs

import (
	"slices"

	"modebench/internal/params"
)

// Values of the tag readers (package internal/params): the only parts that read a field of
// a Config. A field without the tag may change the problems, and so everything.
const (
	// ReadByDemonstrator is of Problem.Demonstrate and Priored, from which a tabular
	// policy starts.
	ReadByDemonstrator = "demonstrator"
	// ReadByLessons is of Teacher.Lesson.
	ReadByLessons = "lessons"
	// ReadByJudge is of verdicts, Truth and Info.Weights.
	ReadByJudge = "judge"
)

// LessonReaders lists who reads fields of the environment's Config for Lesson: a
// Teacher's lessons are its own, and the demonstrator gives those of others.
func LessonReaders(e Env) []string {
	if _, teaches := e.(Teacher); teaches {
		return []string{ReadByLessons}
	}
	return []string{ReadByDemonstrator}
}

// Reads reports whether one of the readers reads a field.
func Reads(readers []string, f params.Field) bool {
	return f.Readers == nil || slices.ContainsFunc(f.Readers, func(r string) bool { return slices.Contains(readers, r) })
}

// LessonParams are the values, by name, of the parameters that Lesson depends on, as
// params.Values has them. e was built from config. The draw of problems is not among them:
// lessons are of the split pretrain, which every draw has.
func LessonParams(e Env, config Config) map[string]any {
	out, readers := params.Values(config), LessonReaders(e)
	for _, f := range params.Fields(config) {
		if f.Name == envSeedField || !Reads(readers, f) {
			delete(out, f.Name)
		}
	}
	return out
}
