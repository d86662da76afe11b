package board

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"modebench/internal/input"
	"modebench/internal/lined"
)

// Version is that of the protocol: results of different versions cannot be compared.
const Version = 1

// A Document is the content of a file of results.
type Document interface {
	Text() []byte
	Check() (at string, err error)
}

// ParseDocument reads a document. protocol is its member with the version of the protocol, and the command
// that writes it. The nullable members may be null.
func ParseDocument(path string, data []byte, doc Document, protocol string, version *int, nullable ...string) error {
	if err := lined.Read(path, data, doc, nullable...); err != nil {
		return err
	}
	if *version != Version {
		return input.Errorf("%s:%d: it is of %s %d, and this program's is %s %d", path, lined.LineOf(data, protocol+":"), protocol, *version, protocol, Version)
	}
	if place, why := doc.Check(); why != nil {
		return input.Errorf("%s:%d: %s: %w", path, lined.LineOf(data, place), place, why)
	}
	return lined.Same(path, data, doc.Text(), "bench "+protocol)
}

// An Unfit method cannot be run on a task.
type Unfit struct {
	Method string `json:"method"`
	Why    string `json:"why"`
}

// CheckMethods returns the first fault of the seeds and the names of methods of results, and
// its place.
func CheckMethods(tuning, seeds []int, names []string, unfit []Unfit) (at string, err error) {
	if len(tuning) != 2 || tuning[1] < 1 {
		return "tuning_seeds", fmt.Errorf("got %v, want the first seed and how many there are", tuning)
	}
	if len(seeds) != 2 || seeds[1] < 1 {
		return "seeds", fmt.Errorf("got %v, want the first seed and how many there are", seeds)
	}
	for i, name := range names {
		if i > 0 && names[i-1] >= name {
			return fmt.Sprintf("methods[%d]", i), fmt.Errorf("%q comes after %q, want methods by name, each once", name, names[i-1])
		}
	}
	for i, u := range unfit {
		place := fmt.Sprintf("unfit[%d]", i)
		if i > 0 && unfit[i-1].Method >= u.Method {
			return place, fmt.Errorf("%q comes after %q, want methods by name, each once", u.Method, unfit[i-1].Method)
		}
		if slices.Contains(names, u.Method) {
			return place, fmt.Errorf("%q is among the methods too", u.Method)
		}
	}
	return "", nil
}

// Alike is an error if two results to be merged differ in a setting; name is the name of the
// setting.
func Alike(name string, own, more any) error {
	if !reflect.DeepEqual(own, more) {
		return fmt.Errorf("%s is %v, and %v of the methods to add: results of other settings cannot be put together", name, own, more)
	}
	return nil
}

// Merged puts more methods, and those that do not fit, in place of those of the same names. All
// are by name.
func Merged[S any](own, more []S, unfit, moreUnfit []Unfit, name func(S) string) ([]S, []Unfit) {
	replaced := map[string]bool{}
	for _, s := range more {
		replaced[name(s)] = true
	}
	for _, u := range moreUnfit {
		replaced[u.Method] = true
	}
	own = slices.Concat(slices.DeleteFunc(slices.Clone(own), func(s S) bool { return replaced[name(s)] }), more)
	unfit = slices.Concat(slices.DeleteFunc(slices.Clone(unfit), func(u Unfit) bool { return replaced[u.Method] }), moreUnfit)
	slices.SortFunc(own, func(a, b S) int { return cmp.Compare(name(a), name(b)) })
	slices.SortFunc(unfit, func(a, b Unfit) int { return cmp.Compare(a.Method, b.Method) })
	return own, unfit
}
