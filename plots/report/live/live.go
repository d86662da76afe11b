// Package live has the script and the style of interactive figures in a page: uPlot,
// which draws axes and lines and follows the pointer, and the additions of this project, an idea a
// file. A page has all of it in itself and loads nothing.
//
// uPlot was chosen because it is small (51 kilobytes), needs no other library, and draws a hundred
// lines in a few milliseconds. Its folder has its licence, its version and the sums of its files.
package live

import (
	"embed"
	"strings"
)

var (
	//go:embed js/*.js
	parts embed.FS
	//go:embed uplot/uPlot.iife.min.js
	library string
	//go:embed uplot/uPlot.min.css
	libraryCSS string
	// A page is a copy of the library, and copies hold its notice.
	//go:embed uplot/LICENSE
	libraryLicence string
	//go:embed live.css
	ownCSS string
)

// order is that of the parts: a part comes after those that it uses at once.
var order = []string{"base", "theme", "view", "scope", "table", "plot", "zoom", "series", "rows", "names", "kinds", "panel", "chart", "start", "still", "print"}

// Script is the one script of a page, with more parts of its own. The parts share a function, so
// that nothing of them is global but the library.
func Script(more ...string) string {
	var b strings.Builder
	b.WriteString("/*! uPlot:\n" + libraryLicence + "\n*/\n")
	b.WriteString(library)
	b.WriteString("\n(() => {\n\"use strict\";\n")
	for _, name := range order {
		text, err := parts.ReadFile("js/" + name + ".js")
		if err != nil {
			panic(err) // it is embedded: the list above names what is not there
		}
		b.Write(text)
	}
	for _, text := range more {
		b.WriteString(text)
	}
	b.WriteString("})();\n")
	return b.String()
}

// Style is the style sheet that goes with it.
func Style() string { return libraryCSS + "\n" + ownCSS }
