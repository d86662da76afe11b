// Package program says which build of the program is running.
package program

import "runtime/debug"

// Build describes the program: module version, commit and build settings, as
// far as the Go tool recorded them.
func Build() map[string]string {
	out := map[string]string{"version": "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	out["version"] = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision", "vcs.modified", "GOAMD64", "GOARM64", "-race":
			out[s.Key] = s.Value
		}
	}
	return out
}
