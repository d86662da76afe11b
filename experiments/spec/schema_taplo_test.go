package spec

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestSchemaInTaplo: taplo, by which editors check TOML, takes the built-in specs, and names what is wrong with
// others at its place.
func TestSchemaInTaplo(t *testing.T) {
	taplo, err := exec.LookPath("taplo")
	if err != nil {
		t.Skip("no taplo in PATH: npm install --global @taplo/cli@0.7.0 brings it")
	}
	made, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("spec.schema.json", text)
	lint := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), taplo, append([]string{"lint", "--colors", "never"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var good []string
	for _, name := range BuiltinNames() {
		text, err := BuiltinText(name)
		if err != nil {
			t.Fatal(err)
		}
		write(name+".toml", append([]byte("#:schema ./spec.schema.json\n"), text...))
		good = append(good, name+".toml")
	}
	if out, err := lint(good...); err != nil {
		t.Errorf("the built-in specs: %v\n%s", err, out)
	}
	const head, grpo = "#:schema ./spec.schema.json\nenv.name = \"bandit\"\n", "[[method]]\nname = \"grpo\"\n"
	cases := []struct{ text, place, mistake string }{
		{head + grpo + "lamda = 1\n", "5:1", "('lamda' was unexpected)"},
		{head + "env.modez = 4\n" + grpo, "3:5", "('modez' was unexpected)"},
		{head + "seeds = 0\n" + grpo, "3:9", "0 is less than the minimum of 1"},
		{head + "train.lr = \"fast\"\n" + grpo, "3:12", `"fast" is not of types`},
		{head + "train.stesp = 4\n" + grpo, "3:7", "('stesp' was unexpected)"},
		{head + grpo + "[[method]]\nname = \"nosuch\"\n", "6:8", `"nosuch" is not one of`},
		{head + grpo + "[transformer.train]\nlr = nan\n", "6:6", "null is not of types"},
	}
	var bad []string
	for i, c := range cases {
		bad = append(bad, fmt.Sprintf("bad%d.toml", i))
		write(bad[i], []byte(c.text))
	}
	out, err := lint(bad...)
	if err == nil {
		t.Error("taplo takes specs with mistakes")
	}
	for i, c := range cases {
		if !regexp.MustCompile(regexp.QuoteMeta(c.mistake) + `.*\n.*[/\\]` + bad[i] + ":" + c.place + "\n").MatchString(out) {
			t.Errorf("%s\ntaplo does not find %s at %s:\n%s", c.text, c.mistake, c.place, out)
		}
	}
}
