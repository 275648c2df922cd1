"use strict";
(() => {
  const STEP = 25, LONG = 200;
  const list = document.getElementById("list");
  if (!list) return;
  const search = document.getElementById("search");
  const status = document.getElementById("status");
  const further = document.getElementById("further");
  const own = JSON.parse(document.getElementById("values").textContent);
  const bodies = [...list.tBodies];
  const place = new Map(bodies.map((body, i) => [body, i]));
  const text = [];
  let order = bodies, limit = STEP;

  // All that can be searched in a row, put together when it is first asked for.
  const words = (body) => {
    const i = place.get(body);
    text[i] ??= `${body.rows[0].textContent} ${own.rows[i].join(" ")}`.toLowerCase();
    return text[i];
  };

  const show = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = order.filter((body) => wanted.every((word) => words(body).includes(word)));
    const shown = new Set(found.slice(0, limit));
    for (const body of bodies) body.hidden = !shown.has(body);
    further.hidden = found.length <= limit;
    status.textContent = `${shown.size} of ${found.length} rows`;
  };

  const value = (body, key, numeric) => {
    const cell = body.querySelector(`[data-key="${key}"]`);
    return numeric ? Number(cell.dataset.value) : cell.dataset.value;
  };

  const sort = (head, key) => {
    const numeric = bodies.every((body) => Number.isFinite(Number(value(body, key) || NaN)));
    const up = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const compare = numeric
      ? (a, b) => a - b
      : new Intl.Collator(undefined, { numeric: true }).compare;
    order = bodies.toSorted(
      (a, b) => up * compare(value(a, key, numeric), value(b, key, numeric)),
    );
    for (const other of list.tHead.querySelectorAll("[aria-sort]"))
      other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", up > 0 ? "ascending" : "descending");
    list.append(...order);
    show();
  };

  const pair = (name, shown) => {
    const box = document.createElement("div");
    const term = document.createElement("dt"), holds = document.createElement("dd");
    const isolated = document.createElement("bdi");
    term.append(isolated);
    isolated.textContent = name.length > LONG ? `${name.slice(0, LONG)}…` : name;
    isolated.title = name;
    const full = document.createElement("bdi");
    full.textContent = shown;
    if (shown.length > LONG) {
      const fold = document.createElement("details"), head = document.createElement("summary");
      head.textContent = `${shown.slice(0, 80)}…`;
      fold.append(head, full);
      holds.append(fold);
    } else holds.append(full);
    box.append(term, holds);
    return box;
  };

  const toggle = (button) => {
    const body = button.closest("tbody");
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) return body.rows[1].remove();
    const cell = body.insertRow().insertCell(), values = document.createElement("dl");
    cell.colSpan = body.rows[0].cells.length;
    values.className = "values";
    own.rows[place.get(body)].forEach((shown, j) => values.append(pair(own.columns[j], shown ?? "–")));
    cell.append(values);
  };

  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.key) sort(button.closest("th"), button.dataset.key);
    else toggle(button);
  });
  search.addEventListener("input", () => { limit = STEP; show(); });
  further.addEventListener("click", () => { limit += 4 * STEP; show(); });
  show();
})();
