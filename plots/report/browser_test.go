package report

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"modebench/internal/testkit"
)

//go:embed testdata/check.js
var checkJS string

// browser is the path of a browser that can be run without a screen.
func browser(t *testing.T) string {
	t.Helper()
	testkit.Long(t, "starts a browser")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium, chromium-browser or google-chrome in PATH: the page is not tried in a browser")
	return ""
}

// An observation is the report of check.js on the page in a browser.
type observation struct {
	Width    int         `json:"width"`
	Dark     bool        `json:"dark"`
	Problems []string    `json:"problems"`
	Orders   []sortOrder `json:"orders"`
	Readings []reading   `json:"readings"`
	Ready    float64     `json:"ready"` // milliseconds to DOMContentLoaded
	Contrast float64     `json:"contrast"`
	Texts    int         `json:"texts"` // whose contrast was measured
}

type sortOrder struct {
	Column string   `json:"column"`
	Sort   string   `json:"sort"`
	Rows   []string `json:"rows"`
}

type reading struct {
	Panel, Row, Text string
}

// observe opens a page with check.js added and reads what it saw.
func observe(t *testing.T, page string, width string, flags ...string) (seen observation) {
	t.Helper()
	inBrowser(t, page, checkJS, width, &seen, flags...)
	return seen
}

// inBrowser opens a page with a script added, which posts what it saw as JSON. The page's own
// policy stays in force; the script is let in by its hash.
func inBrowser(t *testing.T, page, script, width string, seen any, flags ...string) {
	t.Helper()
	chromium := browser(t)
	hash := sha256.Sum256([]byte(script))
	allowed := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "' "
	policy := html.EscapeString("script-src ")
	if !strings.Contains(page, policy) {
		t.Fatal("the page has no policy for scripts")
	}
	page = strings.Replace(page, policy, strings.ReplaceAll(html.EscapeString(allowed), "+", "&#43;"), 1)
	page = strings.Replace(page, "</body>", "<script>"+script+"</script>\n</body>", 1)
	dir := t.TempDir()
	// A browser's window has a least width, unlike a frame.
	frame := `<body style="margin:0"><script>addEventListener("message", (e) => { document.getElementById("seen").textContent = e.data; });</script>` +
		`<iframe src="page.html" style="border:0;width:` + width + `px;height:900px"></iframe><pre id="seen"></pre>`
	for name, text := range map[string]string{"page.html": page, "frame.html": frame} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--user-data-dir=" + filepath.Join(dir, "profile"),
		"--enable-logging=stderr", "--virtual-time-budget=3000", "--window-size=1400,900", "--dump-dom",
	}, flags...)
	cmd := exec.CommandContext(ctx, chromium, append(args, "file://"+filepath.ToSlash(filepath.Join(dir, "frame.html")))...)
	var errs strings.Builder
	cmd.Stderr = &errs
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", chromium, err, errs.String())
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the browser's console: %s", line)
		}
	}
	m := regexp.MustCompile(`(?s)<pre id="seen">(.+?)</pre>`).FindStringSubmatch(string(dom))
	if m == nil {
		t.Fatalf("the check did not finish\n%s", errs.String())
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), seen); err != nil {
		t.Fatal(err)
	}
}

// TestBrowser tries the page as a reader does: wide and narrow, light and dark.
func TestBrowser(t *testing.T) {
	browser(t)
	e, one := sharedPage(t, 1, false)
	_, two := sharedPage(t, 2, false)
	for _, c := range []struct {
		reason, width string
		dark          bool
		page          string
		flags         []string
	}{
		{"a desk", "1280", false, one, nil},
		{"a phone in the dark", "375", true, one, []string{"--force-dark-mode"}},
		{"several experiments", "800", false, two, nil},
	} {
		t.Run(c.reason, func(t *testing.T) {
			seen := observe(t, c.page, c.width, c.flags...)
			for _, p := range seen.Problems {
				t.Error(p)
			}
			if strconv.Itoa(seen.Width) != c.width {
				t.Errorf("the page is tried at %d pixels, want %s", seen.Width, c.width)
			}
			if seen.Texts < 100 {
				t.Errorf("the contrast of %d texts was measured, want all", seen.Texts)
			}
			if seen.Dark != c.dark {
				t.Errorf("dark is %v, want the system's choice, %v", seen.Dark, c.dark)
			}
			t.Logf("%d pixels wide; DOMContentLoaded after %.0f ms; least contrast %.2f of %d texts", seen.Width, seen.Ready, seen.Contrast, seen.Texts)
			checkOrders(t, seen.Orders)
			checkReadings(t, e, seen.Readings)
		})
	}
}

// checkOrders holds the orders after clicks on the heads against what the demo's
// values say: GRPO's rewards are below the hostile label's, base's the lowest, and of
// the metric "absent" there is GRPO's alone.
func checkOrders(t *testing.T, orders []sortOrder) {
	t.Helper()
	listed, up, down := []string{"base", "grpo", hostile}, []string{"base", "grpo", hostile}, []string{hostile, "grpo", "base"}
	want := []sortOrder{
		{"method", "ascending", []string{hostile, "base", "grpo"}}, {"method", "descending", []string{"grpo", "base", hostile}}, {"method", "none", listed},
		{"reward", "descending", down}, {"reward", "ascending", up}, {"reward", "none", listed},
		{"entropy_mode", "descending", up}, {"entropy_mode", "ascending", down}, {"entropy_mode", "none", listed},
		{"absent", "descending", []string{"grpo", "base", hostile}}, {"absent", "ascending", []string{"grpo", "base", hostile}}, {"absent", "none", listed},
		{"seeds", "descending", listed}, {"seeds", "ascending", listed}, {"seeds", "none", listed},
		{"values", "ascending", []string{"grpo", hostile, "base"}}, {"values", "descending", listed}, {"values", "none", listed},
	}
	if len(orders) != len(want) {
		t.Fatalf("%d clicks, want %d", len(orders), len(want))
	}
	for i, o := range orders {
		if o.Column != want[i].Column || o.Sort != want[i].Sort || !slices.Equal(o.Rows, want[i].Rows) {
			t.Errorf("%+v, want %+v", o, want[i])
		}
	}
}

// checkReadings holds what pointer and keys showed over the panels against the rows of
// the tables, whose numbers have a test of their own.
func checkReadings(t *testing.T, e Experiment, readings []reading) {
	t.Helper()
	_, page := sharedPage(t, 1, false)
	root := parse(t, page)
	rows := map[string]map[string]*element{} // by panel and row
	heads := map[string][]string{}           // the variants of a panel
	for _, table := range root.classed("values") {
		title := table.all("caption")
		if len(title) == 0 {
			continue
		}
		rows[title[0].text] = map[string]*element{}
		for _, th := range table.all("thead")[0].all("th")[1:] {
			heads[title[0].text] = append(heads[title[0].text], th.words())
		}
		for _, row := range table.all("tbody")[0].all("tr") {
			rows[title[0].text][row.all("th")[0].text] = row
		}
	}
	if len(readings) < 5 {
		t.Errorf("%d readings, want some of each panel", len(readings))
	}
	for _, r := range readings {
		row := rows[r.Panel][r.Row]
		if row == nil {
			t.Errorf("panel %q has no row %q", r.Panel, r.Row)
			continue
		}
		for _, td := range row.all("td") {
			if !strings.Contains(r.Text, td.words()) {
				t.Errorf("panel %s at %s shows %q, which lacks %q", r.Panel, r.Row, r.Text, td.words())
			}
		}
		checkFromTheTop(t, r, heads[r.Panel], row)
	}
}

// checkFromTheTop: a reading lists the variants from the largest mean to the least.
func checkFromTheTop(t *testing.T, r reading, heads []string, row *element) {
	t.Helper()
	last, least := -1, math.Inf(1)
	cells := row.all("td")
	order := make([]int, len(cells))
	means := make([]float64, len(cells))
	for i, td := range cells {
		order[i] = i
		mean, _, _ := strings.Cut(td.words(), " ")
		x, err := strconv.ParseFloat(mean, 64)
		if err != nil {
			x = math.Inf(-1)
		}
		means[i] = x
	}
	slices.SortFunc(order, func(i, j int) int {
		return strings.Index(r.Text, heads[i]+" "+cells[i].words()) - strings.Index(r.Text, heads[j]+" "+cells[j].words())
	})
	for _, i := range order {
		at := strings.Index(r.Text, heads[i]+" "+cells[i].words())
		if at <= last || means[i] > least {
			t.Errorf("panel %s at %s shows %q, want it from the largest mean to the least", r.Panel, r.Row, r.Text)
			return
		}
		last, least = at, means[i]
	}
}
