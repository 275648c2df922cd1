"use strict";
(() => {
  const STEP = 25, LONG = 200;
  const list = document.getElementById("list");
  if (!list) return;
  const search = document.getElementById("search");
  const status = document.getElementById("status");
  const further = document.getElementById("further");
  const first = document.getElementById("first");
  const expected = document.getElementById("expected");
  const filter = document.getElementById("filter");
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

  // What is asked for: words, "whole phrases", column:value, column:>5, column:2..5, -not this.
  const named = new Map(own.columns.map((name, j) => [name.toLowerCase(), j]));
  const asked = (query) => [...query.toLowerCase().matchAll(/(-?)(?:("[^"]+"|[^\s":]+):)?("[^"]*"|\S+)/gu)]
    .map(([, not, field, word]) => {
      const name = field?.replaceAll('"', "");
      const known = named.has(name) || ["given", "suggested", "row", "id"].includes(name);
      const plain = (known || !name ? word : `${name}:${word}`).replaceAll('"', "");
      return { not: not === "-", field: known ? name : null, word: plain };
    })
    .filter(({ word }) => word);
  const number = (text) => (text.trim() === "" ? NaN : Number(text));

  // Words are found from their beginning on, numbers whole: 12 is not in 120 or 12.5.
  const holds = (text, word) => {
    const whole = Number.isNaN(number(word)) ? "" : "(?![\\p{L}\\p{N}]|[.,]\\p{N})";
    const safe = word.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&");
    return new RegExp(`(?<![\\p{L}\\p{N}]|\\p{N}[.,])${safe}${whole}`, "u").test(text);
  };
  const cellOf = (body, name) => {
    const cell = body.querySelector(`[data-key="${CSS.escape(name)}"]`);
    return named.has(name) ? own.rows[place.get(body)][named.get(name)] ?? "" : cell?.dataset.value ?? "";
  };
  const matches = (text, word) => {
    const [, sign, rest] = word.match(/^(<=|>=|<|>|=)?(.*)$/s), x = number(text), y = number(rest);
    if (sign && sign !== "=")
      return { "<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y }[sign];
    const [low, high] = rest.split("..").map(number);
    if (high !== undefined && !Number.isNaN(low) && !Number.isNaN(high)) return low <= x && x <= high;
    if (!Number.isNaN(y)) return x === y;
    return sign ? text.toLowerCase() === rest : holds(text.toLowerCase(), rest);
  };
  const fits = (body, { not, field, word }) =>
    not !== (field ? matches(cellOf(body, field), word) : holds(words(body), word));

  // Suspects that were taken for one class and look like another, by a cell of the noise matrix.
  let pair = null;
  const classOf = (body, key) => body.querySelector(`[data-key="${key}"]`).dataset.class;
  const ofPair = (body) =>
    !pair || (classOf(body, "given") === pair.given && classOf(body, "suggested") === pair.true);

  const show = () => {
    const wanted = asked(search.value), count = Number(first.value);
    const found = order.filter((body) =>
      place.get(body) < count && ofPair(body) && wanted.every((one) => fits(body, one)));
    const shown = new Set(found.slice(0, limit));
    for (const body of bodies) {
      body.hidden = !shown.has(body);
      if (!body.hidden) picture(body);
    }
    further.hidden = found.length <= limit;
    status.textContent = `${shown.size} of ${found.length} rows`;
  };

  // How many wrong labels the first ones hold: the sum of their scores.
  const scores = bodies.map((body) => Number(body.querySelector('[data-key="score"]').dataset.value));
  const expect = () => {
    const count = Number(first.value);
    const wrong = scores.slice(0, count).reduce((sum, one) => sum + one, 0);
    expected.textContent = `${count}: about ${Math.round(wrong)} wrong labels found, of about ${first.dataset.wrong} in the table`;
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

  const SVG = document.querySelector("svg").namespaceURI;
  const draw = (kind, attributes, said) => {
    const made = document.createElementNS(SVG, kind);
    for (const [name, one] of Object.entries(attributes)) made.setAttribute(name, one);
    if (said !== undefined) made.textContent = said;
    return made;
  };
  const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  // Which columns speak for the suggested label (right), and which for the given one (left).
  const picture = (body) => {
    const i = place.get(body), evidence = own.evidence[i];
    const cell = body.querySelector('[data-name="Why"]');
    if (!evidence || cell.querySelector("svg")) return;
    const lines = evidence.columns.map(([name, part]) => {
      const held = own.rows[i][own.columns.indexOf(name)];
      return [`${short(name, 20)} = ${short(held ?? "–", 10)}`, part];
    });
    lines.push(["all else", evidence.rest]);
    const most = Math.max(...lines.map(([, part]) => Math.abs(part)), 1e-9);
    const given = own.classes[classOf(body, "given")], other = own.classes[classOf(body, "suggested")];
    const odds = Math.exp(Math.abs(evidence.total)), side = evidence.total < 0 ? given : other;
    const many = odds > 1000 ? "over 1000" : odds < 10 ? odds.toFixed(1) : Math.round(odds);
    const total = `together ${many} to 1 for ${side}`;
    const height = 18 * (lines.length + 2);
    const svg = draw("svg", { class: "why", viewBox: `0 0 340 ${height}`, role: "img",
      "aria-label": `${lines.map(([name, part]) => `${name}: ${part.toFixed(2)}`).join("; ")}; ${total}` });
    svg.append(draw("text", { x: 254, y: 12, "text-anchor": "end" }, `${given} ◂`),
      draw("text", { x: 270, y: 12 }, `▸ ${other}`));
    lines.forEach(([name, part], k) => {
      const y = 18 * (k + 1), width = Math.max(74 * Math.abs(part) / most, 0.5);
      svg.append(
        draw("text", { x: 186, y: y + 13, "text-anchor": "end", class: "name" }, name),
        draw("rect", { x: part < 0 ? 262 - width : 262, y: y + 3, width, height: 12, rx: 2,
          class: part < 0 ? "against" : "for" }));
    });
    svg.append(draw("line", { class: "axis", x1: 262, x2: 262, y1: 18, y2: height - 18 }),
      draw("text", { x: 338, y: height - 4, "text-anchor": "end" }, total));
    cell.append(svg);
  };

  const box = (name, shown, beside) => {
    const made = document.createElement("div");
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
    made.append(term, holds);
    if (beside !== undefined) {
      const near = document.createElement("dd"), inside = document.createElement("bdi");
      inside.textContent = short(beside ?? "–", 80);
      near.className = beside === shown ? "near same" : "near";
      near.append(inside);
      made.append(near);
    }
    return made;
  };

  const toggle = (button) => {
    const body = button.closest("tbody");
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) return body.rows[1].remove();
    const cell = body.insertRow().insertCell(), values = document.createElement("dl");
    cell.colSpan = body.rows[0].cells.length;
    values.className = "values";
    const i = place.get(body), near = own.near[i];
    own.rows[i].forEach((shown, j) => values.append(box(own.columns[j], shown ?? "–", near?.values[j])));
    if (near) {
      const told = document.createElement("p");
      told.className = "muted";
      told.textContent = `Below each value that of row ${near.row}: the nearest one that is labelled ${short(value(body, "suggested"), 40)} and no suspect.`;
      cell.append(told);
    }
    cell.append(values);
  };

  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.key) sort(button.closest("th"), button.dataset.key);
    else toggle(button);
  });
  document.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-true]");
    if (!cell || cell.dataset.true === cell.dataset.given) return;
    const again = pair && pair.true === cell.dataset.true && pair.given === cell.dataset.given;
    choose(again ? null : { true: cell.dataset.true, given: cell.dataset.given }, cell);
  });
  const choose = (chosen, cell) => {
    pair = chosen;
    for (const one of document.querySelectorAll("[data-true].chosen")) one.classList.remove("chosen");
    cell?.classList.toggle("chosen", chosen !== null);
    filter.hidden = chosen === null;
    if (chosen) {
      filter.textContent = `truly ${own.classes[chosen.true]}, labelled as ${own.classes[chosen.given]} ✕`;
      document.getElementById("suspects").scrollIntoView();
    }
    limit = STEP;
    show();
  };
  filter.addEventListener("click", () => choose(null));
  first.addEventListener("input", () => { limit = STEP; expect(); show(); });
  search.addEventListener("input", () => { limit = STEP; show(); });
  further.addEventListener("click", () => { limit += 4 * STEP; show(); });
  expect();
  show();
})();
