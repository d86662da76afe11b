package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/pflag"

	"modebench/envs/judging/httpjudge"
)

var serveCommand = command{
	name: "serve", args: "[flags]",
	summary: "judge answers over HTTP, for trainers of language models",
	detail: `
Listens on the loopback, says where on standard error, and judges what is sent until it is
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
65536 items of up to 1 MiB, get a reply of 64 MiB, and be at work for ten seconds; four for each
processor are at work at a time, and more get status 429. So do others while requests and replies
under way have 256 MiB, and those above 1 MiB while they have three quarters of it. A client that
has not sent its request after 30 seconds is cut off. No file can be reached.

Anybody who reaches the port can use it, so another address than one of the loopback takes
--anywhere.`,
	setup: func(flags *pflag.FlagSet) func(context.Context, streams, []string) error {
		listen := flags.String("listen", "127.0.0.1:8000", "address and port; port 0: any that is free")
		anywhere := flags.Bool("anywhere", false, "allow an address that other machines reach")
		return func(ctx context.Context, s streams, args []string) error {
			if len(args) > 0 {
				return usagef("bench serve takes no arguments; see bench help serve")
			}
			if err := loopback(*listen, *anywhere); err != nil {
				return err
			}
			ctx, stop := untilSignal(ctx)
			defer stop()
			listener, err := net.Listen("tcp", *listen)
			if err != nil {
				return usagef("--listen %s: %w", *listen, err)
			}
			fmt.Fprintf(s.err, "judging at http://%s\n", listener.Addr())
			return serveUntil(ctx, httpjudge.New(httpjudge.DefaultLimits()).Server(), listener, patience)
		}
	},
}

// loopback says what is wrong with an address.
func loopback(address string, anywhere bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return usagef("--listen is %q, want an address and a port, as in 127.0.0.1:8000", address)
	}
	if !anywhere && !isLoopback(host) {
		return usagef("--listen %s: other machines can reach that; --anywhere allows it, or take 127.0.0.1", address)
	}
	return nil
}

// isLoopback says whether a host is this machine and no other can reach it by that name.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// patience is how long requests that are under way may take at the end.
const patience = 10 * time.Second

// serveUntil serves until ctx ends, and then finishes what is under way, for as long as patience.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener, patience time.Duration) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
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
