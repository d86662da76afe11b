package plugin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/strictjson"
)

// The versions of the protocol that docs/plug-ins.md describes. The hello asks in the first,
// and a plug-in answers with its version: so a plug-in that knows the first alone sees nothing
// of the second.
const (
	oldestProtocol = 1
	tokenProtocol  = 2 // knows of tokens
)

// A Description holds the facts of a plug-in's hello, and the hashes of its files.
type Description struct {
	Name         string
	Requirements estimators.Requirements
	Objective    string // that it claims to climb; "": no claim
	State        bool   // it saves and loads its memory
	// Hashes are the SHA-256, in hexadecimal, of the regular files that Command (-m NAME
	// names NAME.py, or NAME/__main__.py) and Files name, by the names they have there,
	// and of the Python adapter's. A program that is found through PATH is not among them.
	Hashes map[string]string
	// Unasked: it said nothing, since it was not started. Hashes are all that is known.
	Unasked bool
}

func differs(before, after Description) error {
	if err := changed(before.Hashes, after.Hashes); err != nil {
		return err
	}
	if a, b := before.hello(), after.hello(); a != b {
		return fmt.Errorf("its hello changed while the run was under way (%s, then %s): want the same every time", a, b)
	}
	return nil
}

func (d Description) hello() string {
	needs := append(d.Requirements.CandidateFields.Names(), d.Requirements.RolloutFields.Names()...)
	tokens := ""
	if d.Requirements.PerToken {
		tokens = ", an advantage per token"
	}
	return fmt.Sprintf("name %q, needs %q, min_group %d, chains %t, objective %q, state %t%s", d.Name, needs, d.Requirements.MinGroup, d.Requirements.Chains, d.Objective, d.State, tokens)
}

type helloJSON struct {
	Protocol   *int      `json:"protocol"`
	Name       string    `json:"name"`
	Needs      *[]string `json:"needs"`
	MinGroup   int       `json:"min_group"`
	Chains     bool      `json:"chains"`
	Objective  string    `json:"objective"`
	State      bool      `json:"state"`
	Advantages *string   `json:"advantages"`
}

// parseHello reads the answer to a hello into a Description, without hashes.
func parseHello(result json.RawMessage) (Description, error) {
	doc := helloJSON{MinGroup: 1}
	if err := strictjson.Decode(result, "", &doc); err != nil {
		return Description{}, err
	}
	// Decode lets names pass in other letters, and names that occur twice.
	names := []string{"protocol", "name", "needs", "min_group", "chains", "objective", "state", "advantages"}
	if _, err := object(result, names); err != nil {
		return Description{}, err
	}
	if err := doc.check(); err != nil {
		return Description{}, err
	}
	d := Description{Name: doc.Name, Objective: doc.Objective, State: doc.State, Requirements: leastRequirements()}
	n := &d.Requirements
	n.MinGroup, n.Chains, n.PerToken = doc.MinGroup, doc.Chains, doc.Advantages != nil && *doc.Advantages == "token"
	if doc.Needs != nil {
		var err error
		if n.CandidateFields, n.RolloutFields, err = parseNeeds(*doc.Needs, *doc.Protocol); err != nil {
			return Description{}, err
		}
	}
	if n.PerToken {
		if n.RolloutFields&estimators.AllTokenFields == 0 {
			return Description{}, fmt.Errorf("advantages: \"token\" wants needs to name a list per token: %s", strings.Join(estimators.AllTokenFields.Names(), ", "))
		}
		n.RolloutFields |= estimators.RolloutTokens
	}
	return d, nil
}

func (doc *helloJSON) check() error {
	switch {
	case doc.Protocol == nil:
		return fmt.Errorf("protocol is missing, want %d or %d", oldestProtocol, tokenProtocol)
	case *doc.Protocol != oldestProtocol && *doc.Protocol != tokenProtocol:
		return fmt.Errorf("it speaks protocol %d, want %d or %d", *doc.Protocol, oldestProtocol, tokenProtocol)
	case doc.Advantages != nil && *doc.Protocol < tokenProtocol:
		return fmt.Errorf("unknown field \"advantages\" of protocol %d, want protocol %d", *doc.Protocol, tokenProtocol)
	case doc.Advantages != nil && *doc.Advantages != "rollout" && *doc.Advantages != "token":
		return fmt.Errorf("advantages: got %s, want \"rollout\" or \"token\"", excerpt([]byte(*doc.Advantages)))
	case doc.Name == "" || doc.Name != clip(doc.Name, 100):
		return fmt.Errorf("name: got %s, want a name of 1 to 100 characters on one line", excerpt([]byte(doc.Name)))
	case doc.MinGroup < 1:
		return fmt.Errorf("min_group: got %d, want 1 or more", doc.MinGroup)
	}
	return nil
}

// parseNeeds makes sets of the names of fields that a batch may hold under a version of the
// protocol.
func parseNeeds(names []string, protocol int) (fields envs.Fields, facts estimators.RolloutFields, err error) {
	known := estimators.AllRolloutFields
	if protocol >= tokenProtocol {
		known |= estimators.AllTokenFields
	}
	fieldNames, factNames := envs.HasAll.Names(), known.Names()
	for i, name := range names {
		if bit := slices.Index(fieldNames, name); bit >= 0 {
			fields |= 1 << bit
		} else if bit := slices.Index(factNames, name); bit >= 0 {
			facts |= 1 << bit
		} else {
			known := strings.Join(append(fieldNames, factNames...), ", ")
			return 0, 0, fmt.Errorf("needs[%d]: got %s, known are %s", i, excerpt([]byte(name)), known)
		}
	}
	return fields, facts, nil
}
