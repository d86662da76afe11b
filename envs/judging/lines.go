package judging

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"modebench/envs"
	"modebench/envs/reference"
)

// MaxAnswer bounds an answer in bytes, so that a stray binary file is an error and not an allocation.
const MaxAnswer = 1 << 20

// MaxLine bounds a line of JSON with an answer, whose every byte may be escaped as six.
const MaxLine = 6*MaxAnswer + 1<<16

// cachedProblems is how many problems Lines keeps. An environment's verdicts may be kept with them,
// so that a problem takes up to half a megabyte.
const cachedProblems = 1024

// A LineError is a line of the input that is no answer.
type LineError struct {
	Line int // from 1 on
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap gives the error itself.
func (e *LineError) Unwrap() error { return e.Err }

// Answers writes a verdict, with the fields of has, for each line of the input, an answer to q. It
// writes line by line, so that it works as a filter and a later mistake takes nothing back. A mistake
// in the input is a LineError.
func Answers(out io.Writer, in io.Reader, q *reference.Posed, reading Reading, has envs.Fields) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, MaxAnswer)
	var verdict []byte
	n := 1
	for ; lines.Scan(); n++ {
		answer, err := answerOf(lines.Bytes())
		if err != nil {
			return &LineError{n, err}
		}
		j := Judge(q, answer, reading)
		verdict = append(j.Append(verdict[:0], has), '\n')
		if _, err := out.Write(verdict); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return &LineError{n, fmt.Errorf("an answer of more than %d bytes", MaxAnswer)}
	}
	return lines.Err()
}

// answerOf takes the answer out of a line: a text of JSON, the field "answer" of an object
// of JSON, or else the line itself. A model may begin its answer with a quote or a brace,
// so other lines than JSON are no mistake.
func answerOf(line []byte) (string, error) {
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '"' || !json.Valid(trimmed) {
		return string(line), nil
	}
	if trimmed[0] == '"' {
		var text string
		err := json.Unmarshal(trimmed, &text)
		return text, err
	}
	var doc struct {
		Answer *string `json:"answer"`
	}
	// Other fields pass: logs of answers carry them.
	if json.Unmarshal(trimmed, &doc) != nil {
		return "", errors.New(`the field "answer" is not a text`)
	}
	if doc.Answer == nil {
		return "", fmt.Errorf(`no field "answer" in the object`)
	}
	return *doc.Answer, nil
}

// Lines writes a line for each line of the input, which names its problem:
// {"id": "countdown/train/17", "answer": "..."}. It returns how many lines it read, and how many of
// them have a fault in place of a verdict.
func Lines(out io.Writer, in io.Reader, reading Reading, embeddings bool) (lines, faults int, err error) {
	buffered := bufio.NewWriterSize(out, 1<<16)
	// Verdicts are printed before a read that may wait.
	from := bufio.NewReaderSize(flushingReader{in, buffered}, 1<<16)
	cache := reference.NewCache(cachedProblems)
	var line, judged []byte
	for {
		line, err = readLine(from, line[:0])
		if err == io.EOF {
			return lines, faults, buffered.Flush()
		}
		fault := false
		if err == nil || errors.Is(err, bufio.ErrTooLong) {
			judged, fault = appendJudged(judged[:0], cache, line, err, reading, embeddings)
			_, err = buffered.Write(append(judged, '\n'))
		}
		if err != nil {
			return lines, faults, err
		}
		lines++
		if fault {
			faults++
		}
	}
}

// A flushingReader flushes its output before it reads, which may wait.
type flushingReader struct {
	in  io.Reader
	out *bufio.Writer
}

func (r flushingReader) Read(p []byte) (int, error) {
	if err := r.out.Flush(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

// readLine appends a line to dst, without its end. A line longer than MaxLine is passed over and gives
// bufio.ErrTooLong. After the last line comes io.EOF.
func readLine(in *bufio.Reader, dst []byte) ([]byte, error) {
	read, long := false, false
	for {
		part, err := in.ReadSlice('\n')
		read = read || len(part) > 0
		if len(dst)+len(part) > MaxLine {
			dst, long = dst[:0], true
		}
		if !long {
			dst = append(dst, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (err != io.EOF || !read):
			return dst, err
		case long:
			return dst, bufio.ErrTooLong
		}
		return bytes.TrimSuffix(dst, []byte("\n")), nil
	}
}

// appendJudged appends the verdict on a line, or its fault, and reports whether it is a fault.
func appendJudged(dst []byte, cache *reference.Cache, line []byte, wrong error, reading Reading, embeddings bool) ([]byte, bool) {
	var doc struct {
		ID     *string `json:"id"`
		Answer *string `json:"answer"`
	}
	switch {
	case wrong != nil:
		return AppendFault(dst, nil, fmt.Errorf("a line of more than %d bytes", MaxLine)), true
	case json.Unmarshal(line, &doc) != nil || doc.ID == nil || doc.Answer == nil:
		return AppendFault(dst, idOf(line), errors.New(`want {"id": "...", "answer": "..."}, both of them text`)), true
	case len(*doc.Answer) > MaxAnswer:
		return AppendFault(dst, doc.ID, fmt.Errorf("an answer of more than %d bytes", MaxAnswer)), true
	}
	q, err := cache.Find(*doc.ID, nil)
	if err != nil {
		return AppendFault(dst, doc.ID, err), true
	}
	j := Judge(q, *doc.Answer, reading)
	return j.AppendNamed(dst, *doc.ID, Fields(q, embeddings)), false
}

// idOf is the id of a faulty line, nil for no id.
func idOf(line []byte) *string {
	var doc map[string]json.RawMessage
	var id *string
	if json.Unmarshal(line, &doc) != nil || json.Unmarshal(doc["id"], &id) != nil {
		return nil
	}
	return id
}
