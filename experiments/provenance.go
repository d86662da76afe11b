package experiments

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"modebench/policies"
)

// now is the only clock of this package; what it says goes to provenance files
// and nowhere else.
func now() time.Time { return time.Now() }

// provenance describes how a cell came about. It stands beside the records,
// outside their hashes.
func provenance(k *keeper, c *clock, policy policies.Policy) []byte {
	host, _ := os.Hostname() // an unknown host is no reason to fail
	doc := map[string]any{
		"started":    k.started.UTC().Format(time.RFC3339), // or gone on with
		"seconds":    k.seconds(),
		"host":       host,
		"go":         runtime.Version(),
		"os":         runtime.GOOS,
		"arch":       runtime.GOARCH,
		"gomaxprocs": runtime.GOMAXPROCS(0),
		"modebench":  Build(),
	}
	if p, ok := policy.(interface{ Device() string }); ok {
		doc["device"] = p.Device()
	}
	if timings, ok := c.timings(); ok {
		doc["timings"] = timings
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return []byte("{}\n") // cannot happen: all values are texts and numbers
	}
	return append(text, '\n')
}

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
