// Command site writes the documents of this repository as static pages, which are read without a
// server, without a network and without JavaScript:
//
//	go run ./docs/site OUT
//
// Pages come from two places. Those in Markdown are rendered as they are (markdown.go). Those on
// methods, environments, specs, commands and packages are made from the program's own lists, from
// doc comments and from the results that are committed (methods.go and the files beside it), so
// that they cannot go stale.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] == "" || os.Args[1][0] == '-' {
		fmt.Fprintln(os.Stderr, "usage, in the repository's folder: go run ./docs/site OUT")
		os.Exit(64)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := newSite(ctx, ".")
	if err == nil {
		err = s.write(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s: open %s/index.html\n", len(s.pages), os.Args[1], os.Args[1])
}
