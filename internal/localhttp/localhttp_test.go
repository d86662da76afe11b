package localhttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestForeign: a server answers to its own hosts, and to pages of these alone.
func TestForeign(t *testing.T) {
	names := []string{"judge.example", ""}
	for _, c := range []struct {
		host, origin string
		local        string // address that the connection came to
		foreign      bool
	}{
		{"localhost:8000", "", "127.0.0.1", false},
		{"LOCALHOST", "", "127.0.0.1", false},
		{"127.0.0.1", "", "127.0.0.1", false},
		{"[::1]:8000", "", "::1", false},
		{"judge.example:8000", "", "10.0.0.1", false},
		{"Judge.Example", "", "10.0.0.1", false},
		{"10.0.0.1:8000", "", "10.0.0.1", false},
		{"[fd00::1]:8000", "", "fd00::1", false},
		{"10.0.0.2:8000", "", "10.0.0.1", true},
		{"evil.example", "", "127.0.0.1", true},
		{"localhost.evil.example", "", "127.0.0.1", true},
		{"", "", "127.0.0.1", true},
		{"localhost", "http://localhost:3000", "127.0.0.1", false},
		{"localhost", "https://judge.example", "127.0.0.1", false},
		{"10.0.0.1", "http://10.0.0.1:8000", "10.0.0.1", false},
		{"localhost", "http://evil.example", "127.0.0.1", true},
		{"localhost", "http://localhost.evil.example", "127.0.0.1", true},
		{"localhost", "null", "127.0.0.1", true},
		{"localhost", "", "127.0.0.1", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(c.local)}))
		if err := Foreign(r, names); (err != nil) != c.foreign {
			t.Errorf("host %q, origin %q at %s: %v", c.host, c.origin, c.local, err)
		}
		// Of a picture that a page asks for, browsers send no origin but the kind of site.
		if r.Header.Set("Sec-Fetch-Site", "cross-site"); Foreign(r, names) == nil {
			t.Errorf("host %q, origin %q at %s, from another site, is answered", c.host, c.origin, c.local)
		}
	}
}

// TestFromFirstByte: a client that connects before it has something to send is answered, and one
// that sends half a header is cut off.
func TestFromFirstByte(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const header = 100 * time.Millisecond
	server := &http.Server{ReadHeaderTimeout: header, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })}
	served := make(chan error, 1)
	go func() { served <- server.Serve(FromFirstByte(l, time.Minute)) }()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	early, half, silent := dial(), dial(), dial()
	fmt.Fprint(half, "GET / HTTP/1.1\r\n")
	_ = half.SetReadDeadline(time.Now().Add(20 * time.Second))
	if n, err := half.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("half a header gets %d bytes, %v, want to be cut off", n, err)
	}
	time.Sleep(header) // more than the time for a header, since it was accepted
	fmt.Fprint(early, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	reply, err := http.ReadResponse(bufio.NewReader(early), nil)
	if err != nil {
		t.Fatalf("a client that sends late: %v", err)
	}
	if body, err := io.ReadAll(reply.Body); err != nil || string(body) != "ok" {
		t.Errorf("%q, %v", body, err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	_ = silent.SetReadDeadline(time.Now().Add(20 * time.Second))
	var late net.Error
	if _, err := silent.Read(make([]byte, 1)); err == nil || errors.As(err, &late) && late.Timeout() {
		t.Errorf("a client that sends nothing: %v, want to be cut off when the server ends", err)
	}
	if err := <-served; err != http.ErrServerClosed {
		t.Error(err)
	}
}

// TestSilentClientsAreClosed: a client that never sends anything holds its connection for as long as that.
func TestSilentClientsAreClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := FromFirstByte(l, time.Millisecond)
	defer f.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("%v, want to be cut off", err)
	}
}
