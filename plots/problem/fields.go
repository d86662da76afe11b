package problem

import (
	"encoding/json"
	"fmt"

	"modebench/envs"
)

// readField decodes one of the problem's own fields into what out points to.
func readField(p envs.Problem, name string, out any) error {
	value, ok := p.Fields()[name]
	if !ok {
		return fmt.Errorf("the problem has no field %q", name)
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		return fmt.Errorf("field %q: %w", name, err)
	}
	return nil
}

// unparsedNote says how many of the answers do not parse; empty for none.
func unparsedNote(n, of int) string {
	switch {
	case n == 0:
		return ""
	case of == 1:
		return "The answer given does not parse."
	case n == 1:
		return fmt.Sprintf("1 of the %d answers given does not parse.", of)
	}
	return fmt.Sprintf("%d of the %d answers given do not parse.", n, of)
}
