package cuda

import _ "embed"

//go:generate go run generate.go

// ptx is the code that the driver compiles for the card: the kernels of the folder of that name.
// If a kernel or a flag of compile.Flags changes, go generate writes it anew, for which clang is
// needed but no CUDA; a test fails until that is done.
//
//go:embed kernels.ptx
var ptx []byte
