// Package cells knows the folder that holds the cells of all experiments.
//
// A finished cell is a folder under its ID. Beside these are folders of cells that are being
// written, files with the progress of an unfinished cell (a Point), and files that explain why one
// failed (a Failure). Several processes may work in one folder: a finished file or folder appears
// under its name in one move.
package cells
