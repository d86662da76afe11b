package imported

import (
	"bytes"
	"context"
)

// ParseLine reads a record, whose form its fields show. An error is one line and names the field.
func ParseLine(line []byte) (*Line, error) {
	m := importer{opt: Options{As: "-"}}
	l, err := m.parse(&File{}, line)
	if err == nil && l.Label == "-" {
		l.Label = ""
	}
	return l, err
}

// Records are the records of a file, up to an error. In gzip they may have limit bytes.
func Records(data []byte, limit int64) (records []string, err error) {
	size := (limit - minTotal) / maxGrowth
	err = eachRecord(context.Background(), "a.json", bytes.NewReader(data), size, func(_ string, record []byte, broken error) error {
		if broken == nil {
			records = append(records, string(record))
		}
		return broken
	})
	return records, err
}
