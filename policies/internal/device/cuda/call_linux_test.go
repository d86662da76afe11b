//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"testing"

	"github.com/ebitengine/purego"
)

// BenchmarkCall compares two ways to call a function of the driver.
func BenchmarkCall(b *testing.B) {
	d := openShim(b)
	b.Run("by address", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call(d.driver.launch, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
		}
	})
	b.Run("registered", func(b *testing.B) {
		var launch func(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params, extra uintptr) int32
		purego.RegisterFunc(&launch, d.driver.launch)
		b.ReportAllocs()
		for b.Loop() {
			launch(0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
		}
	})
	b.Run("lying ready", func(b *testing.B) {
		args := []uintptr{0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0}
		b.ReportAllocs()
		for b.Loop() {
			callWith(d.driver.launch, args)
		}
	})
	b.Run("nothing", func(b *testing.B) { // the time of the way to C and back
		libm, err := openLibrary("libm.so.6")
		if err != nil {
			b.Skip(err)
		}
		function, err := symbol(libm, "fegetround")
		if err != nil {
			b.Skip(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			callWith(function, nil)
		}
	})
	b.Run("the context", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call(d.driver.context, d.context)
		}
	})
}
