package main

import (
	"strings"
	"testing"
)

// TestDoctor: the command lists the devices, and a self-test of the processor's fast path passes.
func TestDoctor(t *testing.T) {
	code, out, errs := call(t, "", "doctor")
	for _, want := range []string{"results version 2\n", "\ndevice cpu: ", "CUDA", "\n--device cuda "} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("bench doctor lacks %q, exit code %d:\n%s%s", want, code, out, errs)
		}
	}
	if testing.Short() {
		t.Skip("the self-test takes seconds")
	}
	code, out, errs = call(t, "", "doctor", "--device", "cpu")
	if code != exitOK || strings.Count(out, ": same bits\n") != 15 || strings.Contains(out, "DIFFERS") {
		t.Errorf("exit code %d, %d checks passed, want 15:\n%s%s", code, strings.Count(out, ": same bits\n"), out, errs)
	}
	for _, want := range []string{", held to cpu reference\n", "\ntiny: ", "\nS: ", "\nmaze: ", " s\ncpu ", " gives the same bits: all 15 checks\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the self-test lacks %q:\n%s", want, out)
		}
	}
}

// TestDoctorWithoutDevice: the error of a missing device is one line.
func TestDoctorWithoutDevice(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--device cuda:99", "device cuda:99: "},
		{"--device gpu", `device "gpu", want auto, cpu, cuda, or cuda:`},
		{"--device cuda:01", `device "cuda:01", want`},
		{"cuda", "a device is named by --device"},
	} {
		code, _, errs := call(t, "", append([]string{"doctor"}, strings.Fields(c.args)...)...)
		if code != exitUsage || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, want %d and one line with %q:\n%s", c.args, code, exitUsage, c.want, errs)
		}
	}
}
