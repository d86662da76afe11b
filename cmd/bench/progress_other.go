//go:build !unix && !windows

package main

import "os"

// enableSequences knows of no control sequences here.
func enableSequences(*os.File) (restore func(), ok bool) { return nil, false }

func deviceSize(*os.File) (width, height int) { return 0, 0 }
