package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A program is bench, built from the repository, whose output pages show.
type program struct {
	ctx    context.Context
	folder string
	texts  map[string]string // printed before, by command line
}

// newProgram builds bench into a folder.
func newProgram(ctx context.Context, root, folder string) (*program, error) {
	p := &program{ctx, folder, map[string]string{}}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", p.path(), "./cmd/bench")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./cmd/bench: %w\n%s", err, out)
	}
	return p, nil
}

func (p *program) path() string { return filepath.Join(p.folder, "bench.exe") }

// prints is the output of a command, which runs once, in the program's own folder, so that it reads
// and writes nothing of the repository.
func (p *program) prints(args ...string) (string, error) {
	line := strings.Join(args, " ")
	if text, ok := p.texts[line]; ok {
		return text, nil
	}
	cmd := exec.CommandContext(p.ctx, p.path(), args...)
	cmd.Dir = p.folder
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("bench %s: %w: %s", line, err, errs.String())
	}
	p.texts[line] = string(out)
	return string(out), nil
}

// table is the CSV that a command prints, with each row by the names of its columns.
func (p *program) table(args ...string) ([]map[string]string, error) {
	text, err := p.prints(args...)
	if err != nil {
		return nil, err
	}
	rows, err := readTable(text)
	if err != nil {
		return nil, fmt.Errorf("bench %s: %w", strings.Join(args, " "), err)
	}
	return rows, nil
}

// readTable reads CSV whose first row names the columns.
func readTable(text string) ([]map[string]string, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("printed nothing, want CSV with the names of its columns")
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		byName := map[string]string{}
		for i, name := range rows[0] {
			byName[name] = row[i]
		}
		out = append(out, byName)
	}
	return out, nil
}

// problem is the text and the drawing, as SVG, that bench env makes of an environment's first problem.
func (p *program) problem(environment string) (text string, picture []byte, err error) {
	file := filepath.Join(p.folder, environment+".svg")
	if text, err = p.prints("env", environment, "--svg", file); err != nil {
		return "", nil, err
	}
	picture, err = os.ReadFile(file)
	return text, picture, err
}
