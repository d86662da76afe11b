package problem

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "modebench/envs/countdown"
)

// TestModesKeepTheirLook: a mode has one look in all panels, whatever its place there.
func TestModesKeepTheirLook(t *testing.T) {
	group := func(name string, correct bool, answers int) *routeGroup {
		return &routeGroup{name: name, modes: 1, correct: correct, answers: answers, reward: []float64{1}, routes: []*mazeRoute{{times: answers}}}
	}
	pools := []*mazePool{
		{groups: []*routeGroup{group("a", true, 5), group("b", true, 1), group("w", false, 9)}},
		{groups: []*routeGroup{group("b", true, 7), group("c", true, 1), group("x", false, 1)}},
	}
	modes := sharedModes(pools)
	var rows []string
	for _, row := range modes {
		rows = append(rows, fmt.Sprintf("%s %d", row.name, row.answers))
	}
	if got := strings.Join(rows, ", "); got != "b 8, a 5, c 1, 2 incorrect modes 10" {
		t.Errorf("rows %s", got)
	}
	for i, m := range pools {
		for _, g := range m.groups {
			row := modes[slices.IndexFunc(modes, func(row *routeGroup) bool { return row.name == g.name })]
			if g.look.Color != row.look.Color || len(g.look.Dashes) != len(row.look.Dashes) {
				t.Errorf("panel %d draws %s in %v, the table says %v", i, g.name, g.look.Color, row.look.Color)
			}
		}
	}
	if pools[0].groups[1].answers != 5 || pools[1].groups[0].answers != 7 || pools[1].groups[2].answers != 1 {
		t.Errorf("the answers of groups: %+v, %+v", pools[0].groups[1], pools[1].groups[0])
	}
}
