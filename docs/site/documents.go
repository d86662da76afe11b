package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// documents takes in the repository's Markdown, and the files and folders that it links to.
func (s *site) documents() {
	for _, pattern := range []string{"*.md", "docs/*.md", "results/*.md", "estimators/README.md", "python/README.md"} {
		found, err := fs.Glob(s.repo, pattern)
		s.fail(err)
		for _, file := range found {
			s.place(file)
		}
	}
}

// place is the path in the site of a file or a folder of the repository. The site takes it in with
// all that it links to: Markdown and pictures as they are, other files as code.
func (s *site) place(name string) string {
	info, err := fs.Stat(s.repo, name)
	if s.fail(err) {
		return ""
	}
	if info.IsDir() {
		return s.folder(name)
	}
	ending := path.Ext(name)
	isMarkdown, isPicture := ending == ".md", ending == ".svg" || ending == ".png"
	to := strings.TrimPrefix(name, ".") // mkdocs leaves out names that begin with a dot
	if name == "README.md" {            // mkdocs would take it for the start page
		to = "about.md"
	}
	if !isMarkdown && !isPicture {
		to += ".md"
	}
	if s.files[to] != nil {
		return to
	}
	data, err := fs.ReadFile(s.repo, name)
	s.fail(err)
	s.files[to] = data // before its links, which may lead back here
	switch {
	case isMarkdown:
		s.files[to] = s.relink(path.Dir(name), string(data))
	case !isPicture:
		s.files[to] = listing(name, fence(languages[ending], strings.ToValidUTF8(string(data), "\ufffd")))
	}
	return to
}

// forAgents is llms.txt (llmstxt.org): a sentence on the project, and the addresses and contents of its pages, from
// the manual's own table.
func (s *site) forAgents() {
	manual, err := fs.ReadFile(s.repo, "docs/README.md")
	skill, err2 := fs.ReadFile(s.repo, "python/modebench_rl/SKILL.md")
	if s.fail(cmp.Or(err, err2)) {
		return
	}
	_, skilled, _ := strings.Cut(string(skill), "\n# ")
	s.files["skill.md"] = []byte("# " + skilled)
	var b strings.Builder
	b.WriteString("# modebench\n\n> What a reinforcement-learning estimator does to the diversity of a policy, measured on problems whose whole solution space is known.\n\n" +
		"- [For agents](skill.html): how to run, compare, audit and add a method\n\n## Manual\n\n")
	for _, row := range regexp.MustCompile(`(?m)^\| \[[^\]]*\]\(([^)]*)\.md\) \| (.*) \|$`).FindAllStringSubmatch(string(manual), -1) {
		fmt.Fprintf(&b, "- [%[1]s](%[1]s.html): %[2]s\n", path.Join("docs", row[1]), row[2])
	}
	b.WriteString("\n## Lists\n\n- [methods](methods/index.html)\n- [environments](environments/index.html)\n- [specs](specs/index.html)\n- [commands](commands/index.html)\n")
	s.files["llms.txt"] = []byte(b.String())
}

// languages have their syntax coloured, by the ending of a file's name.
var languages = map[string]string{".go": "go", ".py": "python", ".toml": "toml", ".json": "json", ".sh": "bash"}

// listing is a page that a search leaves out.
func listing(name, body string) []byte {
	return []byte("---\nsearch:\n  exclude: true\n---\n# " + code(name) + "\n\n" + body)
}

// folder is the page of a folder: that of its README or of its package, or else a list of its files.
func (s *site) folder(name string) string {
	readme := path.Join(name, "README.md")
	if _, err := fs.Stat(s.repo, readme); err == nil {
		return s.place(readme)
	}
	if s.docs.packages[name] != nil {
		return packagePath(name)
	}
	entries, err := fs.ReadDir(s.repo, name)
	s.fail(err)
	body := "This folder of the repository holds:\n\n"
	for _, e := range entries {
		body += "- " + code(e.Name()) + "\n"
	}
	to := name + "/index.md"
	s.files[to] = listing(name, body)
	return to
}

var (
	fenced = regexp.MustCompile("(?ms)^ *(```|~~~).*?^ *(```|~~~)[ \t]*$")
	// The first line of a block that names a file.
	titled = regexp.MustCompile("(?m)^([ \t]*```\\w+) (\\S+)$")
	// Remarks that no reader sees.
	hidden = regexp.MustCompile("(?ms)^<!--.*?-->\n")
	// A link up to its target, with its text where that is plain; or code.
	linkOrCode = regexp.MustCompile("(?:\\[(?:[^\\[\\]`]|`[^`]*`)*)?\\]\\(([^)\\s]+)\\)|`([^`\n]+)`")
)

// relink leads the links of a Markdown file of a folder to their places in the site. Code that names a
// method, a spec or a command becomes a link to its page.
func (s *site) relink(folder, text string) []byte {
	var out bytes.Buffer
	text = hidden.ReplaceAllString(text, "")
	for text != "" {
		block := fenced.FindStringIndex(text)
		if block == nil {
			block = []int{len(text), len(text)}
		}
		s.relinkProse(&out, folder, text[:block[0]])
		out.WriteString(titled.ReplaceAllString(text[block[0]:block[1]], `$1 title="$2"`))
		text = text[block[1]:]
	}
	return out.Bytes()
}

func (s *site) relinkProse(out *bytes.Buffer, folder, text string) {
	done := 0
	for _, m := range linkOrCode.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			out.WriteString(text[done:m[2]] + s.target(folder, text[m[2]:m[3]]))
			done = m[3]
			continue
		}
		line := text[strings.LastIndex(text[:m[0]], "\n")+1:]
		word := strings.ReplaceAll(text[m[4]:m[5]], `\|`, "|") // GitHub wants it in tables
		shown := code(word)
		if to, ok := s.facts.mentions(word); ok && !strings.HasPrefix(line, "#") {
			shown = link(to, shown)
		}
		out.WriteString(text[done:m[0]] + shown)
		done = m[1]
	}
	out.WriteString(text[done:])
}

// target is where a link of a Markdown file leads in the site.
func (s *site) target(folder, destination string) string {
	if strings.Contains(destination, "://") || strings.HasPrefix(destination, "mailto:") || strings.HasPrefix(destination, "#") {
		return destination
	}
	name, anchor, hasAnchor := strings.Cut(destination, "#")
	to := s.place(path.Join(folder, name))
	if hasAnchor {
		to += "#" + anchor
	}
	return "/" + to
}
