package cuda

import (
	"errors"
	"fmt"
)

// Kinds of errors, for errors.Is. Each error is one line with details.
var (
	// ErrUnavailable is each of the next five: this machine has nothing to compute on.
	ErrUnavailable = errors.New("no CUDA device can be used")

	ErrBuild     = errors.New("the program was built without CUDA")
	ErrNoDriver  = errors.New("no NVIDIA driver")
	ErrOldDriver = errors.New("the NVIDIA driver is too old")
	ErrNoDevice  = errors.New("no CUDA device")
	ErrOldDevice = errors.New("the CUDA device is too old")

	ErrOrdinal     = errors.New("no CUDA device of this number")
	ErrOutOfMemory = errors.New("out of device memory") // an *OutOfMemoryError
	ErrKernels     = errors.New("the kernels cannot be loaded")
	ErrLaunch      = errors.New("a kernel failed") // to start, or while it ran
	ErrArgument    = errors.New("a wrong argument")
	ErrClosed      = errors.New("the device is closed")
)

type failure struct {
	kind  error
	text  string
	cause error // may be nil; its text is in text already
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

func (f *failure) Is(target error) bool {
	if target == ErrUnavailable {
		switch f.kind {
		case ErrBuild, ErrNoDriver, ErrOldDriver, ErrNoDevice, ErrOldDevice:
			return true
		}
	}
	return target == f.kind
}

func fail(kind, cause error, format string, args ...any) error {
	return &failure{kind: kind, text: fmt.Sprintf(format, args...), cause: cause}
}

// A DriverError is an error that a function of the driver returned.
type DriverError struct {
	Function string // cuMemAlloc_v2
	Code     int    // 2
	Name     string // CUDA_ERROR_OUT_OF_MEMORY
	Text     string // out of memory
}

func (e *DriverError) Error() string {
	return fmt.Sprintf("%s: %s (%s)", e.Function, e.Name, e.Text)
}

// An OutOfMemoryError states how much memory was asked for and how much there is, in
// bytes. Total is 0 if the driver does not report it.
type OutOfMemoryError struct {
	Device             string
	Asked, Free, Total int
	cause              error
}

func (e *OutOfMemoryError) Error() string {
	left := "the driver does not report how much is free"
	if e.Total > 0 {
		left = fmt.Sprintf("%s (%d bytes) free of %s", size(e.Free), e.Free, size(e.Total))
	}
	return fmt.Sprintf("out of memory on %s: asked for %s (%d bytes), %s; take a smaller batch or model, or end what else runs on it",
		e.Device, size(e.Asked), e.Asked, left)
}

func (e *OutOfMemoryError) Is(target error) bool { return target == ErrOutOfMemory }
func (e *OutOfMemoryError) Unwrap() error        { return e.cause }

func size(bytes int) string {
	const units = "KMGTPE"
	if bytes < 1024 {
		return fmt.Sprintf("%d B", bytes)
	}
	value, unit := float64(bytes)/1024, 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	return fmt.Sprintf("%.1f %ciB", value, units[unit])
}
