//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// beBench tells this program to be bench, for scripts that start it.
const beBench = "MODEBENCH_TEST_BE_BENCH"

func TestBeBench(t *testing.T) {
	if os.Getenv(beBench) == "" {
		t.Skip("for tests that start this program")
	}
	os.Exit(bench(context.Background(), streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, flag.Args()))
}

// A cluster starts tasks one after another, in place of a scheduler.
type cluster struct {
	t    *testing.T
	path string
}

// newCluster is an empty folder with a sweep of four cells, and programs that tasks find.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := inDir(t)
	write(t, "my.toml", strings.Replace(strings.Split(tinySpec, "[[method]]\nname = \"base\"")[0], "steps = 20", "steps = 20000\nrecord_every = 1000", 1)+"[[method]]\nname = \"grpo\"\n[[method]]\nname = \"rloo\"\n")
	for name, text := range map[string]string{
		"bench":    fmt.Sprintf("#!/bin/sh\n%s=1 exec %q -test.run='^TestBeBench$' -- \"$@\"\n", beBench, self),
		"scontrol": "#!/bin/sh\necho \"$@\" >>requeued\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &cluster{t, dir + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// task runs a task to its end and returns its exit code; a task to pre-empt gets the signal once it
// has kept the state of its cell.
func (c *cluster) task(signal os.Signal, env []string, command ...string) int {
	c.t.Helper()
	before, _ := filepath.Glob("out/cells/.resume-*")
	task := exec.Command(command[0], command[1:]...)
	task.Env = append(append(os.Environ(), "PATH="+c.path), env...)
	task.Stdout, task.Stderr = os.Stderr, os.Stderr
	if err := task.Start(); err != nil {
		c.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = task.Wait(); close(done) }()
	for signal != nil {
		select {
		case <-done:
			c.t.Fatalf("%v ended before it could be stopped", command)
		case <-time.After(time.Millisecond):
		}
		if kept, _ := filepath.Glob("out/cells/.resume-*"); len(kept) > len(before) {
			if err := task.Process.Signal(signal); err != nil {
				c.t.Fatal(err)
			}
			break
		}
	}
	<-done
	return task.ProcessState.ExitCode()
}

// sameAsOne holds what the tasks left against a run on one machine.
func (c *cluster) sameAsOne() {
	c.t.Helper()
	for _, args := range [][]string{
		{"run", "my.toml", "--out", "one", "--jobs", "2", "--figure-format", "none"}, {"run", "my.toml", "--out", "out", "--figure-format", "none"},
	} {
		if code, _, errs := call(c.t, "", args...); code != exitOK {
			c.t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
	}
	if d := cmp.Diff(recordsIn(c.t, "one"), recordsIn(c.t, "out")); d != "" {
		c.t.Errorf("tasks left other files than one run:\n%.500s", d)
	}
}

// TestArrayScript runs the example of a Slurm array: a task is pre-empted and queued
// again, one is cancelled and stays so, one is lost, and the array that bench status prints runs the rest.
func TestArrayScript(t *testing.T) {
	takesSeconds(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the script is one of bash, which is not here")
	}
	script, err := filepath.Abs("cluster/array.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	c := newCluster(t)
	succeed(t, "run", "my.toml", "--plan", "--shards", "4", "--out", "out")
	submit := func(signal os.Signal, task string) int {
		return c.task(signal, []string{"SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=" + task}, "bash", script, "my.toml", "--out=out", "--checkpoint=1ms")
	}
	for task, c := range []struct {
		signal os.Signal
		code   int
	}{{nil, 0}, {syscall.SIGUSR1, 0}, {syscall.SIGTERM, exitPreempted}} { // the fourth is lost
		if code := submit(c.signal, strconv.Itoa(task)); code != c.code {
			t.Errorf("task %d: exit code %d, want %d", task, code, c.code)
		}
	}
	if requeued, err := os.ReadFile("requeued"); string(requeued) != "requeue 7_1\n" { // not what was cancelled
		t.Errorf("queued again: %q (%v), want task 1", requeued, err)
	}
	code, out, errs := call(t, "", "status", "my.toml", "--out", "out", "--array")
	if code != exitOK || out != "1-3\n" {
		t.Errorf("exit code %d, to submit again %q, want 1-3: %s", code, out, errs)
	}
	for _, task := range []string{"1", "2", "3"} {
		if code := submit(nil, task); code != 0 {
			t.Errorf("task %s again: exit code %d", task, code)
		}
	}
	if code := submit(nil, "4"); code != exitUsage {
		t.Errorf("a task that the plan does not have: exit code %d, want %d", code, exitUsage)
	}
	c.sameAsOne()
}

// TestIndexedJob runs the command of the example Job as its pods would: one is killed, one
// gets a signal to stop, and both are started again.
func TestIndexedJob(t *testing.T) {
	takesSeconds(t)
	manifest, err := os.ReadFile("cluster/job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ *command: \[(.*)\]$`).FindSubmatch(manifest)
	if found == nil {
		t.Fatal("the Job has no command")
	}
	for _, line := range []string{
		`requests: \{cpu: "\d+", memory: \d+Gi\}`, `limits: \{cpu: "\d+", memory: \d+Gi\}`,
		fmt.Sprintf(`action: FailJob .*\n.* values: \[%d\]`, exitUsage), fmt.Sprintf(`action: Ignore .*\n.* values: \[%d\]`, exitPreempted),
	} {
		if !regexp.MustCompile(line).Match(manifest) {
			t.Errorf("the Job has no %s", line)
		}
	}
	command := strings.Split(strings.NewReplacer("/sweep/", "", `"`, "").Replace(string(found[1])), ", ")
	c := newCluster(t)
	command[0] = "./bench"
	for pod, ends := range [][]struct {
		signal os.Signal
		code   int
	}{{{nil, 0}}, {{syscall.SIGTERM, exitPreempted}, {nil, 0}}, {{syscall.SIGKILL, -1}, {nil, 0}}, {{nil, 0}}} {
		for _, end := range ends {
			args := append([]string{}, command...)
			if end.signal != nil {
				args = append(args, "--checkpoint", "1ms")
			}
			if code := c.task(end.signal, []string{"JOB_COMPLETIONS=4", "JOB_COMPLETION_INDEX=" + strconv.Itoa(pod)}, args...); code != end.code {
				t.Errorf("pod %d: exit code %d, want %d", pod, code, end.code)
			}
		}
	}
	if code, out, _ := call(t, "", "status", "my.toml", "--out", "out"); code != exitOK {
		t.Errorf("after the Job: %s", out)
	}
	c.sameAsOne()
}
