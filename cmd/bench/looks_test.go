package main

import (
	"testing"

	"modebench/estimators"
	"modebench/estimators/plugin"
	kit "modebench/plots/draw"
	"modebench/plots/sheets"
)

// TestEveryMethodHasALook: every method of the registry is in the list of looks. Other methods have a
// shade of the hue that is left for methods of one's own.
func TestEveryMethodHasALook(t *testing.T) {
	for _, m := range estimators.Methods() {
		for i := range 3 {
			if m.Name != plugin.Name && sheets.Look(m.Name).Color == kit.Tinted(kit.Violet, i) {
				t.Errorf("%s has no look: add it to methodFamilies in plots/sheets/looks.go", m.Name)
			}
		}
	}
}
