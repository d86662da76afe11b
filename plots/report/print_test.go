package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/record"
)

// measureJS posts what of a page would not fit on paper: tables that reach beyond its right
// edge, heads of columns that run into each other, labels of effects that nobody could read, and
// drawings that are larger than they were drawn, or higher than most of a page.
const measureJS = `addEventListener("load", () => {
  const seen = { Tables: 0, Drawings: 0, Heads: 0, Problems: [] };
  for (const table of document.querySelectorAll("table")) {
    seen.Tables++;
    const over = table.getBoundingClientRect().right - document.documentElement.clientWidth;
    if (over > 0.5) seen.Problems.push("the table " + table.textContent.trim().slice(0, 30) + " is cut by " + Math.round(over) + " pixels");
  }
  const words = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return [...range.getClientRects()].filter((box) => box.width > 0);
  };
  for (const head of document.querySelectorAll(".sortable thead th + th")) {
    seen.Heads++;
    const before = words(head.previousElementSibling);
    for (const box of words(head)) {
      if (before.some((b) => b.right > box.left - 6 && b.top < box.bottom && b.bottom > box.top)) {
        seen.Problems.push("the head " + head.textContent + " begins within 6 pixels of the one before it");
        break;
      }
    }
  }
  for (const svg of document.querySelectorAll(".plot > svg")) {
    seen.Drawings++;
    const box = svg.getBoundingClientRect(), natural = parseFloat(getComputedStyle(svg).getPropertyValue("--natural")) * 4 / 3;
    if (box.width > natural + 1 || box.height > 800) seen.Problems.push("a drawing is " + Math.round(box.width) + " by " + Math.round(box.height) + " pixels, drawn for " + natural);
  }
  for (const text of document.querySelectorAll(".forest text")) {
    const box = text.getBoundingClientRect();
    if (box.width && box.height < 8) seen.Problems.push("a label of an axis is " + box.height + " pixels high");
  }
  parent.postMessage(JSON.stringify(seen), "*");
});`

// TestPrint: on A4 with its margins, 688 pixels wide, no table is cut off, no head runs into
// the next and no drawing is blown up. The rules for print are put in force on the screen, where they can be measured.
func TestPrint(t *testing.T) {
	e := demo(t)
	e.Run.Columns[0], e.Run.Columns[1] = "correct_modes_alive", "front_coverage@4" // wider than their numbers
	manySettings(t, e.Run)
	page := strings.ReplaceAll(written(t, e), "@media print", "@media all")
	var seen struct {
		Tables, Drawings, Heads int
		Problems                []string
	}
	inBrowser(t, page, measureJS, "688", &seen)
	for _, p := range seen.Problems {
		t.Error(p)
	}
	if seen.Tables < 10 || seen.Drawings < 8 || seen.Heads < 3 {
		t.Errorf("%d tables, %d drawings and %d heads were measured, want those of the demo", seen.Tables, seen.Drawings, seen.Heads)
	}
}

// manySettings gives every variant a dozen fields with values of its own.
func manySettings(t *testing.T, run *record.Run) {
	t.Helper()
	for i, v := range run.Variants {
		cell, err := run.Cell(v.Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		for j := range 12 {
			cell.Train[fmt.Sprintf("setting_of_some_length_%d", j)] = 0.000125 * float64(i+1)
		}
		text, err := json.Marshal(cell)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(run.Folder(v.Cells[0]), record.CellFile), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
