//go:build !unix && !windows

package terminal

import "os"

// EnableSequences knows of no control sequences here.
func EnableSequences(*os.File) (restore func(), ok bool) { return nil, false }

func deviceSize(*os.File) (width, height int) { return 0, 0 }
