package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/internal/atomicfile"
	"modebench/internal/cli"
	"modebench/internal/localhttp"
	page "modebench/plots/report"
	"modebench/plots/report/pages"
)

func newReportCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "report DIR [DIR...] [flags]", Short: "write an experiment as one HTML page that can be sent",
		Args: cli.Takes(1, math.MaxInt, "one folder or more"),
		Long: `
DIR is the folder of an experiment, as bench run leaves it (results/quick); several
make one page with a part for each. The page holds the summary table, which sorts,
filters and downloads as CSV, the verdicts on all claims with their settings, every
figure of the spec, a problem, problems to play with, all settings, and the program that made the
records. In figures of metrics and of claims methods are turned on and off, with zoom,
other metrics and steps; all figures have a table of their values. The problems to play
with are those whose answers the records keep (keep in [eval]): what each method
answered at first and after any step, in the picture of the problem, and which modes
no method found. The address of the page keeps the reader's choices
(docs/commands.md). It is one file that loads nothing and can be opened, sent and
printed; only its links to raw records need the folder of the cells beside it. The same
records and provenance give the same page.

--out - writes to standard output, with links relative to the current folder.

--serve writes no file and serves the page on this machine alone, at the address that it prints,
until Ctrl-C ends it. It may begin while the experiments still run (their folders are there from
the start of bench run): the page then has the finished cells and their number, and is made
again, and reloads itself, as cells are finished. Figures and claims about methods of which no
cell is finished come later. Only the page and the records that it links to can be read, of
whatever folders.

  bench report results/quick --serve --listen 127.0.0.1:8080`,
	}, &reportOptions{})
}

type reportOptions struct {
	flags       *pflag.FlagSet
	out, listen string
	serve       bool
}

func (o *reportOptions) AddFlags(flags *pflag.FlagSet) {
	o.flags = flags
	flags.StringVarP(&o.out, "out", "o", "", "file to write, - for standard output; default: DIR/report.html")
	flags.BoolVar(&o.serve, "serve", false, "serve the page, and make it again while the experiments run")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:0", "with --serve: address and port on this machine; port 0: any that is free")
}

func (o *reportOptions) run(ctx context.Context, s streams, args []string) error {
	switch {
	case o.serve && o.out != "":
		return usagef("--serve writes no file: leave out --out")
	case o.flags.Changed("listen") && !o.serve:
		return usagef("--listen is the address of --serve, which is missing")
	case o.serve:
		return serveReport(ctx, s, args, o.listen)
	case len(args) > 1 && o.out == "":
		return usagef("bench report of %d folders: name the file by --out", len(args))
	}
	path := cmp.Or(o.out, filepath.Join(args[0], "report.html"))
	folder := filepath.Dir(path)
	if path == standardOut {
		folder = "."
	}
	text, err := pages.Make(ctx, args, page.Options{Folder: folder})
	if err != nil {
		return err
	}
	if path == standardOut {
		_, err := s.out.Write(text)
		return err
	}
	if err := atomicfile.Put(path, text); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, path)
	return err
}

// serveReport serves the page of the folders until it is interrupted.
func serveReport(ctx context.Context, s streams, dirs []string, listen string) error {
	if err := loopback(listen, true); err != nil {
		return err
	}
	if host, _, _ := net.SplitHostPort(listen); !localhttp.IsLoopback(host) {
		return usagef("--listen %s: other machines can reach that; take 127.0.0.1, and reach it from elsewhere with ssh -L", listen)
	}
	site, err := pages.NewSite(dirs)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return usagef("--listen %s: %w", listen, err)
	}
	fmt.Fprintf(s.err, "the report of %s: http://%s (Ctrl-C ends it)\n", strings.Join(dirs, ", "), listener.Addr())
	go site.Watch(ctx)
	err = serveUntil(ctx, site.Server(), listener, time.Second)
	if stopCode(ctx).Load() == 0 && errors.Is(err, context.Canceled) {
		return nil // an interrupt is how it ends
	}
	return err
}
