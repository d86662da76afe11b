// Package parity holds tests alone: they run the functions of training frameworks, as those
// are installed, on random ragged batches, and hold the methods' advantages, losses and
// gradients against what they give. docs/parity.md has what was found.
package parity
