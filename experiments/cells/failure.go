package cells

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/internal/strictjson"
	"modebench/internal/visible"
)

// FailedPrefix is before the ID of a cell in the name of the file that explains why it
// failed. The file is beside the cells, so it is not hashed, until the cell is finished.
const FailedPrefix = ".failed-"

// A Failure is why a cell failed when it was last run.
type Failure struct {
	Label string `json:"label"`
	Seed  int    `json:"seed"`
	Error string `json:"error"` // on one line
}

// WriteFailure writes down why a cell failed.
func WriteFailure(cells, id string, f Failure) error {
	f.Error = strictjson.OneLine(f.Error)
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(cells, FailedPrefix+id), append(data, '\n'))
}

// readFailure reads why a cell failed; a file that cannot be read is a failure too.
func readFailure(cells, id string) (why string, ok bool) {
	path := filepath.Join(cells, FailedPrefix+id)
	data, err := record.ReadBelow(cells, FailedPrefix+id)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	if err != nil {
		return err.Error(), true
	}
	f, err := ParseFailure(data)
	if err != nil {
		return path + ": " + err.Error(), true
	}
	return visible.Text(f.Error), true
}

// ParseFailure reads what WriteFailure wrote, strictly.
func ParseFailure(data []byte) (f Failure, err error) {
	err = strictjson.Decode(data, "", &f)
	switch {
	case err != nil:
	case f.Error == "" || f.Label == "" || f.Seed < 0:
		err = errors.New("it names no error or no cell")
	case f.Error != strictjson.OneLine(f.Error):
		err = errors.New("error: more than one line")
	}
	return f, err
}
