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
