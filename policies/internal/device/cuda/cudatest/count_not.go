//go:build !linux || !(amd64 || arm64) || nocuda

package cudatest

import "testing"

const supported = false

// Count skips the test: this build opens no libraries.
func Count(t testing.TB, _ string) int {
	t.Helper()
	t.Skip(errUnsupported)
	return 0
}
