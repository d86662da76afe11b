//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestCrashHasItsOwnExitCode: the code with which Go ends a crashed program is not among the
// documented ones, so that a crash is never taken for a mistake on the command line. SIGQUIT makes Go end so.
func TestCrashHasItsOwnExitCode(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestBeBench$", "--", "judge", "bandit")
	cmd.Env = append(os.Environ(), beBench+"=1")
	stdin, err := cmd.StdinPipe() // which bench reads until it ends
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer kill.Stop()
	// Once it has answered, the program is under way.
	if _, err := stdin.Write([]byte("m03\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() < 0 {
		t.Fatalf("it ended with %v", err)
	}
	for _, code := range regexp.MustCompile(`(?m)^  (\d+) `).FindAllStringSubmatch(exitCodesText, -1) {
		if code[1] == strconv.Itoa(ended.ExitCode()) {
			t.Errorf("Go ends a program with exit code %s, which is documented as one of bench", code[1])
		}
	}
	if code, _, _ := call(t, "", "nothing"); code == ended.ExitCode() {
		t.Errorf("an unknown command has exit code %d, as a crash has", code)
	}
}
