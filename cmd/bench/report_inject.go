package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"strings"
)

// A servedPage is a page as it is served: it looks every two seconds whether there is another.
type servedPage struct {
	text    []byte
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

// policy is where a page says what it may load and run.
var policy = regexp.MustCompile(`(<meta http-equiv="Content-Security-Policy" content=")([^"]*)(")`)

// newServedPage adds to a page the script, the permission to run it and to ask the server, and the
// note at its top. The page that is written into a file has none of them.
func newServedPage(text, note string) servedPage {
	sum := sha256.Sum256([]byte(text + "\x00" + note))
	p := servedPage{version: fmt.Sprintf("%x", sum[:8])}
	hash := sha256.Sum256([]byte(reloadScript))
	own := "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	text = policy.ReplaceAllStringFunc(text, func(tag string) string {
		parts := policy.FindStringSubmatch(tag)
		rules := strings.Replace(html.UnescapeString(parts[2]), "script-src 'none'", "script-src", 1)
		rules = strings.Replace(rules, "script-src", "connect-src 'self'; script-src "+own, 1)
		return parts[1] + html.EscapeString(rules) + parts[3]
	})
	if note != "" {
		bar := `<p role="status" style="margin:0;padding:.5em 1em;background:#ffe9a8;color:#000">` + html.EscapeString(note) + "</p>\n"
		if at := strings.Index(text, "<body"); at >= 0 {
			at += strings.IndexByte(text[at:], '>') + 1
			text = text[:at] + "\n" + bar + text[at:]
		}
	}
	script := fmt.Sprintf("<script data-version=%q>%s</script>\n", p.version, reloadScript)
	if at := strings.LastIndex(text, "</body>"); at >= 0 {
		text = text[:at] + script + text[at:]
	} else {
		text += script
	}
	p.text = []byte(text)
	return p
}
