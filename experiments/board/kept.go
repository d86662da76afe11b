package board

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"modebench/internal/input"
)

// ReadKept parses the file TASK.json in files of each task. folder is the name of the place in errors.
// missing are the tasks without a file, and those for which parse returns ErrUnfinished.
func ReadKept[D any](files fs.FS, folder string, tasks []Task, parse func(t Task, path string, data []byte) (D, error)) (kept []D, missing []string, err error) {
	for _, t := range tasks {
		file := t.Name + ".json"
		data, err := fs.ReadFile(files, file)
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, t.Name)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		d, err := parse(t, filepath.Join(folder, file), data)
		if errors.Is(err, ErrUnfinished) {
			missing = append(missing, t.Name)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		kept = append(kept, d)
	}
	return kept, missing, nil
}

// ParseTask parses the result of a task, under any policy.
func ParseTask(t Task, path string, data []byte) (*Result, error) {
	r, err := ParseResult(path, data)
	if err == nil && r.Task != t.Name {
		err = input.Errorf("%s holds the result of task %s", path, r.Task)
	}
	return r, err
}

// ErrUnfinished is the error of a result whose run has still to evaluate methods. The run continues from it.
var ErrUnfinished = errors.New("methods were tuned and are not evaluated yet")

// ParseFinished parses the result of a task, under any policy, for a table.
func ParseFinished(t Task, path string, data []byte) (*Result, error) {
	r, err := ParseTask(t, path, data)
	if err == nil && slices.ContainsFunc(r.Standings, func(s Standing) bool { return s.Row(Tuned) == nil }) {
		err = fmt.Errorf("%s: %w", path, ErrUnfinished)
	}
	return r, err
}
