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

// A program is bench, built from the repository: what it prints is what pages say.
type program struct {
	ctx    context.Context
	folder string
}

// newProgram builds bench into a folder of its own.
func newProgram(ctx context.Context, root string) (*program, error) {
	folder, err := os.MkdirTemp("", "modebench-site-")
	if err != nil {
		return nil, err
	}
	p := &program{ctx, folder}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", p.path(), "./cmd/bench")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		p.close()
		return nil, fmt.Errorf("go build ./cmd/bench: %w\n%s", err, out)
	}
	return p, nil
}

func (p *program) path() string { return filepath.Join(p.folder, "bench.exe") }

func (p *program) close() { _ = os.RemoveAll(p.folder) }

// prints is what a command prints. It runs in the program's own folder, so that nothing that
// lies in the repository is read or written.
func (p *program) prints(args ...string) (string, error) {
	cmd := exec.CommandContext(p.ctx, p.path(), args...)
	cmd.Dir = p.folder
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("bench %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return string(out), nil
}

// table is the CSV that a command prints: each row by the names of its columns.
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
		of := map[string]string{}
		for i, name := range rows[0] {
			of[name] = row[i]
		}
		out = append(out, of)
	}
	return out, nil
}

// picture is the drawing that bench env makes of a problem, as SVG.
func (p *program) picture(args ...string) ([]byte, error) {
	at := filepath.Join(p.folder, "picture.svg")
	if _, err := p.prints(append(append([]string{"env"}, args...), "--svg", at)...); err != nil {
		return nil, err
	}
	return os.ReadFile(at)
}
