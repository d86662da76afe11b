package cuda

import (
	"regexp"
	"strconv"
	"strings"
)

type paramKind int

const (
	paramAddress paramKind = iota + 1
	paramInt
	paramFloat
	paramBits // 4 bytes, whatever they are
)

func (k paramKind) String() string {
	return [...]string{paramAddress: "an address", paramInt: "an int", paramFloat: "a float", paramBits: "4 bytes"}[k]
}

// takes reports whether a parameter of kind k may be given an argument of the other kind.
func (k paramKind) takes(kind paramKind) bool {
	return k == kind || k == paramBits && kind != paramAddress
}

// A signature describes the launch of a kernel, from the PTX.
type signature struct {
	params  []paramKind
	threads int // most in a block; 0 if the PTX has no limit
}

var (
	entry  = regexp.MustCompile(`\.entry\s+([A-Za-z_$][\w$]*)\s*\(([^)]*)\)([^{]*)\{`)
	param  = regexp.MustCompile(`\.param\s+\.([a-z]+\d+)\b`)
	maxtid = regexp.MustCompile(`\.maxntid\s+([\d, ]+)`)
)

// signatures reads those of a PTX file. Launches are checked against them: the driver
// cannot, and would read arguments that are not there.
func signatures(ptx []byte) map[string]signature {
	all := map[string]signature{}
	for _, e := range entry.FindAllSubmatch(ptx, -1) {
		var s signature
		known := true
		for declared := range strings.SplitSeq(string(e[2]), ",") {
			if strings.TrimSpace(declared) == "" {
				continue
			}
			var kind paramKind
			if p := param.FindStringSubmatch(declared); p != nil {
				kind = paramKinds[p[1]]
			}
			known = known && kind != 0
			s.params = append(s.params, kind)
		}
		if limit := maxtid.FindSubmatch(e[3]); limit != nil {
			s.threads = 1
			for size := range strings.SplitSeq(string(limit[1]), ",") {
				n, err := strconv.Atoi(strings.TrimSpace(size))
				known = known && err == nil
				s.threads *= n
			}
		}
		if known {
			all[string(e[1])] = s
		}
	}
	return all
}

var paramKinds = map[string]paramKind{
	"u64": paramAddress, "s64": paramAddress, "b64": paramAddress,
	"u32": paramInt, "s32": paramInt,
	"f32": paramFloat,
	"b32": paramBits,
}
