// The page's behaviour: charts, tabs, the choice of a point, a table that sorts and is searched.
// Without it the page still shows all text and tables. Data stand in #data (plot/page.py).
"use strict";

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const options = {
    renderer: "svg",
    actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
  };
  document.documentElement.classList.add("js");

  // ---- Charts: each element with data-chart shows the specification of that name.

  function showCharts() {
    const boxes = [...document.querySelectorAll("[data-chart]")];
    return Promise.all(
      boxes.map((box) =>
        vegaEmbed(box, data.charts[box.dataset.chart], options).then((result) => {
          box.querySelector("svg").setAttribute("role", "img");
          return [box.dataset.chart, result.view];
        })
      )
    ).then((pairs) => new Map(pairs));
  }

  // ---- Tabs, by mouse and by arrow keys.

  function select(tab) {
    for (const other of tab.parentElement.children) {
      const isIt = other === tab;
      other.setAttribute("aria-selected", String(isIt));
      other.tabIndex = isIt ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).classList.toggle("shown", isIt);
    }
  }

  for (const tabs of document.querySelectorAll(".tabs")) {
    const all = [...tabs.children];
    select(all[0]);
    all.forEach((tab, i) => {
      tab.addEventListener("click", () => select(tab));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = all[(i + step + all.length) % all.length];
        select(next);
        next.focus();
      });
    });
  }

  // ---- Samples of a point: the same three tables as rows_of() in plot/samples.py.

  function pretty(seconds) {
    const [scale, prefix] = [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]].find(
      ([s]) => seconds >= s) || [1e-12, "p"];
    return `${Number((seconds / scale).toPrecision(4))} ${prefix}s`;
  }

  function tablesOf(kept) {
    const columns = kept.columns.map(([number, begins], i) => ({
      from: i, to: i + 1, middle: i + 0.5, ground: i % 2 === 0 ? "#f5f5f5" : "#ffffff",
      name: `round ${number}`, begins,
    }));
    const of = kept.columns.flatMap(([, , count], i) => Array(count).fill(i));
    const samples = of.map((column, i) => ({
      x: kept.x[i],
      y: kept.y[i],
      color: data.roundColors[column % data.roundColors.length],
      round: kept.columns[column][0],
      start: `${kept.start[i]} s after the first`,
      "time per run": pretty(kept.y[i]),
      "core clock": kept.clock[i] ? `${kept.clock[i]} GHz` : "not probed",
      "other load": kept.load[i] >= 0 ? `${kept.load[i]} cores` : "not known",
    }));
    const { median, low, high } = kept;
    return { samples, columns, middle: [{ from: 0, to: columns.length, median, low, high }] };
  }

  const choice = document.getElementById("point");

  function showPoint(view, id) {
    const kept = data.samples[id];
    if (!kept || !view) return;
    for (const [name, rows] of Object.entries(tablesOf(kept))) view.data(name, rows);
    view.signal("ticks", kept.ticks).runAsync();
    choice.value = id;
    document.getElementById("samples-note").textContent = kept.note;
  }

  // ---- The table of points.

  function valueOf(row, column) {
    const cell = row.cells[column];
    return "v" in cell.dataset ? parseFloat(cell.dataset.v) : cell.textContent.trim();
  }

  function compare(a, b) {
    return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  }

  function sortBy(heading) {
    const body = heading.closest("table").tBodies[0];
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const rows = [...body.rows].map((row) => [valueOf(row, heading.cellIndex), row]);
    const isMissing = ([value]) => typeof value === "number" && isNaN(value);
    rows.sort((a, b) => {
      if (isMissing(a) || isMissing(b)) return isMissing(a) - isMissing(b); // unknown ones last
      return ascending ? compare(a[0], b[0]) : compare(b[0], a[0]);
    });
    body.append(...rows.map(([, row]) => row));
  }

  for (const button of document.querySelectorAll(".points th button"))
    button.addEventListener("click", () => sortBy(button.closest("th")));

  const search = document.getElementById("search");
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...document.querySelector(".points").tBodies[0].rows];
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const shown = rows.filter((row) => !row.hidden).length;
    document.getElementById("found").textContent = `${shown} of ${rows.length} points`;
  });

  // ---- Begin.

  showCharts().then((views) => {
    const view = views.get("samples");
    if (choice) choice.addEventListener("change", () => showPoint(view, choice.value));
    for (const link of document.querySelectorAll("a[data-point]"))
      link.addEventListener("click", () => showPoint(view, link.dataset.point));
    document.documentElement.dataset.charts = String(views.size); // the tests wait for it
  });
  window.addEventListener("beforeprint", () => {
    for (const closed of document.querySelectorAll("details:not([open])"))
      if (!closed.closest(".vega-embed")) closed.open = true;
  });
})();
