package ptxcc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"modebench/policies/internal/device/cuda/ptx/ptxtest"
)

// TestUnknown: what is not known is an error that names the operation and its line.
func TestUnknown(t *testing.T) {
	line := fmt.Sprintf("line %d: ", ptxtest.HeadLines+1)
	for _, test := range ptxtest.Unknown {
		_, err := Translate(ptxtest.Kernel(test.Statement))
		if err == nil || !strings.Contains(err.Error(), line) || !strings.Contains(err.Error(), test.Want) {
			t.Errorf("%s: %v, want %q and %q", test.Why, err, line, test.Want)
		}
	}
	if _, err := Translate(".version 6.3\n"); err == nil {
		t.Error("no error of PTX that has no kernel")
	}
}

func TestOperations(t *testing.T) {
	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("no C++ compiler: ", err)
	}
	var ptx, calls strings.Builder
	for n, o := range ptxtest.Operations {
		text := o.Kernel()
		if n > 0 {
			text = text[strings.Index(text, ".visible"):]
		}
		name := fmt.Sprintf("k_%d_", n)
		ptx.WriteString(strings.ReplaceAll(text, "entry k(", "entry "+name+"("))
		fmt.Fprintf(&calls, "{ uint64_t got = 0; %s((uint64_t)&got, 0); printf(\"%%llu\\n\", (unsigned long long)got); }\n", name)
	}
	cc, err := Translate(ptx.String())
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file, program := filepath.Join(folder, "operations.cc"), filepath.Join(folder, "operations")
	if err := os.WriteFile(file, []byte(cc+"#include <stdio.h>\nint main() {\n"+calls.String()+"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-std=c++17", "-I../shim", file, "../shim/fibers.cc", "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	for n, o := range ptxtest.Operations {
		if n >= len(got) || got[n] != fmt.Sprint(o.Want) {
			t.Errorf("%s gives %v, want %d", o.Statements, got[min(n, len(got)):][:1], o.Want)
		}
	}
}
