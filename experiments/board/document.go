package board

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/internal/lined"
)

// Version is that of the protocol: results of different versions cannot be compared.
const Version = 2

// A Document is the content of a file of results.
type Document interface {
	Text() []byte
	Check() (place string, err error)
}

// ReadFile reads the file of a document.
func ReadFile[D any](path string, parse func(path string, data []byte) (D, error)) (doc D, err error) {
	data, err := record.ReadFile(path)
	if err != nil {
		return doc, err
	}
	return parse(path, data)
}

// ParseDocument reads a document. protocol is its member with the version of the protocol, and the command
// that writes it, and want the version that this program reads. The nullable members may be null.
func ParseDocument(path string, data []byte, doc Document, protocol string, version *int, want int, nullable ...string) error {
	if err := lined.Read(path, data, doc, nullable...); err != nil {
		return err
	}
	if *version != want {
		return input.Errorf("%s:%d: it is of %s %d, and this program's is %s %d", path, lined.LineOf(data, protocol+":"), protocol, *version, protocol, want)
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
func CheckMethods(tuning, seeds []int, names []string, unfit []Unfit) (place string, err error) {
	for _, list := range []struct {
		name  string
		seeds []int
	}{{"tuning_seeds", tuning}, {"seeds", seeds}} {
		if len(list.seeds) != 2 || list.seeds[1] < 1 {
			return list.name, fmt.Errorf("got %v, want the first seed and how many there are", list.seeds)
		}
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

// Alike is an error if two results to be merged differ in the named setting.
func Alike(name string, present, more any) error {
	if !reflect.DeepEqual(present, more) {
		return fmt.Errorf("%s is %v, and %v of the methods to add: results of other settings cannot be put together", name, present, more)
	}
	return nil
}

// First points to the first entry that is wanted; nil without one.
func First[T any](list []T, wanted func(*T) bool) *T {
	for i := range list {
		if wanted(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Merged puts more methods, and those that do not fit, in place of those of the same names, and
// sorts all by name.
func Merged[S any](methods, more []S, unfit, moreUnfit []Unfit, name func(S) string) ([]S, []Unfit) {
	replaced := map[string]bool{}
	for _, s := range more {
		replaced[name(s)] = true
	}
	for _, u := range moreUnfit {
		replaced[u.Method] = true
	}
	methods = slices.Concat(slices.DeleteFunc(slices.Clone(methods), func(s S) bool { return replaced[name(s)] }), more)
	unfit = slices.Concat(slices.DeleteFunc(slices.Clone(unfit), func(u Unfit) bool { return replaced[u.Method] }), moreUnfit)
	slices.SortFunc(methods, func(a, b S) int { return cmp.Compare(name(a), name(b)) })
	slices.SortFunc(unfit, func(a, b Unfit) int { return cmp.Compare(a.Method, b.Method) })
	return methods, unfit
}
