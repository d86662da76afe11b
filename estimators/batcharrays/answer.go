package batcharrays

import (
	"bufio"
	"errors"
	"io"

	"modebench/estimators"
	"modebench/internal/input"
)

// Answer answers batches of arrays by a method's advantages until the input ends. A mistake in a batch
// is the answer to it, and ends nothing. An input that cannot be read on is an input.Error.
func Answer(out io.Writer, in io.Reader, m *estimators.Instance) error {
	buffered := bufio.NewReaderSize(in, 1<<16)
	var answer []byte
	noted := false // the note of small groups is written once
	for {
		batch, err := Read(buffered)
		if errors.Is(err, io.EOF) {
			return nil
		}
		var wrong *BatchError
		if err != nil && !errors.As(err, &wrong) {
			return &input.Error{Err: err}
		}
		note := ""
		answer = answer[:0]
		if err == nil {
			if !noted {
				note = m.Idle(batch)
			}
			if note != "" {
				answer = appendText(answer, "note", note)
			}
			answer, err = appendAdvantages(answer, m, batch)
		}
		if err != nil {
			answer = appendText(answer[:0], "error", err.Error())
		} else {
			noted = noted || note != ""
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
}

func appendAdvantages(answer []byte, m *estimators.Instance, batch *estimators.Batch) ([]byte, error) {
	if m.PerToken() {
		found, err := m.AllTokenAdvantages(batch)
		if err != nil {
			return answer, err
		}
		return AppendTokens(answer, found), nil
	}
	found, err := m.RolloutAdvantages(batch)
	if err != nil {
		return answer, err
	}
	return Append(answer, found), nil
}
