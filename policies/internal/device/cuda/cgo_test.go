//go:build cgo

package cuda

// withCgo: this test is built with cgo.
const withCgo = true
