package record

import "encoding/json"

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
