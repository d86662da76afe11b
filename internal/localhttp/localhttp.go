// Package localhttp has the rules that the HTTP servers of this program share: which requests they
// answer, and when a client's time begins.
package localhttp

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// IsLoopback reports whether a host is this machine and no other can reach it by that name.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Foreign returns the reason not to answer a request: it is for another host, or comes from
// another host's page. A page of the web can make its own name lead here, and would read the
// pages served as if they were its own; it can send a form here, too. A server's own hosts are
// the loopback, the address that the connection came to, and names.
func Foreign(r *http.Request, names []string) error {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !isOwn(r, strings.Trim(host, "[]"), names) {
		return fmt.Errorf("the request is for the host %.100q, want localhost or the address that is listened to", r.Host)
	}
	// Of a picture or a script that a page asks for, browsers send no origin.
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return errors.New("the request comes from a page of another site, want one of localhost")
	}
	for _, origin := range r.Header["Origin"] {
		page, err := url.Parse(origin)
		if err != nil || page.Host == "" || !isOwn(r, page.Hostname(), names) {
			return fmt.Errorf("the request comes from a page of %.100q, want one of localhost", origin)
		}
	}
	return nil
}

func isOwn(r *http.Request, host string, names []string) bool {
	if IsLoopback(host) || slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.EqualFold(name, host) }) {
		return true
	}
	address, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	ip := net.ParseIP(host)
	return ok && ip != nil && ip.Equal(address.IP)
}

// FromFirstByte is a listener whose connections begin with their first byte. A server of net/http
// counts the time that a client may take for the header of its first request from when the connection
// was accepted, and so cuts off a client that connects before it has something to send, as
// pools of connections do. Connections that send nothing are closed after patience, or when the
// listener is.
func FromFirstByte(l net.Listener, patience time.Duration) net.Listener {
	f := &firstByte{Listener: l, patience: patience, begun: make(chan net.Conn), done: make(chan struct{}), silent: map[net.Conn]bool{}}
	go f.accept()
	return f
}

type firstByte struct {
	net.Listener
	patience time.Duration
	begun    chan net.Conn
	done     chan struct{} // closed when no connection is accepted any more
	err      error         // why; to read after that

	mu     sync.Mutex
	silent map[net.Conn]bool // those that have sent nothing; nil: the listener is closed
}

// accept accepts connections and waits for each in a goroutine of its own.
func (f *firstByte) accept() {
	for {
		c, err := f.Listener.Accept()
		if err == nil {
			if f.note(c) {
				go f.wait(c)
			}
			continue
		}
		if temporary(err) {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		f.err = err
		close(f.done)
		return
	}
}

// temporary: there are too many files, or the client went away before it was accepted.
func temporary(err error) bool {
	passing := []error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED, syscall.ECONNRESET, syscall.EINTR}
	return slices.ContainsFunc(passing, func(e error) bool { return errors.Is(err, e) })
}

// note notes a connection that has sent nothing, or closes it where the listener is closed.
func (f *firstByte) note(c net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.silent == nil {
		_ = c.Close()
		return false
	}
	f.silent[c] = true
	return true
}

func (f *firstByte) wait(c net.Conn) {
	first := make([]byte, 1)
	_ = c.SetReadDeadline(time.Now().Add(f.patience))
	n, err := c.Read(first)
	f.mu.Lock()
	delete(f.silent, c)
	f.mu.Unlock()
	if n == 0 || err != nil || c.SetReadDeadline(time.Time{}) != nil {
		_ = c.Close()
		return
	}
	select {
	case f.begun <- &begunConn{Conn: c, first: first}:
	case <-f.done:
		_ = c.Close()
	}
}

// Accept implements net.Listener.
func (f *firstByte) Accept() (net.Conn, error) {
	select {
	case c := <-f.begun:
		return c, nil
	case <-f.done:
		return nil, f.err
	}
}

// Close implements net.Listener, and closes connections that have sent nothing.
func (f *firstByte) Close() error {
	err := f.Listener.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.silent {
		_ = c.Close()
	}
	f.silent = nil
	return err
}

type begunConn struct {
	net.Conn
	first []byte
}

// Read implements net.Conn.
func (c *begunConn) Read(p []byte) (int, error) {
	if len(c.first) == 0 || len(p) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.first)
	c.first = c.first[n:]
	return n, nil
}
