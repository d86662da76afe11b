package record

import (
	"encoding/json"
	"regexp"
)

// A Base names the base policy that a cell began from. It is in the cell's provenance.json, which
// is no record. One file name represents the same bytes on every machine.
type Base struct {
	File   string `json:"file"`   // in the folder of base policies
	SHA256 string `json:"sha256"` // of the file, in hex
}

// ReadBase reads the base policy that the cell in dir began from; ok is false if it is unknown: the
// cell needs no base policy, or was written before this was recorded.
func ReadBase(dir string) (b Base, ok bool) {
	data, err := ReadBelow(dir, ProvenanceFile)
	if err != nil {
		return b, false
	}
	var doc struct{ Base Base }
	if json.Unmarshal(data, &doc) != nil || !baseFiles.MatchString(doc.Base.File) || !sums256.MatchString(doc.Base.SHA256) {
		return b, false
	}
	return doc.Base, true
}

var (
	baseFiles = regexp.MustCompile(`^[a-z0-9-]+\.base$`)
	sums256   = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// A Cost is how long a finished cell has taken, over all runs that had a part in it.
type Cost struct {
	Seconds     float64 // above 0
	Pretraining float64 // seconds of the making of its base policy, which are no part of Seconds; 0: it was there
}

// longest is more than any cell takes, in seconds: 30 years.
const longest = 1e9

// ReadCost reads the cost of a cell from its provenance.json; ok is false if it is unknown or makes
// no sense. cells is the folder of all cells.
func ReadCost(cells, id string) (c Cost, ok bool) {
	data, err := ReadBelow(cells, id, ProvenanceFile)
	if err != nil || json.Unmarshal(data, &c) != nil {
		return Cost{}, false
	}
	if !(c.Seconds > 0 && c.Seconds < longest && c.Pretraining >= 0 && c.Pretraining < longest) {
		return Cost{}, false
	}
	return c, true
}
