// What the table of a league does: a click on a heading sorts by its column.

function sortBy(table, place) {
  const heads = [...table.tHead.rows[0].cells];
  const up = heads[place].getAttribute("aria-sort") !== "ascending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[place].setAttribute("aria-sort", up ? "ascending" : "descending");
  const value = (row) => {
    const { sort } = row.cells[place].dataset;
    return sort === "" ? Infinity : Number(sort); // who has no number comes last
  };
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === y) return 0;
    if (x === Infinity || y === Infinity) return x === Infinity ? 1 : -1;
    return up ? x - y : y - x;
  });
  table.tBodies[0].append(...rows);
}

addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.heat")) {
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      head.querySelector(".sort")?.addEventListener("click", () => sortBy(table, place));
    });
  }
});
