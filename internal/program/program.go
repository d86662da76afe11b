// Package program identifies which build of the program is running.
package program

import "runtime/debug"

// Version is the version of this release or, between two, of the next one. The Python package has
// the same.
const Version = "2.0.0"

// Build describes the program: version, commit and build settings, as far as the Go tool
// recorded them.
func Build() map[string]string {
	out := map[string]string{"version": Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision", "vcs.modified", "GOAMD64", "GOARM64", "-race":
			out[s.Key] = s.Value
		}
	}
	return out
}
