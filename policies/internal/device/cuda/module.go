package cuda

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// A module is the compiled kernels of a card. All devices that are open there share it,
// as they share the card's context: compiling them takes the driver up to seconds, and
// each copy takes memory of the card.
type module struct {
	mu     sync.Mutex // also while the driver compiles, so that the others wait for it
	handle uintptr
	users  int // devices; with the last of them it goes
}

type moduleKey struct {
	card cardKey
	ptx  [sha256.Size]byte
}

// module gives the kernels of a PTX for the card, whose context is current, to one more
// user. It loads them for the first user.
func (a *driver) module(ptx []byte, c card) (*module, error) {
	key := moduleKey{cardKey{a.library, c.ordinal}, sha256.Sum256(ptx)}
	drivers.Lock()
	m := drivers.modules[key]
	if m == nil {
		m = new(module)
		drivers.modules[key] = m
	}
	drivers.Unlock()

	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users == 0 {
		handle, err := a.load(ptx, c)
		if err != nil {
			return nil, err
		}
		m.handle = handle
	}
	m.users++
	return m, nil
}

// leave gives it back for one user. After any result the kernels are unloaded: their context is about
// to go too, or has a fault.
func (m *module) leave(a *driver) result {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users--; m.users > 0 {
		return success
	}
	return a.call("cuModuleUnload", m.handle)
}

// retain gives the card's context to one more user. Threads that wait for the card in it
// sleep: by default the driver has them ask again and again, which takes a processor each
// from the cells that are computed beside them.
func (a *driver) retain(c card) (context uintptr, function string, r result) {
	const sleeping = 4 // CU_CTX_SCHED_BLOCKING_SYNC
	if a.functions[setFlags] != 0 {
		// Older drivers do not change a context that is there already.
		if r := a.call(setFlags, uintptr(c.handle), sleeping); r != success && r != contextActive {
			return 0, setFlags, r
		}
	}
	r = a.call("cuDevicePrimaryCtxRetain", uintptr(unsafe.Pointer(&context)), uintptr(c.handle))
	return context, "cuDevicePrimaryCtxRetain", r
}

const setFlags = "cuDevicePrimaryCtxSetFlags_v2"

func (a *driver) load(ptx []byte, c card) (uintptr, error) {
	image := append(bytes.Clone(ptx), 0)
	log := make([]byte, 8192)
	options := []int32{5, 6} // of CUjit_option: the log of errors, and its size
	// The values of options are void*: the size lies in a pointer's place.
	values := &struct {
		log  unsafe.Pointer
		size uintptr
	}{unsafe.Pointer(&log[0]), uintptr(len(log) - 1)}
	var module uintptr
	r := a.call("cuModuleLoadDataEx", uintptr(unsafe.Pointer(&module)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(values)))
	runtime.KeepAlive(log)
	if r == success {
		return module, nil
	}
	err := a.err("cuModuleLoadDataEx", r)
	text, _, _ := bytes.Cut(log, []byte{0})
	line := cmp.Or(firstLine(string(text)), "the driver gives no details")
	return 0, fail(ErrKernels, err, "the driver (CUDA %s) cannot compile the kernels for %s, compute capability %d.%d: %v: %s",
		versionText(a.version), c.name, c.major, c.minor, err, line)
}

//go:generate go run generate.go

// ptx is the code that the driver compiles for the card: the kernels of the folder of that name.
// If a kernel or a flag of compile.Flags changes, go generate writes it anew, for which clang is
// needed but no CUDA; a test fails until that is done.
//
//go:embed kernels.ptx
var ptx []byte

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

// signatures reads those of a PTX file: the driver cannot check launches.
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
