//go:build !linux || !(amd64 || arm64) || nocuda

package cudatest

const supported = false
