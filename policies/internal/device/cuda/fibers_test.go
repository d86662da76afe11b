package cuda

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestShimNotices runs the program shim/misuse.cc: kernels that are right, whose output
// it holds right kernels to their results, and wrong kernels to the errors of the shim.
func TestShimNotices(t *testing.T) {
	aboutShim(t)
	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("no C++ compiler: ", err)
	}
	program := filepath.Join(t.TempDir(), "misuse")
	build := exec.Command(compiler, "-std=c++17", "-O1", "-pthread", "-Ishim", "shim/misuse.cc", "shim/fibers.cc", "-o", program)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	for i, want := range []struct{ reason, line string }{
		{"each barrier is kept, in a block that is no row of warps", "neighbours: "},
		{"and in the largest block there may be", "neighbours of 1024 in 2 blocks: "},
		{"lanes are counted across x and y", "shuffles: "},
		{"reading shared memory before writing it is no error", "unset: "},
		{"but gives no number", "shared memory that nobody wrote is NaN"},
		{"a barrier waits for all", "ends before a block's barrier: thread 40 ended, and thread 0 waits for it at the block's barrier on line"},
		{"that of a warp too", "ends before a warp's barrier: thread 7 ended, and thread 0 waits for it at the warp's shuffle or barrier on line"},
		{"threads of a block are to be at the same barrier", "two barriers: thread 0 waits at the block's barrier on line"},
		{"those of a warp at the same shuffle", "two shuffles: thread 0 waits at the warp's shuffle or barrier on line"},
		{"or all at the block's barrier", "block and warp: thread 3 waits at the warp's shuffle or barrier on line"},
		{"all lanes take part", "a mask that leaves lanes out: the shuffle on line"},
		{"and all are there", "a shuffle in half a warp: a shuffle or barrier of a warp on line"},
		{"a card refuses the address", "a misaligned vector: line"},
		{"reading past the end of a shared array is no error", "reads past the end: "},
		{"but gives no number", "what is there is NaN"},
		{"writing there is", "writes past the end: wrote 0 bytes past the end of writes_past_end(void**)::room, a shared array of 128 bytes"},
		{"and before the start", "writes before the start: wrote 4 bytes before the start of writes_before_start(void**)::room, a shared array"},
		{"also where an array fills its page", "writes past the end of a page: wrote 0 bytes past the end of writes_past_page(void**)::page, a shared array of 4096 bytes"},
		{"blocks in any order are no error", "blocks after each other: "},
		{"but do not find what those of lower numbers write", "thread "},
		{"what went wrong is forgotten", "neighbours after all that: "},
	} {
		if i >= len(lines) {
			t.Fatalf("%s: no line, want %q", want.reason, want.line)
		}
		// A line that ends in a colon: no error.
		if got := lines[i]; !strings.HasPrefix(got, want.line) || strings.HasSuffix(want.line, ": ") && got != want.line {
			t.Fatalf("%s: %q, want %q", want.reason, got, want.line)
		}
	}
}
