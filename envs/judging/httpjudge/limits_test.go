package httpjudge_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"modebench/envs/judging/httpjudge"
)

// TestQueue: while as many requests are at work as may be, others wait. Those for which
// there is no place to wait, and those that have waited for too long, are asked to come
// back.
func TestQueue(t *testing.T) {
	for _, c := range []struct {
		reason string
		queue  int
		wait   time.Duration
		status int // of the requests that are asked to come back; 0: no request is
		says   string
	}{
		{"a place to wait for all", 3, time.Minute, 0, ""},
		{"no place to wait", 0, time.Minute, http.StatusTooManyRequests, "as many requests are waiting as may: come back in a second"},
		{"too few places", 1, time.Minute, http.StatusTooManyRequests, "as many requests are waiting as may: come back in a second"},
		{"too long a wait", 3, time.Millisecond, http.StatusServiceUnavailable, "the request has waited for too long: come back in a second"},
	} {
		limits := httpjudge.DefaultLimits()
		limits.Requests, limits.Queue, limits.Wait = 1, c.queue, c.wait
		h := httpjudge.New(limits)
		// It takes half a second to find that the problem does not exist. So one of them is
		// at work when the others come.
		const requests = 4
		replies := make(chan *httptest.ResponseRecorder, requests)
		for range requests {
			go func() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("POST", "/judge", strings.NewReader(`{"items":[{"id":"countdown/train/0?min_modes=1000","answer":""}]}`)))
				replies <- w
			}()
		}
		statuses := map[int]int{}
		for range requests {
			w := <-replies
			statuses[w.Code]++
			if w.Code != http.StatusOK && (w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), c.says)) {
				t.Errorf("%s: %v %s", c.reason, w.Header(), w.Body)
			}
		}
		if done := statuses[http.StatusOK]; done == 0 || done+statuses[c.status] != requests || (c.status == 0) != (done == requests) || c.queue == 1 && done < 2 {
			t.Errorf("%s: statuses %v", c.reason, statuses)
		}
		if status, _ := do(t, h, "POST", "/judge", strings.NewReader(`{"items":[]}`)); status != http.StatusOK {
			t.Errorf("%s: after it: status %d", c.reason, status)
		}
	}
}

// TestManyClients: 64 clients that each send a batch of 64 answers, one after the other, all get
// verdicts.
func TestManyClients(t *testing.T) {
	url := listening(t, httpjudge.Access{})
	const clients, batches = 64, 4
	statuses := make(chan int, clients*batches)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	for i := range clients {
		go func() {
			for j := range batches {
				var items []string
				for k := range 64 {
					items = append(items, fmt.Sprintf(`{"id":"countdown/train/%d","answer":"<answer>%d+%d</answer>"}`, i*64+k, j, k))
				}
				response, err := client.Post(url+"/judge", "application/json", strings.NewReader(`{"items":[`+strings.Join(items, ",")+`]}`))
				if err != nil {
					statuses <- 0
					continue
				}
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
				statuses <- response.StatusCode
			}
		}()
	}
	got := map[int]int{}
	for range clients * batches {
		got[<-statuses]++
	}
	if got[http.StatusOK] != clients*batches {
		t.Errorf("statuses %v, want %d times 200", got, clients*batches)
	}
}

// listening starts a server with the default limits.
func listening(t *testing.T, access httpjudge.Access) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httpjudge.New(httpjudge.DefaultLimits()).Server(access)
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return "http://" + listener.Addr().String()
}

// TestAccess: who may ask is known by the host and the page of a request, and by its token.
func TestAccess(t *testing.T) {
	const token = "0123456789abcdef"
	open, closed := listening(t, httpjudge.Access{Hosts: []string{"judge.example"}}), listening(t, httpjudge.Access{Token: token})
	for _, c := range []struct {
		url, path, host, origin, authorization string
		status                                 int
	}{
		{open, "/problems?env=bandit", "", "", "", http.StatusOK}, // by the address that is listened to
		{open, "/problems?env=bandit", "localhost:1", "", "", http.StatusOK},
		{open, "/problems?env=bandit", "judge.example", "", "", http.StatusOK},
		{open, "/problems?env=bandit", "evil.example", "", "", http.StatusForbidden},
		{open, "/healthz", "evil.example", "", "", http.StatusForbidden},
		{open, "/problems?env=bandit", "", "http://localhost:3000", "", http.StatusOK},
		{open, "/problems?env=bandit", "", "http://evil.example", "", http.StatusForbidden},
		{open, "/problems?env=bandit", "", "null", "", http.StatusForbidden},
		{closed, "/problems?env=bandit", "", "", "Bearer " + token, http.StatusOK},
		{closed, "/problems?env=bandit", "", "", "bearer " + token, http.StatusOK},
		{closed, "/problems?env=bandit", "", "", "", http.StatusUnauthorized},
		{closed, "/metrics", "", "", "Bearer " + token[1:], http.StatusUnauthorized},
		{closed, "/metrics", "", "", "Bearer " + token + "0", http.StatusUnauthorized},
		{closed, "/metrics", "", "", "Basic " + token, http.StatusUnauthorized},
		{closed, "/metrics", "", "", token, http.StatusUnauthorized},
		{closed, "/healthz", "", "", "", http.StatusOK},
		{closed, "/problems?env=bandit", "evil.example", "", "Bearer " + token, http.StatusForbidden},
	} {
		r, err := http.NewRequest("GET", c.url+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		for name, value := range map[string]string{"Origin": c.origin, "Authorization": c.authorization} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != c.status || (c.status != http.StatusOK) != strings.HasPrefix(string(body), `{"error":"`) {
			t.Errorf("%+v: status %d: %.100s (%v)", c, response.StatusCode, body, err)
		}
		if (response.Header.Get("WWW-Authenticate") == "Bearer") != (c.status == http.StatusUnauthorized) {
			t.Errorf("%+v: %v", c, response.Header)
		}
	}
}

// TestSlowClients: clients that send half a request, more of them than may be at work, keep
// no client out, until the bytes that they have sent fill the room for requests.
func TestSlowClients(t *testing.T) {
	limits := httpjudge.DefaultLimits()
	limits.Requests, limits.Memory = 2, 20_000
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httpjudge.New(limits).Server(httpjudge.Access{})
	go server.Serve(listener)
	defer server.Close()
	slow := func() net.Conn {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "POST /judge HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n%s", strings.Repeat(" ", 900))
		return c
	}
	post := func(blanks int) (int, string) {
		response, err := http.Post("http://"+listener.Addr().String()+"/judge", "application/json", strings.NewReader(`{"items":[{"id":"bandit/train/0","answer":"m03"}]}`+strings.Repeat(" ", blanks)))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	var open []net.Conn
	for range 20 {
		open = append(open, slow())
	}
	time.Sleep(100 * time.Millisecond) // until most of them are being read
	if status, body := post(0); status != http.StatusOK {
		t.Errorf("beside 20 slow clients: status %d %s", status, body)
	}
	for range 20 {
		open = append(open, slow())
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		status, body := post(1000) // more than a slow one, which may have left a little
		if status == http.StatusTooManyRequests && strings.Contains(body, "no room for more requests") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("with the room full: status %d %s", status, body)
		}
	}
	for _, c := range open {
		c.Close()
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if status, body := post(1000); status == http.StatusOK {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("when they are gone: status %d %s", status, body)
		}
	}
}

// TestLargeRequestsLeaveRoom: large requests that are half sent keep no small one out.
func TestLargeRequestsLeaveRoom(t *testing.T) {
	limits := httpjudge.DefaultLimits()
	limits.Memory = 16 << 20
	h := httpjudge.New(limits)
	const small = `{"items":[{"id":"bandit/train/0","answer":"m03"}]}`
	large := small + strings.Repeat(" ", 7<<20)
	end := &lateEnd{waits: make(chan struct{}), comes: make(chan struct{})}
	done := make(chan int, 1)
	go func() {
		status, _ := do(t, h, "POST", "/judge", io.MultiReader(strings.NewReader(large), end))
		done <- status
	}()
	<-end.waits
	if status, body := do(t, h, "POST", "/judge", strings.NewReader(large)); status != http.StatusTooManyRequests {
		t.Errorf("a second large request: status %d %s, want to be told to come back", status, body)
	}
	if status, body := do(t, h, "POST", "/judge", strings.NewReader(small+strings.Repeat(" ", 1000))); status != http.StatusOK {
		t.Errorf("a small request: status %d %s", status, body)
	}
	close(end.comes)
	if status := <-done; status != http.StatusOK {
		t.Errorf("the large request, when it ends: status %d", status)
	}
}

// A lateEnd is the end of a request, which is waited for.
type lateEnd struct{ waits, comes chan struct{} }

func (e *lateEnd) Read([]byte) (int, error) {
	close(e.waits)
	<-e.comes
	return 0, io.EOF
}

// TestLongReplies: a small request cannot ask for a huge reply.
func TestLongReplies(t *testing.T) {
	limits := httpjudge.DefaultLimits()
	limits.Reply = 1 << 20
	h := httpjudge.New(limits)
	items := strings.TrimSuffix(strings.Repeat(`{"id":"bandit/train/0?modes=64&dim=4096","answer":"m03"},`, 2000), ",")
	const want = "the reply has more than 1048576 bytes: ask for less at a time"
	if status, got := do(t, h, "POST", "/judge", strings.NewReader(`{"embeddings":true,"items":[`+items+`]}`)); status != http.StatusBadRequest || !strings.Contains(got, want) {
		t.Errorf("status %d, %d bytes: %.200s", status, len(got), got)
	}
	if status, got := do(t, h, "GET", "/problems?env=maze&count=2000", nil); status != http.StatusBadRequest || !strings.Contains(got, want) {
		t.Errorf("status %d, %d bytes: %.200s", status, len(got), got)
	}
}

// TestLongAnswers: an answer beyond the bound is a fault, and the others are judged.
func TestLongAnswers(t *testing.T) {
	limits := httpjudge.DefaultLimits()
	limits.Answer = 10
	h := httpjudge.New(limits)
	// The second one has nine bytes, which JSON writes as 21.
	const request = `{"items":[{"id":"bandit/train/0","answer":"m03        "},{"id":"bandit/train/0","answer":"\u00a0\u00a0\u00a0m03"}]}`
	status, got := do(t, h, "POST", "/judge", strings.NewReader(request))
	if status != http.StatusOK || !strings.HasPrefix(got, `{"verdicts":[{"id":"bandit/train/0","fault":"an answer of more than 10 bytes"},{"id":"bandit/train/0","reward":[1],`) {
		t.Errorf("status %d: %s", status, got)
	}
}

// TestProblemsAreSmall: the largest settings that are served make problems of which as many as
// are kept find room.
func TestProblemsAreSmall(t *testing.T) {
	for _, settings := range []string{
		"modes=4096&dim=0", "modes=4&arms_per_mode=1024&dim=64", "modes=64&components=64&dim=0", "modes=64&dim=4096",
	} {
		h := httpjudge.New(httpjudge.DefaultLimits())
		const n = 50
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(`{"id":"bandit/train/%d?%s","answer":"m"}`, i, settings)
		}
		before := heap()
		status, got := do(t, h, "POST", "/judge", strings.NewReader(`{"items":[`+strings.Join(items, ",")+`]}`))
		if status != http.StatusOK || strings.Contains(got, "fault") {
			t.Fatalf("%s: status %d %.300s", settings, status, got)
		}
		if each := (heap() - before) / n; each > 1<<20 {
			t.Errorf("%s: a problem takes %d bytes", settings, each)
		} else {
			t.Logf("%s: a problem takes %d kB", settings, each/1000)
		}
		runtime.KeepAlive(h)
	}
}

// heap is how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestResponse: the text after a prompt, without the tokens that end it. The Python package
// is tested on the same cases.
func TestResponse(t *testing.T) {
	data, err := os.ReadFile("testdata/responses.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Reason, Query, Prompt, Want string }
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases (%v)", len(cases), err)
	}
	for _, c := range cases {
		if got := httpjudge.Response(c.Query, c.Prompt, "a problem"); got != c.Want {
			t.Errorf("%s: got %q, want %q", c.Reason, got, c.Want)
		}
	}
}

// TestResponseBehindOwn: where the marks of the chat are decoded otherwise, the example of an answer
// in the problem's own text is not taken for the model's.
func TestResponseBehindOwn(t *testing.T) {
	const own = "Pay 25. For example <answer>12+3</answer>."
	const want = "\nassistant\n10+12+3"
	if got := httpjudge.Response("user\n"+own+want, "<|im_start|>user\n"+own+"<|im_end|>", own); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestManyItems: a list of more items than may be is not read to its end, however short they are.
func TestManyItems(t *testing.T) {
	h := httpjudge.New(httpjudge.DefaultLimits())
	many := strings.Repeat("{},", 4<<20) + "{}" // which would be 64 MB of items
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, got := do(t, h, "POST", "/judge", strings.NewReader(`{"items":[`+many+`]}`))
	runtime.ReadMemStats(&after)
	if status != http.StatusBadRequest || !strings.Contains(got, "more than 65536 items") {
		t.Errorf("status %d: %.200s", status, got)
	}
	// The request itself is 12 MB, which is read into memory that doubles, and looked through once.
	if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
		t.Errorf("%d bytes of memory for it", made)
	}
	texts := strings.Repeat(`"",`, 1<<20) + `""`
	if status, got := do(t, h, "POST", "/openrlhf", strings.NewReader(`{"query":[`+texts+`]}`)); status != http.StatusBadRequest || !strings.Contains(got, "more than 65536 items") {
		t.Errorf("status %d: %.200s", status, got)
	}
}
