package memory

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAddressSpace: the memory of a process ends at the limit of its address space.
func TestAddressSpace(t *testing.T) {
	const limited = "MODEBENCH_TEST_LIMITED"
	if os.Getenv(limited) != "" {
		total, known := Total()
		available, _ := Available()
		fmt.Printf("%v %v %v\n", known, total < 4000000*1024, available < total && available > 0)
		return
	}
	if total, known := Total(); !known || total < 1<<20 {
		t.Errorf("without a limit: %d, %v", total, known)
	}
	if peak, known := Peak(); !known || peak < 1<<20 {
		t.Errorf("peak: %d, %v", peak, known)
	}
	cmd := exec.Command("sh", "-c", `ulimit -v 4000000 && exec "$0" -test.run='TestAddressSpace$'`, os.Args[0])
	cmd.Env = append(os.Environ(), limited+"=1")
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), "true true true\n") {
		t.Errorf("below 4 GB: %s, %v", out, err)
	}
}
