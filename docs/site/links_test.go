package main

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// written are what the site writes, by path.
func (s *site) written() map[string][]byte {
	out := maps.Clone(s.files)
	for _, p := range s.pages {
		out[p.path] = s.layout(p)
	}
	return out
}

var (
	attribute = regexp.MustCompile(`(?s)<(a|img|link|script|iframe|form|source|object|embed)\b[^>]*?\s(href|src|action|data|srcset)="([^"]*)"`)
	anyTag    = regexp.MustCompile(`(?s)<[a-z][^>]*>`)
	identity  = regexp.MustCompile(`\sid="([^"]*)"`)
)

// faults are the links of a site that lead nowhere, anchors that are there twice, and what a
// page would load from elsewhere. links is how many were followed.
func faults(files map[string][]byte) (out []string, links int) {
	ids := map[string]map[string]bool{}
	for name, data := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		ids[name] = map[string]bool{}
		for _, tag := range anyTag.FindAllString(string(data), -1) {
			for _, m := range identity.FindAllStringSubmatch(tag, -1) {
				id := html.UnescapeString(m[1])
				if ids[name][id] {
					out = append(out, fmt.Sprintf("%s: two anchors are called %s", name, id))
				}
				ids[name][id] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		for _, m := range attribute.FindAllStringSubmatch(string(files[name]), -1) {
			element, to := m[1], html.UnescapeString(m[3])
			if strings.Contains(to, "://") || strings.HasPrefix(to, "//") {
				if element != "a" {
					out = append(out, fmt.Sprintf("%s: <%s> loads %s", name, element, to))
				}
				continue
			}
			if strings.HasPrefix(to, "mailto:") || strings.HasPrefix(to, "data:,") {
				continue
			}
			links++
			file, anchor, hasAnchor := strings.Cut(to, "#")
			file, err := url.PathUnescape(file)
			if err != nil {
				out = append(out, fmt.Sprintf("%s: %s: %v", name, to, err))
				continue
			}
			at := name
			if file != "" {
				at = path.Join(path.Dir(name), file)
			}
			switch {
			case files[at] == nil:
				out = append(out, fmt.Sprintf("%s: the link %s leads nowhere", name, to))
			case hasAnchor && !ids[at][anchor]:
				out = append(out, fmt.Sprintf("%s: the link %s has no such anchor", name, to))
			}
		}
	}
	return out, links
}

// TestLinks: every link of every page leads to a page and an anchor that are there, and no page
// loads anything from elsewhere.
func TestLinks(t *testing.T) {
	found, links := faults(ofRepository(t).written())
	for _, f := range found {
		t.Error(f)
	}
	if links < 20000 {
		t.Errorf("%d links, want 20,000 or more", links)
	}
	for name, data := range ofRepository(t).files {
		if path.Ext(name) == ".css" && regexp.MustCompile(`url\(|@import`).Match(data) {
			t.Errorf("%s loads something", name)
		}
	}
}

// TestPlantedFaults: the check of links finds each kind of fault.
func TestPlantedFaults(t *testing.T) {
	for _, c := range []struct{ planted, want string }{
		{`<a href="gone.html">x</a>`, "leads nowhere"},
		{`<a href="methods/grpo.html#gone">x</a>`, "no such anchor"},
		{`<img src="gone.svg" alt="">`, "leads nowhere"},
		{`<script src="https://example.org/x.js"></script>`, "loads"},
		{`<link rel="stylesheet" href="//example.org/x.css">`, "loads"},
		{`<p id="page-content">x</p>`, "two anchors"},
	} {
		files := ofRepository(t).written()
		files["index.html"] = append(slices.Clone(files["index.html"]), c.planted...)
		found, _ := faults(files)
		if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "index.html: ") && strings.Contains(f, c.want) }) {
			t.Errorf("%s: found %q, want one that says %q", c.planted, found, c.want)
		}
	}
}
