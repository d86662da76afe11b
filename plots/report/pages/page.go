package pages

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/record"
)

// A Page is a page as it is served: every two seconds it asks for a newer version.
type Page struct {
	Text    []byte
	version string
	files   recordFiles // that it links to
}

// reloadScript reloads the page once the server has another version of it. A server that has ended
// leaves the page as it is.
const reloadScript = `(() => {
  const version = document.currentScript.dataset.version;
  const look = async () => {
    try {
      const reply = await fetch("/changed", { cache: "no-store" });
      if (reply.ok && (await reply.text()) !== version) {
        location.reload();
        return;
      }
    } catch {}
    setTimeout(look, 2000);
  };
  setTimeout(look, 2000);
})();`

// newPage adds to a page the script, the permission to run it and to ask the server, and the note at
// its top. A page that is written into a file lacks them.
func newPage(text, note string) *Page {
	sum := sha256.Sum256([]byte(text + "\x00" + note))
	p := &Page{version: fmt.Sprintf("%x", sum[:8])}
	hash := sha256.Sum256([]byte(reloadScript))
	allowed := html.EscapeString("connect-src 'self'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'")
	head, rest, _ := strings.Cut(text, policy)
	text = head + policy + strings.Replace(rest, "script-src", allowed, 1)
	if note != "" {
		bar := `<p role="status" style="margin:0;padding:.5em 1em;background:#ffe9a8;color:#000">` + html.EscapeString(note) + "</p>\n"
		head, rest, _ := strings.Cut(text, "<body")
		tag, body, _ := strings.Cut(rest, ">")
		text = head + "<body" + tag + ">\n" + bar + body
	}
	end := strings.LastIndex(text, "</body>")
	p.Text = fmt.Appendf(nil, "%s<script data-version=%q>%s</script>\n%s", text[:end], p.version, reloadScript, text[end:])
	return p
}

// policy begins the permissions of a page.
const policy = `<meta http-equiv="Content-Security-Policy" content="`

// waitingPage is the page without a report.
func waitingPage(note string) *Page {
	return newPage(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<title>waiting</title>
`+policy+`default-src 'none'; style-src 'unsafe-inline'; script-src"/>
</head>
<body style="font-family: sans-serif; margin: 2em">
<h1>Waiting for records</h1>
<p>`+html.EscapeString(note)+`</p>
<p>This page is made again when there are more.</p>
</body>
</html>
`, "")
}

// recordFiles are the files that a page links to, by their paths on the server. No others can be read.
type recordFiles map[string]recordFile

// A recordFile is a file of a cell.
type recordFile struct{ folder, id, name string }

// link is the function that adds a file of a cell and gives the link to it. Further results folders
// have the number of the first of dirs in them, since a cell may be in several, with other answers kept.
func (f recordFiles) link(dirs []string) func(*record.Run, record.Ref, string) string {
	cells := func(dir string) string { return filepath.Join(dir, "..", record.CellsDir) }
	return func(run *record.Run, ref record.Ref, name string) string {
		folder := cells(run.Dir)
		path := fmt.Sprintf("/%s/%s/%s", record.CellsDir, ref.ID, name)
		if n := slices.IndexFunc(dirs, func(dir string) bool { return cells(dir) == folder }); n > 0 {
			path = fmt.Sprintf("/%d%s", n+1, path)
		}
		f[path] = recordFile{folder, ref.ID, name}
		return "." + (&url.URL{Path: path}).EscapedPath()
	}
}
