package spec

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	for _, c := range []struct{ text, want string }{
		{head + grpo + "lamda = 1\n", "('lamda' was unexpected)"},
		{head + "env.modez = 4\n" + grpo, "('modez' was unexpected)"},
		{head + "seeds = 0\n" + grpo, "bad.toml:3:9"},
		{head + "train.lr = \"fast\"\n" + grpo, `"fast" is not of types`},
		{head + "train.stesp = 4\n" + grpo, "('stesp' was unexpected)"},
		{head + grpo + "[[method]]\nname = \"nosuch\"\n", "bad.toml:6:8"},
		{head + grpo + "[transformer.train]\nlr = nan\n", "bad.toml:6:6"},
	} {
		write("bad.toml", []byte(c.text))
		if out, err := lint("bad.toml"); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s\ntaplo: %v, want %s\n%s", c.text, err, c.want, out)
		}
	}
}
