package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"modebench/envs/judging"
	"modebench/envs/reference"
	"modebench/internal/plural"
)

// cachedProblems is how many problems bench judge --jsonl and bench serve keep. An
// environment's verdicts may be kept with them, so that a problem takes up to half a megabyte.
const cachedProblems = 1024

// onlyLines says what is wrong with a command line of bench judge --jsonl: each id says
// which problem it is and how it is posed.
func onlyLines(flags *pflag.FlagSet, args []string) error {
	if len(args) > 0 {
		return usagef("bench judge --jsonl takes no name of an environment: each line names its problem")
	}
	var err error
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"jsonl", "embeddings", "reading"}, f.Name) {
			err = usagef("--%s names one problem: with --jsonl each line names its own, as in countdown/train/17?numbers=5&candidates=3", f.Name)
		}
	})
	return err
}

// judgeLines prints a line for each line of standard input.
func judgeLines(s streams, reading judging.Reading, embeddings bool) error {
	out := bufio.NewWriterSize(s.out, 1<<16)
	// What is judged is printed before more is waited for.
	in := bufio.NewReaderSize(flushingReader{s.in, out}, 1<<16)
	cache := reference.NewCache(cachedProblems)
	var line, judged []byte
	lines, faults := 0, 0
	for {
		var err error
		line, err = readLine(in, line[:0])
		if err == io.EOF {
			break
		}
		fault := false
		if err == nil || errors.Is(err, bufio.ErrTooLong) {
			judged, fault = appendJudged(judged[:0], cache, line, err, reading, embeddings)
			_, err = out.Write(append(judged, '\n'))
		}
		if err != nil {
			return err
		}
		lines++
		if fault {
			faults++
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if faults > 0 {
		return inputError(fmt.Errorf("standard input: no verdict on %s of %d; what is printed for a line says why", plural.Of(faults, "line"), lines))
	}
	return nil
}

// A flushingReader flushes what is written before it reads, which may wait.
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

// readLine appends a line to dst, without its end. One that is longer than maxJSONLine is passed
// over and bufio.ErrTooLong. After the last line comes io.EOF.
func readLine(in *bufio.Reader, dst []byte) ([]byte, error) {
	read, long := false, false
	for {
		part, err := in.ReadSlice('\n')
		read = read || len(part) > 0
		if len(dst)+len(part) > maxJSONLine {
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
		if n := len(dst); n > 0 && dst[n-1] == '\n' {
			dst = dst[:n-1]
		}
		return dst, nil
	}
}

// appendJudged appends the verdict on a line, or what is wrong with it, and whether it is that.
func appendJudged(dst []byte, cache *reference.Cache, line []byte, wrong error, reading judging.Reading, embeddings bool) ([]byte, bool) {
	var doc struct {
		ID     *string `json:"id"`
		Answer *string `json:"answer"`
	}
	switch {
	case wrong != nil:
		return judging.AppendFault(dst, nil, fmt.Errorf("a line of more than %d bytes", maxJSONLine)), true
	case json.Unmarshal(line, &doc) != nil || doc.ID == nil || doc.Answer == nil:
		return judging.AppendFault(dst, idOf(line), errors.New(`want {"id": "...", "answer": "..."}, both of them text`)), true
	case len(*doc.Answer) > maxLine:
		return judging.AppendFault(dst, doc.ID, fmt.Errorf("an answer of more than %d bytes", maxLine)), true
	}
	q, err := cache.Find(*doc.ID, nil)
	if err != nil {
		return judging.AppendFault(dst, doc.ID, err), true
	}
	j := judging.Judge(q, *doc.Answer, reading)
	return j.AppendNamed(dst, *doc.ID, judging.Fields(q, embeddings)), false
}

// idOf is the id of a line that has something wrong, if it has one.
func idOf(line []byte) *string {
	var doc map[string]json.RawMessage
	var id *string
	if json.Unmarshal(line, &doc) != nil || json.Unmarshal(doc["id"], &id) != nil {
		return nil
	}
	return id
}
