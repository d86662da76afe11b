package claims

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"modebench/internal/input"
	"modebench/internal/strictjson"
	"modebench/metrics/stats"
)

// A First is the answer to a claim by its first gate: a condition on the means and 95%
// intervals of both sides, each by itself.
type First struct {
	Spec     string `json:"spec"`
	Policy   string `json:"policy"` // kind
	Claim    string `json:"claim"`
	Gate     string `json:"gate"`
	Verdict  string `json:"verdict"` // one of firstVerdicts
	Holds    int    `json:"holds"`   // settings where the gate held
	Judged   int    `json:"judged"`  // settings with a verdict
	Settings int    `json:"settings"`
}

// The answers of a gate: the claim held at every setting, at some, or at no setting, or it had
// too few seeds.
const (
	firstHeld  = "reproduced"
	firstSome  = "in part"
	firstNone  = "not reproduced"
	firstSeeds = "underpowered"
)

var firstVerdicts = []string{firstHeld, firstSome, firstNone, firstSeeds}

// ReadFirst reads a list of first verdicts, strictly. Errors name the file.
func ReadFirst(path string) ([]First, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, input.Errorf("%s does not exist", path)
	}
	if err != nil {
		return nil, err
	}
	return parseFirst(path, data)
}

func parseFirst(path string, data []byte) ([]First, error) {
	if err := strictjson.CheckSyntax(data); err != nil {
		return nil, input.Errorf("%s:%w", path, err)
	}
	var out []First
	if err := strictjson.Decode(data, "", &out); err != nil {
		return nil, input.Errorf("%s: %w", path, err)
	}
	for i, f := range out {
		if why[f.Verdict] == nil || f.Spec == "" || f.Claim == "" || f.Holds < 0 || f.Holds > f.Judged || f.Judged > f.Settings {
			return nil, input.Errorf("%s: [%d]: got spec %q, claim %q, verdict %q, %d of %d judged of %d settings; want a verdict of: %s", path, i, f.Spec, f.Claim, f.Verdict, f.Holds, f.Judged, f.Settings, strings.Join(firstVerdicts, ", "))
		}
	}
	return out, nil
}

// String is the first verdict with its counts.
func (f First) String() string {
	text := f.Verdict
	if text == firstSome {
		text = fmt.Sprintf("%s: %d of %d", text, f.Holds, f.Judged)
	}
	if without := f.Settings - f.Judged; without > 0 && f.Judged > 0 {
		text += fmt.Sprintf(" (%d without a verdict)", without)
	}
	return text
}

// why gives the reason for each pair of a first verdict and a different answer; "" if they agree.
var why = map[string]map[stats.Answer]string{
	firstHeld: {
		stats.Supported:    "",
		stats.Opposed:      "on fresh seeds it is the other way round at a setting or more",
		stats.NoDifference: "the sides differ at a setting or more by less than delta",
		stats.Mixed:        "on fresh seeds it holds at some settings, and at others it does not",
		stats.Undecided:    "over fresh seeds and problems the effect is not sure",
		stats.Untestable:   "the gate could not fail",
	},
	firstSome: {
		stats.Supported:    "pairing shows what two separate intervals hid",
		stats.Opposed:      "where the gate did not hold, it is the other way round at a setting or more",
		stats.NoDifference: "where the gate did not hold, the sides differ by less than delta",
		stats.Mixed:        "",
		stats.Undecided:    "where the gate did not hold, it is not known",
		stats.Untestable:   "nothing could decide",
	},
	firstNone: {
		stats.Supported:    "pairing shows what two separate intervals hid",
		stats.Opposed:      "it is the other way round at a setting or more",
		stats.NoDifference: "the sides differ by less than delta",
		stats.Mixed:        "pairing shows at some settings what two separate intervals hid",
		stats.Undecided:    "it is not known: the gate took doubt for a no",
		stats.Untestable:   "the gate could not hold",
	},
	firstSeeds: {
		stats.Supported: "more seeds", stats.Opposed: "more seeds", stats.NoDifference: "more seeds", stats.Mixed: "more seeds",
		stats.Undecided: "", stats.Untestable: "nothing could decide",
	},
}

// reason explains why the answer to a claim differs from its first verdict; "" if they agree.
func (f First) reason(v *Verdict) string {
	if f.Verdict == firstSome && v.Answer == stats.Supported {
		if v.Claim.Combine != "" {
			return "not every setting has to hold"
		}
		if n := v.Count(stats.Untestable); n > 0 && n+v.Count(stats.Supported) == len(v.Settings) {
			return "settings where nothing can decide count for nobody"
		}
	}
	if v.Answer == stats.NoDifference && v.Count(stats.Opposed) > 0 {
		return "no setting shows it: at some it is the other way round, at others within delta"
	}
	return why[f.Verdict][v.Answer]
}

// History is Markdown with the first verdict on each claim beside the answer, and why they
// differ. A claim that had no gate when it was first judged has no first verdict. policy is the kind
// of policy of the verdicts.
func History(verdicts []Verdict, first []First, policy string) string {
	was := map[string]First{}
	for _, f := range first {
		if f.Policy == policy {
			was[f.Spec+" "+f.Claim] = f
		}
	}
	head := []string{"claim", "paper", "metric", "first verdict", "answer", "effect", "why they differ"}
	return markdown(verdicts, head, func(v *Verdict) []string {
		old, reason := "none", ""
		if f, ok := was[v.Spec+" "+v.Claim.Name]; ok {
			old, reason = f.String(), f.reason(v)
		}
		return []string{v.Claim.Text, sourceText(v.Claim), v.metrics(), old, v.Outcome(), v.Effect(), reason}
	})
}
