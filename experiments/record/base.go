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
