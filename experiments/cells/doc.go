// Package cells knows the folder that holds the cells of all experiments.
//
// A finished cell is a folder under its ID. Beside these stand folders of cells that are
// being written, files that say where an unfinished cell stands (a Point), and files that
// say why one failed (a Failure). Several processes may work in one folder: what is whole
// appears under its name in one move.
package cells
