//go:build linux && (amd64 || arm64) && !nocuda

package cudatest

// supported is that of package cuda, which its own tests keep this package from
// importing.
const supported = true
