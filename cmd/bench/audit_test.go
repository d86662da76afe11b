package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"modebench/experiments/audit"
	"modebench/experiments/record"
	"modebench/internal/strictjson"
)

// auditRun runs bench audit into a folder of its own.
func auditRun(t *testing.T, args ...string) (dir, out, errors string, code int) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	var stdout, stderr bytes.Buffer
	code = bench(context.Background(), streams{out: &stdout, err: &stderr}, append([]string{"audit", "-o", dir}, args...))
	return dir, stdout.String(), stderr.String(), code
}

func TestAudit(t *testing.T) {
	dir, out, errs, code := auditRun(t, "grpo", "poly-epo:n=2", "evol-rl", "--groups", "2,4", "--problems", "2", "--samples", "64", "--set", "modes=3")
	if code != exitOK || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	data, err := os.ReadFile(filepath.Join(dir, record.AuditFile))
	if err != nil {
		t.Fatal(err)
	}
	var a record.Audit
	if err := strictjson.Decode(data, "", &a); err != nil || len(a.Rows) != 6 || len(a.Policy[0]) != 3 {
		t.Fatalf("%v, %+v", err, a)
	}
	for _, part := range []string{"groups of 4", "poly-epo n=2", "evol-rl", "±", "figures: "} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
	for _, name := range []string{"audit.svg", "audit.png", "audit-pass.svg", "audit-pass.png"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	dir, table, errs, code := auditRun(t, "grpo", "poly-epo:n=2", "--groups", "4", "--problems", "2", "--samples", "64", "--format", "latex", "--figure-format", "pgf")
	if code != exitOK || !strings.Contains(table, "\n\\addlinespace\n\\multicolumn{9}{@{}l}{\\emph{Sets") || !strings.HasSuffix(table, "\\end{tabular}%\n") {
		t.Errorf("--latex: exit code %d, %s%s", code, errs, table)
	}
	if _, err := os.Stat(filepath.Join(dir, "audit.pgf")); err != nil {
		t.Error(err)
	}
	again, document, _, _ := auditRun(t, "grpo", "poly-epo:n=2", "evol-rl", "--groups", "2,4", "--problems", "2", "--samples", "64", "--set", "modes=3", "--format", "json", "--figure-format", "none", "-j", "1")
	if document != string(data) {
		t.Errorf("--format json does not print the record:\n%s", document)
	}
	if files, _ := os.ReadDir(again); len(files) != 1 {
		t.Errorf("--figure-format none leaves %d files", len(files))
	}
}

// TestAuditOfTheReadme: the audit that the README recommends tells pass@1 from pass@64. On the bandit
// of its spec, whose arms all begin alike, it does not.
func TestAuditOfTheReadme(t *testing.T) {
	page := pageText(t, "README.md")
	if !strings.Contains(strings.ReplaceAll(page, "\n", " "), "remove the line `arms_per_mode` and run `bench audit --spec mine.toml --groups 4`") {
		t.Fatal("the README recommends another audit")
	}
	_, text, _ := strings.Cut(page, "```toml mine.toml\n")
	text, _, _ = strings.Cut(text, "```")
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.toml")
	if err := os.WriteFile(path, regexp.MustCompile(`(?m)^arms_per_mode.*\n`).ReplaceAll([]byte(text), nil), 0o644); err != nil {
		t.Fatal(err)
	}
	_, out, errs, code := auditRun(t, "--spec", path, "--groups", "4", "--figure-format", "none")
	row := regexp.MustCompile(`(?m)^grpo@setpo +reward .* (\S+) +(\S+) +(\S+)$`).FindStringSubmatch(out)
	if code != exitOK || row == nil {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	at, err := strconv.ParseFloat(row[3], 64)
	if err != nil || row[1] != "1.000" || at > 0.5 {
		t.Errorf("pass@1 %s, pass@8 %s, pass@64 %s (%v): they are one direction", row[1], row[2], row[3], err)
	}
}

func TestAuditErrors(t *testing.T) {
	spec := filepath.Join(t.TempDir(), "mine.toml")
	if err := os.WriteFile(spec, []byte("[env]\nname = \"maze\"\n[[method]]\nname = \"grpo\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"grop"}, `unknown method "grop"`, exitUsage},
		{[]string{"poly-epo:m=2"}, `unknown field "m"`, exitUsage},
		{[]string{"grpo", "--set", "modes=0"}, "--set: ", exitUsage},
		{[]string{"grpo", "--set", "rewarded=9"}, "--set: ", exitUsage},
		{[]string{"grpo", "--groups", "0"}, "groups of 0 rollouts, want 1 to 4096", exitUsage},
		{[]string{"grpo", "--jobs", "0"}, "--jobs is 0, want 1 or more", exitUsage},
		{[]string{"grpo", "--format", "gif"}, `--format is "gif"`, exitUsage},
		{[]string{"grpo", "--spec", spec}, "methods or --spec, not both", exitUsage},
		{[]string{"--spec", spec}, "the spec's environment is maze", exitInput},
		{[]string{"--spec", "nowhere"}, `unknown spec "nowhere"`, exitInput},
		{[]string{"set-rl:objective=mean(rewrad)"}, "rewrad", exitUsage},
	} {
		dir, _, errs, code := auditRun(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit code %d, want %d with %q:\n%s", c.args, code, c.code, c.want, errs)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%v: a folder all the same", c.args)
		}
	}
}

// TestAuditInterrupted: an audit that is interrupted reports that it leaves nothing, and a long
// audit prints its progress every ten seconds.
func TestAuditInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	code := bench(ctx, streams{out: &out, err: &errs}, []string{"audit", "grpo", "--out", t.TempDir()})
	if want := "bench: interrupted; an audit keeps nothing before its end\n"; code != exitInterrupted || errs.String() != want || out.Len() > 0 {
		t.Errorf("exit code %d, %q, %q", code, errs.String(), out.String())
	}
	errs.Reset()
	clock := time.Unix(0, 0)
	show := auditProgress(streams{err: &errs}, func() time.Time { return clock })
	for _, seconds := range []int{1, 9, 10, 12, 19, 21} {
		clock = time.Unix(int64(seconds), 0)
		show(audit.Progress{Label: "grpo", Group: 8, Done: seconds, Total: 30})
	}
	if want := " 33% of the audit, at grpo in groups of 8\n 70% of the audit, at grpo in groups of 8\n"; errs.String() != want {
		t.Errorf("%q, want %q", errs.String(), want)
	}
}
