package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"modebench/internal/testkit"
)

// TestServe: the command prints its address, judges there, and ends when it is interrupted.
func TestServe(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- bench(ctx, streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: write}, []string{"serve", "--listen", "127.0.0.1:0"})
		write.Close()
	}()
	line := make([]byte, 200)
	n, err := read.Read(line)
	found := regexp.MustCompile(`^judging at (http://127\.0\.0\.1:\d+)\n$`).FindSubmatch(line[:n])
	if err != nil || found == nil {
		t.Fatalf("%q (%v)", line[:n], err)
	}
	var last bytes.Buffer
	rest := make(chan error, 1)
	go func() {
		_, err := io.Copy(&last, read)
		rest <- err
	}()
	response, err := http.Post(string(found[1])+"/judge", "application/json", strings.NewReader(`{"items":[{"id":"bandit/train/0","answer":"m03"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.StatusCode != 200 || !strings.Contains(string(body), `"correct":true`) {
		t.Errorf("%s: %s (%v)", response.Status, body, err)
	}
	interrupt()
	select {
	case c := <-code:
		if err := <-rest; c != exitInterrupted || err != nil || last.String() != "bench: stopped; the requests that were under way are finished\n" {
			t.Errorf("exit code %d, want %d; %q (%v)", c, exitInterrupted, last.String(), err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not end")
	}
}

// TestServeEndsWithoutTheSlow: a request that takes too long is cut off at the end, and that is said.
func TestServeEndsWithoutTheSlow(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(context.Background())
	over := make(chan struct{})
	defer close(over)
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { interrupt(); <-over })}
	defer server.Close()
	go http.Get("http://" + listener.Addr().String())
	err = serveUntil(ctx, server, listener, 10*time.Millisecond)
	testkit.WantError(t, err, "stopped; requests that were still under way after 10ms are cut off")
	if code := exitCode(err); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
}

func TestServeStaysOnTheLoopback(t *testing.T) {
	for _, c := range []struct{ address, want string }{
		{"0.0.0.0:0", "other machines can reach that; --anywhere allows it"},
		{":0", "other machines can reach that"},
		{"example.org:80", "other machines can reach that"},
		{"8000", `--listen is "8000", want an address and a port`},
	} {
		if code, _, errs := call(t, "", "serve", "--listen", c.address); code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d: %s", c.address, code, errs)
		}
	}
}

// TestServeToken: a token comes from a file or the environment, and a short one is refused.
func TestServeToken(t *testing.T) {
	inDir(t)
	const token = "0123456789abcdef"
	write(t, "token", token+"\n")
	write(t, "short", "0123\n")
	write(t, "blank", "0123456789 abcdef\n")
	for _, c := range []struct{ file, environment, want, wrong string }{
		{"", "", "", ""},
		{"token", "", token, ""},
		{"", token + "0", token + "0", ""},
		{"token", token + "0", token, ""},
		{"short", "", "", "the token of short has to have 16 characters or more"},
		{"blank", "", "", "the token of blank has to have"},
		{"", "0123", "", "the token of MODEBENCH_TOKEN has to have"},
		{"missing", "", "", "missing does not exist"},
	} {
		got, err := serveToken(streams{}, c.file, c.environment)
		if got != c.want || (err == nil) != (c.wrong == "") || err != nil && (!strings.Contains(err.Error(), c.wrong) || exitCode(err) != exitInput || strings.Contains(err.Error(), "0123")) {
			t.Errorf("file %q, environment %q: %q, %v", c.file, c.environment, got, err)
		}
	}
}

// TestServeAccess: the command asks for its token and answers to its names. A client that sends nothing
// does not hold up its end.
func TestServeAccess(t *testing.T) {
	inDir(t)
	t.Setenv("MODEBENCH_TOKEN", "0123456789abcdef")
	ctx, interrupt := context.WithCancel(context.Background())
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- bench(ctx, streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: write}, []string{"serve", "--listen", "127.0.0.1:0", "--host", "judge.example,other.example"})
		write.Close()
	}()
	line := make([]byte, 200)
	n, err := read.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, read)
	address := strings.TrimPrefix(strings.TrimSpace(string(line[:n])), "judging at http://")
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct {
		host, token string
		status      int
	}{
		{"judge.example", "0123456789abcdef", http.StatusOK},
		{"other.example:80", "0123456789abcdef", http.StatusOK},
		{"evil.example", "0123456789abcdef", http.StatusForbidden},
		{"localhost", "0123456789abcdee", http.StatusUnauthorized},
	} {
		r, err := http.NewRequest("GET", "http://"+address+"/problems?env=bandit", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		r.Header.Set("Authorization", "Bearer "+c.token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.status {
			t.Errorf("%+v: status %d", c, response.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	interrupt()
	select {
	case c := <-code:
		if c != exitInterrupted {
			t.Errorf("exit code %d, want %d", c, exitInterrupted)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	_ = silent.SetReadDeadline(time.Now().Add(20 * time.Second))
	if n, err := silent.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("a client that sends nothing gets %d bytes, %v, want to be cut off at the end", n, err)
	}
}
