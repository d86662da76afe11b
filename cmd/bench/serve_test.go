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

// TestServe: the command says where it listens, judges there, and ends when it is interrupted.
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
