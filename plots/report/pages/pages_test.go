package pages

import (
	"strings"
	"testing"

	"modebench/experiments/imported"
	"modebench/experiments/record"
)

// TestServedPage: the script that reloads the page may run, beside the scripts that the page allowed, and the
// page is the report's but for that.
func TestServedPage(t *testing.T) {
	page := "<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; script-src &#39;sha256-A=&#39;\"/></head>\n<body class=\"x\">\n<p>text</p>\n</body>\n"
	got := newPage(page, "3 < 4")
	text := string(got.Text)
	for _, want := range []string{
		`content="default-src &#39;none&#39;; connect-src &#39;self&#39;; script-src &#39;sha256-`, `&#39; &#39;sha256-A=&#39;"/>`,
		"<body class=\"x\">\n<p role=\"status\"", ">3 &lt; 4</p>\n\n<p>text</p>\n<script data-version=\"" + got.version + "\">",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if newPage(page, "3 < 4").version != got.version || newPage(page, "").version == got.version {
		t.Error("the version does not tell pages apart")
	}
	if page := string(waitingPage("<b>").Text); strings.Contains(page, "<b>") {
		t.Errorf("a note is not text: %s", page)
	}
}

// TestRunAgain: the command names no file that the records do not hold.
func TestRunAgain(t *testing.T) {
	const without = " is no built-in spec, and the records do not hold its file. With the file, and --set\n# if fields were changed: bench run FILE.toml --seeds 2"
	for _, c := range []struct{ reason, spec, want string }{
		{"built in", "quick", "bench run quick --seeds 2"},
		{"built in, with another policy", "quick-transformer", "bench run quick --policy transformer --seeds 2"},
		{"the quick form", "dose-quick", "bench run dose --quick --seeds 2"},
		{"a field set", "quick-train.lr-0.03", "# quick-train.lr-0.03" + without},
		{"a field set and another policy", "quick-transformer-train.lr-0.03", "# quick-transformer-train.lr-0.03" + without},
		{"the quick form of another's", "mine-quick", "# mine-quick" + without},
		{"imported", "maze-of-mine", "# The records of maze-of-mine were made by bench import, from files of answers that they do not hold."},
	} {
		run := &record.Run{Manifest: record.Manifest{Spec: c.spec, Variants: []record.Variant{{Cells: make([]record.Ref, 2)}, {Cells: make([]record.Ref, 1)}}}}
		if c.reason == "imported" {
			for i := range run.Variants {
				run.Variants[i].Method = imported.Method
			}
		}
		if got := runAgain(run); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
