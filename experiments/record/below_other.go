//go:build !unix

package record

// No file of a folder is a pipe there.
const unwaiting = 0
