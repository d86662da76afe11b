// Every experiment, or the board, has its data beside it. Figures are filled when they come near.
try {
  for (const holder of all(document, "script.data")) {
    const data = JSON.parse(holder.textContent), section = holder.parentElement, scope = newScope(holder.dataset.scope, data);
    const first = section.querySelector(".legend-place");
    if (first && data.charts.some((c) => c.kind !== "rows" || c.rows.some((r) => r.method >= 0))) first.append(legend(scope));
    for (const chart of data.charts) {
      const figure = document.getElementById(chart.id);
      if (figure) makeChart(figure, chart, scope);
    }
    for (const table of all(section, "table.sortable")) tableControls(table, scope);
  }
} catch (e) {
  for (const part of all(document, ".live, .legend")) part.remove();
  for (const f of all(document, "figure.works")) f.classList.remove("works"); // the drawn figures are there again
  reportError(e);
}
