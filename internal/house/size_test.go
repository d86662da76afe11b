package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxTracked is the largest size of a tracked file, in bytes.
const maxTracked = 512 << 10

// TestTrackedFilesAreSmall refuses generated bulk and programs in git.
func TestTrackedFilesAreSmall(t *testing.T) {
	root := filepath.Join("..", "..")
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no git repository to list: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
		if err == nil && info.Size() > maxTracked {
			t.Errorf("%s has %d bytes, want at most %d", name, info.Size(), maxTracked)
		}
	}
}
