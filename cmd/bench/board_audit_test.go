package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/audit"
)

var updateBoardAudit = flag.Bool("update-board-audit", false, "write results/board/audit.json")

// TestBoardAudit: the published audit is that of bench audit --groups 4,16. Without
// -update-board-audit, which audits every method, some quick ones are audited again.
func TestBoardAudit(t *testing.T) {
	steps := func(names ...string) *audit.Steps {
		t.Helper()
		methods, err := audit.Methods(names)
		if err != nil {
			t.Fatal(err)
		}
		opt := audit.Default()
		opt.Groups, opt.Jobs = []int{4, audit.Rollouts}, 2
		a, err := audit.Run(context.Background(), methods, opt)
		if err != nil {
			t.Fatal(err)
		}
		s, err := audit.NewSteps(a)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	file := filepath.Join(root, "results", "board", "audit.json")
	if *updateBoardAudit {
		if err := os.WriteFile(file, steps().Text(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	published, err := audit.ParseSteps(file, data)
	if err != nil {
		t.Fatal(err)
	}
	if string(published.Text()) != string(data) {
		t.Errorf("%s is not as -update-board-audit writes it", file)
	}
	there := map[string]audit.MethodSteps{}
	for _, m := range published.Methods {
		there[m.Method] = m
	}
	again := steps("grpo", "rloo", "pass-n", "poly-epo", "vpo")
	if diff := cmp.Diff(published.K, again.K) + cmp.Diff(published.Groups, again.Groups); diff != "" {
		t.Errorf("what is audited (-published +again):\n%s", diff)
	}
	for _, m := range again.Methods {
		if diff := cmp.Diff(fmt.Sprint(there[m.Method]), fmt.Sprint(m)); diff != "" { // NaN is not NaN
			t.Errorf("%s (-published +again):\n%s", m.Method, diff)
		}
	}
}
