package report

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An element is what a test sees of the page.
type element struct {
	name     string
	attrs    map[string]string
	text     string // of itself and all below
	build    strings.Builder
	children []*element
}

var scriptElement = regexp.MustCompile(`(?s)<script>.*?</script>`)

// parse reads the page, which is well-formed XML but for its one script.
func parse(t *testing.T, page string) *element {
	t.Helper()
	if n := len(scriptElement.FindAllString(page, -1)); n != 1 {
		t.Fatalf("%d scripts, want the page's own alone", n)
	}
	page = strings.TrimPrefix(scriptElement.ReplaceAllString(page, ""), "<!DOCTYPE html>")
	d := xml.NewDecoder(strings.NewReader(page))
	root := &element{}
	stack := []*element{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		top := stack[len(stack)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			top.children = append(top.children, e)
			stack = append(stack, e)
		case xml.EndElement:
			top.text = top.build.String()
			ended := top.name
			stack = stack[:len(stack)-1]
			if slices.Contains([]string{"td", "th", "dt", "dd", "caption", "tr"}, ended) {
				for _, e := range stack {
					e.build.WriteString(" ")
				}
			}
		case xml.CharData:
			for _, e := range stack {
				e.build.Write(token)
			}
		}
	}
	root.text = root.build.String()
	return root
}

// all lists the elements of a name below e, in the order of the page.
func (e *element) all(name string) []*element {
	var out []*element
	for _, c := range e.children {
		if c.name == name || name == "" {
			out = append(out, c)
		}
		out = append(out, c.all(name)...)
	}
	return out
}

// words is the text with single blanks.
func (e *element) words() string { return strings.Join(strings.Fields(e.text), " ") }

// classed lists the elements with a class.
func (e *element) classed(class string) []*element {
	return slices.DeleteFunc(e.all(""), func(e *element) bool {
		return !slices.Contains(strings.Fields(e.attrs["class"]), class)
	})
}

// pageOf is the page of some experiments as a test reads it.
func pageOf(t *testing.T, list ...Experiment) *element {
	t.Helper()
	return parse(t, written(t, list...))
}
