package live

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// version is that of uPlot.
const version = "1.6.32"

// TestLibrary: the files of uPlot are those of its release, whole and unchanged, and its licence is
// beside them.
func TestLibrary(t *testing.T) {
	sums, err := os.ReadFile("uplot/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(sums)) {
		want, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("SHA256SUMS: %q", line)
		}
		listed = append(listed, name)
		data, err := os.ReadFile(path.Join("uplot", name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has another sum than SHA256SUMS says: %x", name, sum)
		}
	}
	if want := []string{"LICENSE", "uPlot.iife.min.js", "uPlot.min.css"}; !slices.Equal(listed, want) {
		t.Errorf("sums of %q, want those of %q", listed, want)
	}
	readme, err := os.ReadFile("uplot/README.md")
	if err != nil || !strings.Contains(string(readme), "# uPlot "+version+"\n") || !strings.Contains(library, "uPlot (v"+version+")") {
		t.Errorf("README.md and the library do not both say version %s (%v)", version, err)
	}
}

// TestScript: every part is in the script once, and none reaches for the network, for storage or
// for what a policy of content forbids.
func TestScript(t *testing.T) {
	files, err := fs.Glob(parts, "js/*.js")
	if err != nil || len(files) != len(order) {
		t.Errorf("%d files for %d parts (%v)", len(files), len(order), err)
	}
	script := Script()
	if licence, err := os.ReadFile("uplot/LICENSE"); err != nil || !strings.Contains(script, string(licence)) || strings.Contains(string(licence), "*/") {
		t.Errorf("the script does not hold the licence of uPlot (%v)", err)
	}
	for _, name := range order {
		text, err := parts.ReadFile("js/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(script, string(text)) != 1 {
			t.Errorf("%s.js is not in the script once", name)
		}
		if lines := strings.Count(string(text), "\n"); lines > 250 {
			t.Errorf("%s.js has %d lines", name, lines)
		}
		if !strings.HasPrefix(string(text), "// ") {
			t.Errorf("%s.js does not say what it is for", name)
		}
	}
	for _, bad := range []string{"fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "localStorage", "sessionStorage", "document.cookie", "eval(", "new Function", "innerHTML", "</script"} {
		if strings.Contains(script, bad) {
			t.Errorf("the script has %s", bad)
		}
	}
	if len(script) > 120_000 {
		t.Errorf("the script has %d bytes", len(script))
	}
}
