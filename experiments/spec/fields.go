package spec

import (
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/internal/params"
)

// PolicyExceptions lists, a line an environment, the defaults of a kind of policy
// that are others there.
func PolicyExceptions(policy string) ([]string, error) {
	kind, err := lookupPolicy(policy)
	if err != nil {
		return nil, err
	}
	var out []string
	usual := params.Fields(kind.config(""))
	for _, env := range envs.Names() {
		var defaults []string
		for i, f := range params.Fields(kind.config(env)) {
			if value := fmt.Sprint(f.Value); value != fmt.Sprint(usual[i].Value) {
				defaults = append(defaults, f.Name+" = "+value)
			}
		}
		if len(defaults) > 0 {
			out = append(out, env+": "+strings.Join(defaults, ", "))
		}
	}
	return out, nil
}

// PolicyFields lists the fields of the table "policy", "train" or "eval" of a spec, with the
// defaults under a kind of policy.
func PolicyFields(table, policy string) ([]params.Field, error) {
	kind, err := lookupPolicy(policy)
	if err != nil {
		return nil, err
	}
	switch table {
	case "train":
		train := kind.train()
		return params.Fields(&train), nil
	case "eval":
		eval := kind.eval()
		return params.Fields(&eval), nil
	}
	return params.Fields(kind.config("")), nil
}

// Fields lists the fields of a spec ("spec": above its tables) and of its tables "figure" and
// "claim".
func Fields(table string) []params.Field {
	switch table {
	case "spec":
		return params.Fields(&Spec{Seeds: defaultSeeds})
	case "figure":
		return figureFields()
	case "claim":
		claim := newClaim()
		return params.Fields(&claim)
	}
	return nil
}
