package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/cells"
)

// slurmConf is a cluster of one node. A job that is queued again waits for as long as
// credentials last, of which Slurm takes no less than five seconds.
const slurmConf = `ClusterName=modebench
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
SlurmctldPort=%[2]d
SlurmdPort=%[3]d
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=%[4]s/munge.sock,cred_expire=5
StateSaveLocation=%[4]s/state
SlurmdSpoolDir=%[4]s/spool
SlurmctldPidFile=%[4]s/slurmctld.pid
SlurmdPidFile=%[4]s/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=node NodeHostname=%[1]s NodeAddr=127.0.0.1 CPUs=4 RealMemory=8192 State=UNKNOWN
PartitionName=all Nodes=node Default=YES State=UP MaxTime=60
`

// startSlurm starts a cluster of this machine alone, with all of its files in a folder of
// its own, and ends it with the test.
func startSlurm(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("Slurm's daemons are started by root alone")
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("Slurm is not here (Debian's packages slurm-wlm and munge): %v", err)
		}
	}
	dir, err := os.MkdirTemp("", "slurm") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		killAll(dir)
		os.RemoveAll(dir)
	})
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	key := make([]byte, 128)
	_, _ = rand.Read(key)
	for name, data := range map[string][]byte{
		"key":         key,
		"slurm.conf":  fmt.Appendf(nil, slurmConf, host, freePort(t), freePort(t), dir),
		"cgroup.conf": nil,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	t.Setenv("SLURM_CONF", in("slurm.conf"))
	daemon(t, in("munge.sock"), "munged", "--foreground", "--force", "--socket="+in("munge.sock"), "--key-file="+in("key"),
		"--pid-file="+in("munged.pid"), "--log-file="+in("munged.log"), "--seed-file="+in("munged.seed"))
	daemon(t, "", "slurmctld", "-D", "-c", "-f", in("slurm.conf"))
	daemon(t, "", "slurmd", "-D", "-f", in("slurm.conf"), "-N", "node")
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		state, err := exec.Command("sinfo", "-h", "-o", "%T").CombinedOutput()
		if strings.TrimSpace(string(state)) == "idle" {
			break
		}
		if time.Since(begun) > 15*time.Second {
			t.Fatalf("the node is not up after 15 seconds: %s (%v)", state, err)
		}
	}
	t.Cleanup(func() { // before the daemons: with a job goes the process that watches over it
		_ = exec.Command("scancel", "--user=root").Run()
		for range 50 {
			if left, err := exec.Command("squeue", "-h").Output(); err != nil || len(left) == 0 {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
}

// killAll ends what was started in a cluster and is still there after its daemons: every
// process that has the cluster's folder in its environment.
func killAll(dir string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		text, err := os.ReadFile(path)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && pid != os.Getpid() && bytes.Contains(text, []byte("SLURM_CONF="+dir+"/")) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// daemon starts a daemon that stays a child and ends with the test. Its output is shown if the test
// fails. It waits for the file that the daemon makes once it is up.
func daemon(t *testing.T, up, name string, args ...string) {
	t.Helper()
	var said bytes.Buffer
	d := exec.Command(name, args...)
	d.Stdout, d.Stderr = &said, &said
	d.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = d.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = d.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			_ = d.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", name, said.Bytes()[max(0, said.Len()-3000):])
		}
	})
	for begun := time.Now(); up != ""; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(up); err == nil {
			return
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("%s is not up after ten seconds", name)
		}
	}
}

// slurm runs one of its commands.
func slurm(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// waitFor waits until something holds, and fails the test after a time that is too long.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > 90*time.Second {
			t.Fatalf("after 90 seconds not yet: %s\n%s", what, slurm(t, "squeue", "-r"))
		}
	}
}

// failingPlugin is an estimator that cannot work while the file "broken" is there, for
// one of the seeds.
const failingPlugin = `import json, os, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["method"] == "hello":
        r = {"protocol": 1, "name": "mine"}
    elif m["method"] == "advantage":
        if m["params"]["seed"] == 1 and os.path.exists("broken"):
            sys.exit("no licence on this node")
        r = {"advantages": [[c["candidates"][0]["reward"][0] - 0.5 for c in g["rollouts"]] for g in m["params"]["groups"]]}
    else:
        break
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`

// limitedTask is the number of the task that reaches a time limit.
const limitedTask = "20"

// underTimeLimit submits a task of one cell without end, whose time is Slurm's least, a
// minute, and which gets its signal 50 seconds before the end of that; Slurm looks every half
// minute. The function that it returns waits until the task has queued itself again and goes
// on from its kept step, and cancels it.
func underTimeLimit(t *testing.T, spec string) (array string, goesOn func()) {
	t.Helper()
	endless := strings.Split(spec, "[[method]]")[0] + "[[method]]\nname = \"reinforce\"\nlabel = \"endless\"\ntrain = { steps = 900000000, record_every = 1000000 }\n"
	write(t, "endless.toml", strings.Replace(strings.Replace(endless, "every = 10\n", "", 1), "seeds = 2", "seeds = 1", 1))
	array = slurm(t, "sbatch", "--parsable", "--time=1", "--signal=B:USR1@50", "--array="+limitedTask, "array.sbatch", "endless.toml", "--out=endless", "--checkpoint=1s", "--shard=0/1")
	step := func() int { // of its kept state
		kept, _ := filepath.Glob("endless/cells/.resume-reinforce-*")
		if len(kept) == 0 {
			return 0
		}
		data, err := os.ReadFile(kept[0])
		if err != nil {
			t.Fatal(err)
		}
		point, err := cells.ParsePoint(data)
		if err != nil {
			t.Fatal(err)
		}
		return point.Step
	}
	return array, func() {
		waitFor(t, "the task whose time is over is started again", func() bool {
			text, _ := os.ReadFile("starts")
			return strings.Count(string(text), limitedTask+"\n") == 2
		})
		first := step()
		waitFor(t, "it goes on", func() bool { return step() != first })
		if now := step(); first == 0 || now < first {
			t.Errorf("started again it is at step %d, and was at %d", now, first)
		}
		slurm(t, "scancel", array)
	}
}

// TestSlurm is a sweep of twenty cells in nine tasks on a real scheduler, with the script of
// the examples and the commands that the plan and bench status print: one task is
// pre-empted, one is queued again by the administrator, one fails, and the second array runs
// the rest. Merged they are the files of one run on one machine. Meanwhile a cell without end
// reaches a time limit.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Slurm, for a minute")
	}
	interpreter := "/usr/bin/python3" // before one of a version manager, which starts slowly
	if _, err := exec.LookPath(interpreter); err != nil {
		if interpreter, err = exec.LookPath("python3"); err != nil {
			t.Skip("the estimator that fails is one in Python, which is not here")
		}
	}
	script, err := os.ReadFile("cluster/array.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := inDir(t)
	spec := strings.Split(tinySpec, "[[figure]]")[0]
	for _, method := range []string{"rloo", "dr-grpo", "dapo", "grpo-div", "poly-epo", "setpo+grpo"} {
		spec += "[[method]]\nname = \"" + method + "\"\n"
	}
	spec += "[[method]]\nname = \"reinforce\"\nlabel = \"long\"\ntrain = { steps = 3000000, record_every = 100000 }\n"
	spec += "[[method]]\nname = \"plugin\"\nlabel = \"mine\"\ncommand = [\"" + interpreter + "\", \"mine.py\"]\n"
	write(t, "my.toml", strings.Replace(spec, "every = 10\n", "", 1))
	write(t, "mine.py", failingPlugin)
	write(t, "broken", "")
	write(t, "array.sbatch", string(script))
	if err := os.WriteFile("bench", fmt.Appendf(nil, "#!/bin/sh\necho \"$SLURM_ARRAY_TASK_ID\" >>starts\n%s=1 exec %q -test.run='^TestBeBench$' -- \"$@\"\n", beBench, self), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	startSlurm(t)
	submit := func(printed string) (array string) { // the last command that was printed
		t.Helper()
		_, command, _ := strings.Cut(printed, "as an array: ")
		command, _, _ = strings.Cut(command, "\n")
		words := strings.Fields(command)
		if len(words) < 3 || words[0] != "sbatch" {
			t.Fatalf("no command of an array is printed:\n%s", printed)
		}
		return slurm(t, "sbatch", append([]string{"--parsable"}, words[1:]...)...)
	}

	limited, goesOn := underTimeLimit(t, spec)

	// Of nine tasks those with the long cells, 16 and 17, are the last two: scancel sends its
	// signal again and again for as long as other tasks of the array wait.
	code, plan, errs := call(t, "", "run", "my.toml", "--plan", "--shards=9", "--out=out", "--checkpoint=50ms")
	if code != exitOK {
		t.Fatalf("the plan, exit code %d: %s", code, errs)
	}
	array := submit(plan)
	if asked := slurm(t, "squeue", "-h", "-t", "all", "-j", array+"_0", "-o", "%l %m %C %j"); asked != "30:00 2G 1 bench" {
		t.Errorf("the array asks for %q, want half an hour, memory and one processor a task", asked)
	}
	for seed, stop := range [][]string{
		{"scancel", "--signal=USR1", "--batch", array + "_7"},
		{"scontrol", "requeue", array + "_8"},
	} {
		waitFor(t, strings.Join(stop, " ")+": it keeps where it stands", func() bool {
			kept, _ := filepath.Glob(fmt.Sprintf("out/cells/.resume-reinforce-s%d-*", seed))
			return len(kept) > 0
		})
		slurm(t, stop[0], stop[1:]...)
	}
	ended := func() {
		waitFor(t, "all tasks have ended", func() bool {
			arrays := strings.Fields(slurm(t, "squeue", "-h", "-o", "%F"))
			return !slices.ContainsFunc(arrays, func(array string) bool { return array != limited })
		})
	}
	ended()

	starts := func() map[string]int {
		text, err := os.ReadFile("starts")
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for task := range strings.FieldsSeq(string(text)) {
			n[task]++
		}
		delete(n, limitedTask)
		return n
	}
	for task, n := range starts() {
		want := 1
		if task == "7" || task == "8" { // those that were stopped
			want = 2
		}
		if n != want {
			t.Errorf("task %s was started %d times, want %d", task, n, want)
		}
	}
	code, out, _ := call(t, "", "status", "my.toml", "--out", "out")
	if code != exitFailed || !strings.Contains(out, "19 of 20 cells are finished, 1 failed") || !strings.Contains(out, "    19  failed     mine, seed 1: ") {
		t.Errorf("status, exit code %d:\n%s", code, out)
	}
	if err := os.Remove("broken"); err != nil {
		t.Fatal(err)
	}
	if _, rest, _ := call(t, "", "status", "my.toml", "--out", "out", "--array"); rest != "1\n" {
		t.Fatalf("the array to submit again is %q, want 1", rest)
	}
	submit(out)
	ended()
	goesOn()
	for _, args := range [][]string{
		{"merge", "out", "--out", "all", "--spec", "my.toml"},
		{"run", "my.toml", "--out", "one", "--jobs", "2", "--figure-format", "none"},
	} {
		succeed(t, args...)
	}
	one, all := recordsIn(t, "one"), recordsIn(t, "all")
	if d := cmp.Diff(one, all); d != "" || len(all) != 20*5+1 {
		t.Errorf("%d files; the array left others than one run:\n%.500s", len(all), d)
	}
	if t.Failed() {
		logs, _ := filepath.Glob("bench-*.out")
		for _, log := range slices.Sorted(slices.Values(logs)) {
			text, _ := os.ReadFile(log)
			t.Logf("%s: %s", log, text)
		}
	}
}
