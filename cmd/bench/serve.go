package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/envs/judging/httpjudge"
	"modebench/internal/cli"
	"modebench/internal/input"
	"modebench/internal/localhttp"
)

func newServeCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "serve [flags]", Short: "judge answers over HTTP, for trainers of language models", Args: cli.NoArguments,
		Long: `
Listens on the loopback, prints the address on standard error, and judges requests until it is
interrupted; requests that are under way are then finished.

  POST /judge     {"items": [{"id": "countdown/train/17", "answer": "..."}], "reading": "lenient"}
                  gets {"verdicts": [...]}, one for each item: bench judge --jsonl prints the same
  POST /openrlhf  {"query", "prompts", "labels"}, as OpenRLHF's remote reward sends them, with
                  the ids of problems as labels, gets {"rewards", "scores", "extra_logs"}
  GET /problems   ?env=countdown&split=train&index=0&count=10 gets lines of bench env --jsonl
                  (settings=numbers%3D5 changes fields of the environment)
  GET /healthz    gets {"status":"ok"}
  GET /metrics    gets counters for Prometheus

A request that is wrong gets a status from 400 on and {"error": "..."}. It may have 64 MiB and
65536 items of up to 1 MiB, get a reply of 64 MiB, and be at work for ten seconds. Four for each
processor are at work at a time, and 256 more wait, for 30 seconds at most: then they get status
503. With as many waiting, others get status 429. So do others while requests and replies under way
have 256 MiB, and those above 1 MiB while they have three quarters of it. A client that has not sent
its request 30 seconds after its first byte is cut off. No file can be reached.

Requests have to name localhost or the address that they reach, and may come from no page of
another site: others get status 403. --host NAME adds a name that clients reach the machine by.

Anybody who reaches the port can use it, so another address than one of the loopback takes
--anywhere. With --token FILE, or MODEBENCH_TOKEN in the environment, requests have to carry the
token, in the header "Authorization: Bearer TOKEN"; others get status 401. GET /healthz needs none.`,
	}, &serveOptions{})
}

type serveOptions struct {
	listen    string
	anywhere  bool
	hosts     []string
	tokenFile string
}

func (o *serveOptions) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.listen, "listen", "127.0.0.1:8000", "address and port; port 0: any that is free")
	flags.BoolVar(&o.anywhere, "anywhere", false, "allow an address that other machines reach")
	flags.StringSliceVar(&o.hosts, "host", nil, "names that requests may call this machine by, beside localhost and the address")
	flags.StringVar(&o.tokenFile, "token", "", "file with a token that requests have to carry; default: MODEBENCH_TOKEN, if it is set")
}

func (o *serveOptions) run(ctx context.Context, s streams, _ []string) error {
	access := httpjudge.Access{Hosts: o.hosts}
	var err error
	if access.Token, err = serveToken(s, o.tokenFile, os.Getenv("MODEBENCH_TOKEN")); err != nil {
		return err
	}
	if err := loopback(o.listen, o.anywhere); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return usagef("--listen %s: %w", o.listen, err)
	}
	if host, _, err := net.SplitHostPort(o.listen); err == nil {
		access.Hosts = append(access.Hosts, host)
	}
	fmt.Fprintf(s.err, "judging at http://%s\n", listener.Addr())
	return serveUntil(ctx, httpjudge.New(httpjudge.DefaultLimits()).Server(access), listener, patience)
}

// loopback refuses an address that other machines reach.
func loopback(address string, anywhere bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return usagef("--listen is %q, want an address and a port, as in 127.0.0.1:8000", address)
	}
	if !anywhere && !localhttp.IsLoopback(host) {
		return usagef("--listen %s: other machines can reach that; --anywhere allows it, or take 127.0.0.1", address)
	}
	return nil
}

// serveToken is the token of a file, or else that of the environment, "" without either. It is no
// flag of its own, since everybody on a machine sees the flags of its programs.
func serveToken(s streams, file, environment string) (string, error) {
	token, where := environment, "MODEBENCH_TOKEN"
	if file != "" {
		data, name, err := readInput(s, []string{file}, "token")
		if err != nil {
			return "", err
		}
		token, where = strings.TrimSpace(string(data)), name
	} else if token == "" {
		return "", nil
	}
	if len(token) < leastToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", input.Errorf("the token of %s has to have %d characters or more, letters, digits and signs without blanks, as openssl rand -hex 16 makes one", where, leastToken)
	}
	return token, nil
}

// leastToken is how many characters a token has at least.
const leastToken = 16

// patience is how long requests that are under way may take at the end.
const patience = 10 * time.Second

// serveUntil serves until ctx ends, and then finishes what is under way, for as long as patience.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener, patience time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(localhttp.FromFirstByte(listener, httpjudge.IdleTimeout)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	switch err := server.Shutdown(late); {
	case errors.Is(err, context.DeadlineExceeded):
		return stoppedError(fmt.Sprintf("stopped; requests that were still under way after %v are cut off", patience))
	case err != nil:
		return err
	}
	return stoppedError("stopped; the requests that were under way are finished")
}
