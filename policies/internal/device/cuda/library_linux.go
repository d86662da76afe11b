//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import "github.com/ebitengine/purego"

// supported: this build can open a library.
const supported = true

func openLibrary(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }

// call calls a C function of integers and addresses that returns an int. The target of an argument
// is moved to the heap, so that its address is fixed while the driver writes to it.
//
//go:uintptrescapes
func call(function uintptr, args ...uintptr) result { return callWith(function, args) }

// callWith is call with prepared arguments, which allocates nothing; their targets are on the heap
// already, and the caller keeps it alive. Functions that purego registers go through reflection,
// which takes several times as long (BenchmarkCall).
func callWith(function uintptr, args []uintptr) result {
	r, _, _ := purego.SyscallN(function, args...)
	return result(int32(r))
}
