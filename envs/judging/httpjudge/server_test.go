package httpjudge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	_ "modebench/envs/bandit"
	_ "modebench/envs/coins"
	_ "modebench/envs/countdown"
	_ "modebench/envs/derivation"
	"modebench/envs/envtest"
	"modebench/envs/judging"
	"modebench/envs/judging/httpjudge"
	_ "modebench/envs/maze"
	_ "modebench/envs/multiplication"
	_ "modebench/envs/polynomial"
	"modebench/envs/reference"
)

// do sends one request to a handler.
func do(t testing.TB, h http.Handler, method, target string, body io.Reader) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, body))
	return w.Code, w.Body.String()
}

// TestSameAsCommandLine judges 12,000 responses to all environments in batches, in both
// readings, and holds the verdicts against what bench judge --jsonl makes of each alone.
func TestSameAsCommandLine(t *testing.T) {
	n := 12000
	if testing.Short() {
		n = 1200
	}
	responses, err := envtest.Responses(n)
	if err != nil {
		t.Fatal(err)
	}
	responses[7].ID = "countdwn/train/0"
	for i := range responses { // JSON has no bytes that are no text
		text, err := json.Marshal(responses[i].Text)
		if err != nil || json.Unmarshal(text, &responses[i].Text) != nil {
			t.Fatal(err)
		}
	}
	h, cache := httpjudge.New(httpjudge.DefaultLimits()), reference.NewCache(n)
	for _, reading := range judging.Readings() {
		for batch := range slices.Chunk(responses, 256) {
			var items []map[string]string
			want := []byte(`{"verdicts":[`)
			for i, r := range batch {
				items = append(items, map[string]string{"id": r.ID, "answer": r.Text})
				if i > 0 {
					want = append(want, ',')
				}
				q, err := cache.Find(r.ID, nil)
				if err != nil {
					want = judging.AppendFault(want, &r.ID, err)
					continue
				}
				j := judging.Judge(q, r.Text, reading)
				want = j.AppendNamed(want, r.ID, judging.Fields(q, false))
			}
			want = append(want, "]}\n"...)
			body, err := json.Marshal(map[string]any{"items": items, "reading": reading})
			if err != nil {
				t.Fatal(err)
			}
			if status, got := do(t, h, "POST", "/judge", bytes.NewReader(body)); status != 200 || got != string(want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				at = max(0, at-100)
				t.Fatalf("%s: status %d,\n got ...%.300s\nwant ...%.300s", reading, status, got[min(at, len(got)):], want[min(at, len(want)):])
			}
		}
	}
}

func TestOpenRLHF(t *testing.T) {
	h := httpjudge.New(httpjudge.DefaultLimits())
	const request = `{"query":["What? m03</s>","What? m11","What? ` + "`m03`" + `"],"prompts":["What? ","What? ","What? "],"labels":["bandit/train/0","bandit/train/0","bandit/train/0"]}`
	if status, got := do(t, h, "POST", "/openrlhf", strings.NewReader(request)); status != 200 || got != `{"extra_logs":{"acc":[1,0,1],"mode":[3755529860,684558057,3755529860]},"rewards":[1,0,1],"scores":[1,0,1]}`+"\n" {
		t.Errorf("status %d: %s", status, got)
	}
}

func TestRequests(t *testing.T) {
	limits := httpjudge.DefaultLimits()
	limits.Body, limits.Items = 4096, 3
	h := httpjudge.New(limits)
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/healthz", "", 200, `{"status":"ok"}`},
		{"GET", "/", "", 404, `there is no GET \"/\"; there are POST /judge`},
		{"GET", "/../../etc/passwd", "", 307, "/etc/passwd"}, // a missing path
		{"GET", "/etc/passwd", "", 404, "there is no GET"},
		{"GET", "/problems?env=../../etc&count=1", "", 400, "want environment/split/index"},
		{"GET", "/judge", "", 404, "there is no GET"},
		{"POST", "/judge", `{"items":[{"id":"bandit/train/0","answer":"m03"}]}`, 200, `{"verdicts":[{"id":"bandit/train/0","reward":[1],"scalar":1,"correct":true,"answer":"A0","mode":"m03","error":null,"reading":"whole"}]}`},
		{"POST", "/judge", `{"items":[]}`, 200, `{"verdicts":[]}`},
		{"POST", "/judge", `{"item":[]}`, 400, `"items is missing: want {\"items\"`},
		{"POST", "/judge", `{"items":null}`, 400, "want {"},
		{"POST", "/judge", `null`, 400, "items is missing: want {"},
		{"POST", "/judge", ``, 400, "want {"},
		{"POST", "/openrlhf", `{}`, 400, "query is missing: want {"},
		{"POST", "/openrlhf", `{"query":[],"labels":[]}`, 400, "prompts is missing: want {"},
		{"POST", "/openrlhf", `{"query":[],"prompts":[]}`, 400, "labels is missing: want {"},
		{"POST", "/openrlhf", `{"query":[],"prompts":[],"labels":[]}`, 200, `"rewards":[]`},
		{"GET", "/problems", "", 400, "env is missing: want one of "},
		{"POST", "/judge", `{"items":[{"id":"bandit/trian/0","answer":""}]}`, 200, `"fault":"reference \"bandit/trian/0\": unknown split`},
		{"POST", "/judge", `{"items":[{},{},{},{}]}`, 400, "4 items, want at most 3 in a request"},
		{"POST", "/judge", `{"items":[{"id":"bandit/train/0"}]}`, 200, `{"verdicts":[{"id":"bandit/train/0","fault":"want {\"id\": \"...\", \"answer\": \"...\"}, both of them text"}]}`},
		{"POST", "/judge", `{"items":[{"id":"bandit/train/0?modes=4096&dim=100&rewarded=1","answer":"m"}]}`, 200, "embeddings of 409600 numbers, want at most 262144 here"},
		{"POST", "/judge", `{"items":[{"id":3}]}`, 400, "all ids and answers text"},
		{"POST", "/judge", `{"items":`, 400, "want {"},
		{"POST", "/judge", `{"items":[],"reading":"loose"}`, 400, `reading is \"loose\", want strict or lenient`},
		{"POST", "/judge", `{"x":"` + strings.Repeat("y", 5000) + `"}`, 413, "a request of more than 4096 bytes"},
		{"POST", "/judge", `{"items":[{"id":"bandit/train/0?modes=4096&arms_per_mode=64","answer":"m"}]}`, 200, "its settings make 262144 rewards, want at most 4096 here"},
		{"POST", "/openrlhf", `{"query":["a"],"prompts":[],"labels":[]}`, 400, "1 queries, 0 prompts and 0 labels: want as many of each"},
		{"POST", "/openrlhf", `{"query":["a"],"prompts":[""],"labels":["x"]}`, 400, "labels[0]: reference"},
		{"GET", "/problems?env=coins&count=2&split=test&index=3", "", 200, `{"id":"coins/test/3","env":"coins"`},
		{"GET", "/problems?env=countdown&settings=numbers%3D5", "", 200, `{"id":"countdown/train/0?numbers=5"`},
		{"GET", "/problems?env=coins&count=-1", "", 400, "count is"},
		{"GET", "/problems?env=coins&count=100000000", "", 400, "want 0 to 10000"},
		{"GET", "/problems?env=coins&file=x", "", 400, `the query has \"file\"`},
		{"GET", "/metrics", "", 200, "modebench_judge_verdicts_total 1\n"},
	} {
		if status, got := do(t, h, c.method, c.target, strings.NewReader(c.body)); status != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s %s %.60s: status %d, %s; want %d, %s", c.method, c.target, c.body, status, got, c.status, c.want)
		}
	}
}

// seeds are whole requests, which others are made of.
var seeds = []struct{ method, target, body string }{
	{"POST", "/judge", `{"items":[{"id":"countdown/train/0","answer":"<answer>18+8+2-10</answer>"},{"id":"maze/ood/3?candidates=2&stops=true","answer":"<route_1>UP</route_1>"}],"reading":"lenient","embeddings":true}`},
	{"POST", "/judge", `{"items":[{"id":"polynomial/test/1","answer":"\\boxed{(3, 0)}"},{"id":"coins/train/2?min_modes=2","answer":"10+6"}],"reading":"strict"}`},
	{"POST", "/openrlhf", `{"query":["Q? m03</s>"],"prompts":["Q? "],"labels":["bandit/train/0"]}`},
	{"GET", "/problems?env=derivation&split=test&index=2&count=3&shots=1&settings=givens%3D4", ""},
	{"GET", "/metrics", ""}, {"GET", "/healthz", ""}, {"PUT", "/judge", "{}"}, {"GET", "/%2e%2e/%2e%2e/etc/passwd", ""},
}

// mutated is a request that was damaged in a few places.
func mutated(r *rand.Rand) *http.Request {
	seed := seeds[r.IntN(len(seeds))]
	damage := func(text string) string {
		b := []byte(text)
		for range r.IntN(4) {
			if len(b) == 0 {
				break
			}
			at := r.IntN(len(b))
			switch r.IntN(5) {
			case 0:
				b = slices.Delete(b, at, min(len(b), at+1+r.IntN(8)))
			case 1:
				b = slices.Insert(b, at, b[at:min(len(b), at+1+r.IntN(32))]...)
			case 2:
				b[at] = byte(r.IntN(256))
			case 3:
				b = slices.Insert(b, at, []byte([]string{"99999999999", "-1", "\"", "null", "{}", "[", "\\u0000", "&numbers=6", "?", "/"}[r.IntN(10)])...)
			case 4:
				b[at] = "0123456789"[r.IntN(10)]
			}
		}
		return string(b)
	}
	target := seed.target
	if r.IntN(2) == 0 {
		target = damage(target)
	}
	request := httptest.NewRequest(seed.method, "/", strings.NewReader(damage(seed.body)))
	if parsed, err := request.URL.Parse(target); err == nil {
		request.URL = parsed
	}
	return request
}

// TestRandomRequests: no answer to 100,000 damaged requests has a status from 500 on, and
// memory does not grow.
func TestRandomRequests(t *testing.T) {
	n := 5000
	if os.Getenv("MODEBENCH_LONG") != "" {
		n = 100_000
	}
	limits := httpjudge.DefaultLimits()
	limits.Cache = 64
	h, r := httpjudge.New(limits), rand.New(rand.NewPCG(1, 2))
	statuses, early := map[int]int{}, int64(0)
	for i := range n {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, mutated(r))
		if statuses[w.Code]++; w.Code >= 500 {
			t.Fatalf("request %d: status %d, %s", i, w.Code, w.Body)
		}
		if i == n/5 {
			early = heap()
		}
	}
	late := heap()
	if late > 2*early+16<<20 {
		t.Errorf("%d bytes after a fifth of the requests, %d after all", early, late)
	}
	if statuses[200] < n/20 || statuses[400] < n/20 {
		t.Errorf("statuses %v", statuses)
	}
	t.Logf("%d requests: statuses %v; heap %.1f MB after a fifth, %.1f MB after all", n, statuses, float64(early)/1e6, float64(late)/1e6)
}

func FuzzJudge(f *testing.F) {
	for _, s := range seeds {
		if s.method == "POST" {
			f.Add(s.target == "/judge", []byte(s.body))
		}
	}
	h := httpjudge.New(httpjudge.DefaultLimits())
	f.Fuzz(func(t *testing.T, judge bool, body []byte) {
		target := map[bool]string{true: "/judge", false: "/openrlhf"}[judge]
		status, got := do(t, h, "POST", target, bytes.NewReader(body))
		if status != 200 && status != 400 || !json.Valid([]byte(got)) {
			t.Errorf("status %d: %s", status, got)
		}
	})
}

// BenchmarkServe judges batches of 256 answers to Countdown over one connection.
func BenchmarkServe(b *testing.B) {
	var items []map[string]string
	for i := range 256 {
		id := fmt.Sprintf("countdown/test/%d", i%40)
		items = append(items, map[string]string{"id": id, "answer": fmt.Sprintf("<answer>%d+8+2-10</answer>", i)})
	}
	for _, reading := range judging.Readings() {
		b.Run(string(reading), func(b *testing.B) {
			body, err := json.Marshal(map[string]any{"items": items, "reading": reading})
			if err != nil {
				b.Fatal(err)
			}
			server := httptest.NewServer(httpjudge.New(httpjudge.DefaultLimits()))
			defer server.Close()
			client := server.Client()
			for b.Loop() {
				response, err := client.Post(server.URL+"/judge", "application/json", bytes.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 {
					b.Fatal(err, response.Status)
				}
				response.Body.Close()
			}
			b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds(), "verdicts/s")
		})
	}
}
