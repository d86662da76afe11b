package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// A program is bench, built from the repository, whose output pages show.
type program struct {
	ctx    context.Context
	folder string
}

func newProgram(ctx context.Context, root, folder string) (*program, error) {
	p := &program{ctx, folder}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", p.path(), "./cmd/bench")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./cmd/bench: %w\n%s", err, out)
	}
	return p, nil
}

func (p *program) path() string { return filepath.Join(p.folder, "bench.exe") }

// prints returns the output of a command, which runs in the program's own folder, so that it reads and
// writes nothing of the repository.
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
