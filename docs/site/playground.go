package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"text/template"

	"modebench/estimators"
)

// playgroundPage is one file that trains policies in a browser, and loads nothing else.
func (s *site) playgroundPage(ctx context.Context, root string) error {
	engine, exec, err := compileEngine(ctx, root)
	if err != nil {
		return err
	}
	methods, err := json.Marshal(s.playgroundMethods())
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "docs", "site", "playground")
	script, err := os.ReadFile(filepath.Join(folder, "page.js"))
	if err != nil {
		return err
	}
	page, err := template.ParseFiles(filepath.Join(folder, "page.html"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	err = page.Execute(&b, map[string]string{
		"Methods": string(methods), "Engine": base64.StdEncoding.EncodeToString(engine), "Exec": string(exec), "Script": string(script),
	})
	s.files["playground.html"] = b.Bytes()
	return err
}

// playgroundMethods have the summary and the formula of each method that fits all tasks with tables.
func (s *site) playgroundMethods() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, m := range estimators.Methods() {
		if !m.Trains || s.facts.line("tabular", m.Name) == nil || len(s.facts.line("tabular", m.Name).Areas) < len(s.facts.boards["tabular"].Tasks) {
			continue
		}
		t := reflect.TypeOf(m.Estimator()).Elem()
		formula := s.docs.typeDoc(strings.TrimPrefix(t.PkgPath(), module), t.Name())
		out[m.Name] = map[string]string{"summary": m.Summary, "formula": strings.TrimSpace(formula) + "\n\nSource: " + m.Source}
	}
	return out
}

// compileEngine compiles the playground to WebAssembly, and packs it. exec is the script that runs it, of the same Go.
func compileEngine(ctx context.Context, root string) (engine, script []byte, err error) {
	folder, err := os.MkdirTemp("", "modebench-playground-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "engine.wasm")
	// Without inlining it is a seventh smaller.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-gcflags=all=-l", "-ldflags=-s -w", "-o", path, "./docs/site/playground")
	build.Dir, build.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if printed, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("the playground does not compile: %w\n%s", err, printed)
	}
	plain, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, nil, err
	}
	if _, err := z.Write(plain); err != nil {
		return nil, nil, err
	}
	if err := z.Close(); err != nil {
		return nil, nil, err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, nil, err
	}
	script, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	return b.Bytes(), script, err
}
