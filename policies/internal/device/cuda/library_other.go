//go:build !linux || !(amd64 || arm64) || nocuda

package cuda

import (
	"fmt"
	"runtime"
)

const supported = false

func openLibrary(string) (uintptr, error) {
	return 0, fmt.Errorf("this program was built without CUDA (%s/%s): it needs linux/amd64 or linux/arm64 and no build tag nocuda", runtime.GOOS, runtime.GOARCH)
}

func symbol(uintptr, string) (uintptr, error) { return 0, fmt.Errorf("built without CUDA") }

func call(uintptr, ...uintptr) result { return notSupported }

func callWith(uintptr, []uintptr) result { return notSupported }
