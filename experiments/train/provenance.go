package train

import (
	"encoding/json"
	"os"
	"runtime"
	"time"

	"modebench/internal/program"
	"modebench/policies"
)

// provenance describes how a cell came about. It lies beside the records and is not
// hashed. "seconds" are of the cell alone; "pretraining" are those of its base policy, if this run
// made it for the cell. Nothing else reads the time of day.
func provenance(k *checkpointer, c *clock, policy policies.Policy, from *beginning) []byte {
	host, _ := os.Hostname() // an unknown host is no reason to fail
	doc := map[string]any{
		"started":    k.started.UTC().Format(time.RFC3339), // or resumed
		"seconds":    k.seconds(),
		"host":       host,
		"go":         runtime.Version(),
		"os":         runtime.GOOS,
		"arch":       runtime.GOARCH,
		"gomaxprocs": runtime.GOMAXPROCS(0),
		"modebench":  program.Build(),
	}
	if p, ok := policy.(interface{ Device() string }); ok {
		doc["device"] = p.Device()
	}
	if from != nil {
		doc["base"] = from.base
		if from.seconds > 0 {
			doc["pretraining"] = from.seconds
		}
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
