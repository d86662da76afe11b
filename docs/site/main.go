// Command site writes the documents of this repository as Markdown, of which mkdocs-material makes
// static pages that are read without a server and without a network:
//
//	go run ./docs/site OUT
//
// OUT/markdown holds the repository's Markdown, with links that fit the site (documents.go), and
// pages on methods, environments, specs, commands and packages. Those are made from the program's own
// lists, from doc comments and from committed results, by the templates in pages. If mkdocs is
// installed, it then makes OUT/html as mkdocs.yml says.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] == "" || os.Args[1][0] == '-' {
		fmt.Fprintln(os.Stderr, "usage, in the repository's folder: go run ./docs/site OUT")
		os.Exit(64)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out, err := filepath.Abs(os.Args[1])
	if err == nil {
		err = makeSite(ctx, out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func makeSite(ctx context.Context, out string) error {
	folder, err := os.MkdirTemp("", "modebench-site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	bench, err := newProgram(ctx, ".", folder)
	if err != nil {
		return err
	}
	s, err := newSite(".", bench)
	if err != nil {
		return err
	}
	if err := s.playgroundPage(ctx, "."); err != nil {
		return err
	}
	if err := s.write(out); err != nil {
		return err
	}
	switch err = buildPages(ctx, ".", out); {
	case errors.Is(err, exec.ErrNotFound):
		fmt.Printf("%s has the Markdown. For pages: pip install -r docs/site/requirements.txt\n", filepath.Join(out, "markdown"))
		return nil
	case err == nil:
		fmt.Printf("open %s\n", filepath.Join(out, "html", "index.html"))
	}
	return err
}

// buildPages lets mkdocs make out/html of out/markdown; out is an absolute path. A link that leads
// nowhere is an error.
func buildPages(ctx context.Context, root, out string) error {
	mkdocs, err := exec.LookPath("mkdocs")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, mkdocs, "build", "--strict", "--config-file", filepath.Join(root, "docs", "site", "mkdocs.yml"),
		"--site-dir", filepath.Join(out, "html"))
	cmd.Env = append(os.Environ(), "MODEBENCH_MARKDOWN="+filepath.Join(out, "markdown"), "NO_MKDOCS_2_WARNING=1")
	text, err := cmd.CombinedOutput() // not quiet, or it would not count warnings
	if err == nil && bytes.Contains(text, []byte("Doc file")) {
		err = errors.New("a link leads to a page that is left out")
	}
	if err != nil {
		return fmt.Errorf("mkdocs build: %w\n%s", err, text)
	}
	return nil
}

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
