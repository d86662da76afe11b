//go:build !cgo

package cuda

const withCgo = false
