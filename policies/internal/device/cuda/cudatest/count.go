//go:build linux && (amd64 || arm64) && !nocuda

package cudatest

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// supported is that of package cuda, which its own tests keep this package from importing.
const supported = true

// Count is how often the substitute driver was called by the name of a function, or has
// started the kernel of that name. See shim_count of shim/driver.cc.
func Count(t testing.TB, name string) int {
	t.Helper()
	library, err := purego.Dlopen(Library(t), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	count, err := purego.Dlsym(library, "shim_count")
	if err != nil {
		t.Fatal(err)
	}
	text := append([]byte(name), 0)
	n, _, _ := purego.SyscallN(count, uintptr(unsafe.Pointer(&text[0])))
	return int(n)
}
