"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const PAGE = 50, AHEAD = 3, FEW = 9, POLL = 4000;
  const THIN = "\u202f";

  // All text goes in as text: nothing of a table is ever read as HTML.
  const h = (tag, props = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(props))
      if (name === "on") made.addEventListener("click", value);
      else if (name === "class") made.className = value;
      else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
    made.append(...children.filter((one) => one !== null && one !== undefined));
    return made;
  };
  const bdi = (text) => h("bdi", {}, text ?? "");
  const percent = (share, places = 1) => {
    const value = 100 * share;
    if (value > 99.95 && share < 1) return `>${THIN}99.9${THIN}%`;
    return `${value.toFixed(value >= 10 && places === 1 && value % 1 === 0 ? 0 : places)}${THIN}%`;
  };
  const whole = (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, THIN);
  const rows = (number) => (number === 1 ? "1 row" : `${whole(number)} rows`);

  let about, state, current, size = 0, ahead = [], seenAll = 0, conflict = null;
  let list = { filters: {}, start: 0 }, bulk = null;

  // Asking the server

  class Refused extends Error {
    constructor(status, told) { super(told.error ?? "The server has refused that."); this.status = status; this.told = told; }
  }
  const answer = async (reply) => {
    const told = await reply.json().catch(() => ({}));
    if (!reply.ok) throw new Refused(reply.status, told);
    return told;
  };
  const ask = (what, words = {}) =>
    fetch(`/api/${what}?${new URLSearchParams(words)}`).then(answer);
  const tell = (what, words = {}) =>
    fetch(`/api/${what}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ who: $("who").value.trim(), ...words }),
    }).then(answer);

  // One thing after the other: keys pressed in a burst each find the row that they are meant for.
  let work = Promise.resolve();
  const then = (task) => (work = work.then(task).catch(complain));
  const complain = (error) => {
    const lost = error instanceof TypeError;
    notice(lost ? "The server does not answer: nothing was decided. Start nacre review again, all that was acknowledged is kept." : error.message);
  };

  const notice = (text, ...buttons) => {
    $("notice").hidden = !text;
    $("notice").replaceChildren(...(text ? [h("div", {}, text), ...buttons] : []));
  };
  let fading;
  const toast = (...parts) => {
    $("toast").replaceChildren(...parts);
    $("toast").classList.add("on");
    clearTimeout(fading);
    fading = setTimeout(() => $("toast").classList.remove("on"), 2600);
  };

  // The row

  const show = (row) => {
    current = row;
    conflict = null;
    notice("");
    const might = row.wrong >= 0.5;
    const meta = h("p", { class: "meta" },
      h("span", { class: `badge${row.random ? " random" : ""}` }, row.random ? "drawn at random" : "suspect"),
      h("span", {}, "row ", h("b", {}, whole(row.row))),
      row.id !== null ? h("span", {}, bdi(about.id), " ", h("b", {}, bdi(row.id))) : null,
      h("span", {}, `${whole(row.slot + 1)} of ${whole(size)} in the queue`));
    const labels = h("div", { class: "labels" },
      h("div", { class: "tag was" }, h("small", {}, "given"), bdi(row.given)),
      h("span", { class: "arrow", "aria-hidden": "true" }, "→"),
      h("div", { class: "tag might" }, h("small", {}, might ? "suggested" : "if not, then"), bdi(row.suggested)),
      h("div", { class: `odds${might ? "" : " low"}` }, h("p", { class: "figure" }, percent(row.wrong)), h("small", {}, "likely wrong")));
    const facing = h("div", { class: "facing" },
      h("div", {}, h("h3", {}, "Classes"), classes(row)),
      h("div", {}, h("h3", {}, "Why"), h("ul", { class: "why" }, ...row.reasons.map((why) => h("li", {}, bdi(why))))));
    const title = h("h2", { id: "case-title", class: "quiet" }, `Row ${row.row}`);
    $("case").replaceChildren(...[title, meta, labels, facing, stands(row.decision)].filter(Boolean));
    $("keep-label").textContent = row.given;
    $("take-label").textContent = row.suggested;
    for (const id of ["acts", "beside", "whole"]) $(id).hidden = false;
    compare(row);
    rest(row);
    $("spoken").textContent = `Row ${row.row}, given ${row.given}, suggested ${row.suggested}, ${percent(row.wrong)} likely wrong.`;
    document.body.dataset.row = row.row;
  };

  const classes = (row) => {
    const shown = row.chances.length > 12 ? row.chances.slice(0, 12) : row.chances;
    return h("ol", { class: "classes" }, ...shown.map(([name, chance]) => {
      const place = about.classes.indexOf(name);
      const bar = h("span");
      bar.style.width = `${100 * chance}%`;
      const kind = name === row.given ? "was" : name === row.suggested ? "might" : "";
      return h("li", {}, h("button", { type: "button", class: kind, on: () => then(() => choose(name)), "aria-label": `Label it ${name}, ${percent(chance)}` },
        place < FEW ? h("kbd", {}, String(place + 1)) : h("span"), bdi(name),
        h("span", { class: "chance" }, bar), h("span", { class: "num" }, percent(chance))));
    }), row.chances.length > shown.length ? h("li", {}, others(row)) : null);
  };
  const others = (row) => {
    const select = h("select", { "aria-label": "Another class" }, h("option", { value: "" }, "another class …"),
      ...about.classes.map((name) => h("option", { value: name }, name)));
    select.addEventListener("change", () => select.value && then(() => choose(select.value)));
    return select;
  };

  const said = (one) =>
    ({ keep: "kept as", change: "changed to", unsure: "unsure", exclude: "excluded", open: "open again" })[one.verdict];
  const stands = (one) => {
    if (!one || one.verdict === "open") return null;
    const when = new Date(one.at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    return h("p", { class: "stands" }, "Decided: ", h("b", {}, said(one), " ", bdi(one.label)), " · ", bdi(one.who), ` · ${when}`);
  };

  const compare = (row) => {
    const near = [...row.near.given, ...row.near.suggested], own = row.near.given.length;
    const name = (one) => bdi(one.id ?? whole(one.row));
    const head = h("thead", {},
      h("tr", {}, h("td"), h("td", { class: "own" }),
        row.near.given.length ? h("th", { class: "group was", colspan: row.near.given.length, scope: "colgroup" }, "nearest ", bdi(row.given)) : null,
        row.near.suggested.length ? h("th", { class: "group might", colspan: row.near.suggested.length, scope: "colgroup" }, "nearest ", bdi(row.suggested)) : null, h("td")),
      h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Column")), h("th", { scope: "col", class: "own" }, "this row"),
        ...near.map((one, k) => h("th", { scope: "col", class: k < own ? "was" : "might" }, name(one))), h("th", { scope: "col" }, h("span", { class: "hidden" }, "How common"))));
    const lines = row.compared.map((one) => h("tr", { class: one.telling ? "telling" : "" },
      h("th", { scope: "row", title: one.name }, bdi(one.name)),
      ...one.values.map((value, k) => h("td", { class: k === 0 ? "own" : k <= own ? "was" : "might", title: value ?? "nothing" }, bdi(value ?? "–"))),
      h("td", { class: "shares" }, ...(one.telling ? [h("b", {}, percent(one.telling[0], 0)), " against ", percent(one.telling[1], 0)] : []))));
    $("compare").replaceChildren(head, h("tbody", {}, ...lines));
    $("beside").hidden = !row.compared.length;
    $("beside-note").replaceChildren("Its nearest rows of both classes, column by column. A dot marks values like this row's that are commoner in ", bdi(row.suggested), " than in ", bdi(row.given), "; how common, stands at the end.");
  };

  const rest = (row) => {
    const media = row.images.map((name) => h("div", {}, h("h3", {}, bdi(name)),
      h("img", { src: `/image?${new URLSearchParams({ row: row.row, column: name })}`, alt: `${name} of row ${row.row}` })));
    const texts = row.texts.map(([name, text]) => h("div", {}, h("h3", {}, bdi(name)),
      h("div", { class: "text", tabindex: "0", role: "group", "aria-label": name }, bdi(text))));
    $("media").replaceChildren(...media, ...texts);
    $("values").replaceChildren(...row.others.map(([name, value]) => h("div", {}, h("dt", {}, bdi(name)),
      h("dd", { class: value === null ? "none" : "" }, bdi(value ?? "–")))));
    $("every").hidden = !row.more;
    $("every").textContent = `Show ${whole(row.more)} more columns`;
    $("seen").hidden = !(media.length || texts.length);
    $("whole").hidden = !(row.others.length || row.more);
  };

  // Moving

  const fetchAt = async (at, open) => {
    const told = await ask("queue", { at, count: 1, ...(open ? { open: 1 } : {}) });
    size = told.size;
    return told.rows[0];
  };
  const go = async (at, open = false) => {
    if (at < 0 || (size && at >= size && !open)) return toast(at < 0 ? "This is the first row." : "This is the last row.");
    const row = await fetchAt(at, open);
    if (row) { show(row); prefetch(); scroll(0, 0); }
    else toast("Every row is decided.");
  };
  // Ask for the rows to come while the reviewer looks at this one.
  const prefetch = () => {
    ask("queue", { at: current.slot + 1, count: AHEAD, open: 1 })
      .then((told) => { ahead = told.rows; }).catch(() => { ahead = []; });
  };

  const decide = async (verdict, label = null) => {
    if (!current) return;
    const row = current, seen = conflict ? conflict.id : row.decision?.id ?? 0;
    let told;
    try {
      told = await tell("decide", { row: row.row, verdict, label, seen, slot: row.slot, listed: Boolean(row.chosen) });
    } catch (error) {
      if (error.status !== 409) throw error;
      return clash(error.told.decision, verdict, label);
    }
    const one = told.decision;
    toast("Row ", whole(one.row), ": ", said(one), " ", bdi(one.label));
    refresh();
    const [next] = told.next;
    if (next === undefined) { show({ ...row, decision: one }); return toast("Every row is decided."); }
    const ready = ahead.find((other) => other.slot === next && other.row !== row.row);
    ahead = ahead.filter((other) => other !== ready);
    if (ready) { show(ready); scroll(0, 0); if (ahead.length < 2) prefetch(); }
    else await go(next, true);
  };
  const clash = (one, verdict, label) => {
    conflict = one;
    notice(h("span", {}, bdi(one.who), " has decided this row meanwhile: ", h("b", {}, said(one), " ", bdi(one.label)), "."),
      h("button", { type: "button", class: "act", on: () => then(() => { conflict = null; return go(current.slot + 1, true); }) }, "Leave it so"),
      h("button", { type: "button", class: "act", on: () => then(() => decide(verdict, label)) }, "Decide all the same"));
  };
  const choose = (label) => decide(label === current.given ? "keep" : "change", label);
  const undo = async () => {
    const told = await tell("undo");
    if (!told.count) return toast("There is nothing to undo.");
    toast(`Taken back: ${told.count === 1 ? `row ${whole(told.decisions[0].row)}` : rows(told.count)}`);
    refresh();
    if (!$("list-view").hidden) return lines(true);
    const row = await ask("row", { row: told.decisions[0].row });
    ahead = [];
    show(row);
    prefetch();
  };

  // How far

  let due = null;
  const refresh = (wait = 200) => { clearTimeout(due); due = setTimeout(poll, wait); };
  const poll = async () => {
    clearTimeout(due);
    try { outlook(await ask("state", { since: seenAll })); } catch { /* said when it matters */ }
    due = setTimeout(poll, POLL);
  };
  const share = (count) => percent(count / state.rows);
  const between = (one) => `${share(one.low)} to ${share(one.high)}`;

  const outlook = (told) => {
    const before = state?.learning;
    state = told;
    others_(told.news);
    seenAll = told.revision;
    $("counts").replaceChildren(h("b", {}, whole(told.checked)), ` of ${rows(told.rows)} looked at, `, h("b", {}, whole(told.drawn)), " drawn at random, ", h("b", {}, whole(told.found)), " wrong");
    $("bar").style.width = `${Math.max(100 * told.checked / told.rows, told.checked ? 0.6 : 0)}%`;
    $("track").setAttribute("aria-valuenow", told.checked);
    $("track").setAttribute("aria-valuemax", told.rows);
    const figure = (kind, one, what) => h("div", {}, h("p", { class: `figure ${kind}` }, one.count === null ? "–" : share(one.count)),
      h("small", {}, what, h("br"), between(one)));
    $("pairs").replaceChildren(figure("were", told.wrong, "as they came"), figure("left", told.left, "not found yet"));
    $("told").textContent = told.drawn
      ? `${rows(told.checked)} looked at, ${whole(told.drawn)} of the random sample: ${between(told.wrong)} of the labels were wrong, at the 95 % level. Models expect ${share(told.expected)} more.`
      : "Rows drawn at random will tell how many labels are wrong: they come as you go.";
    draw(told);
    advise(told);
    $("share").value = [...$("share").options].find((one) => Number(one.value) === told.share)?.value ?? "0.2";
    learned(told.learning, before);
  };
  const others_ = (news) => {
    const mine = $("who").value.trim() || about.who;
    const strange = news.filter((one) => one.who !== mine);
    if (!strange.length) return;
    toast(bdi(strange.at(-1).who), ` has decided ${rows(new Set(strange.map((one) => one.row)).size)}`);
    ahead = ahead.filter((one) => !strange.some((other) => other.row === one.row));
  };
  const advise = (told) => {
    const { say, rows: more } = told.advice, goal = percent(told.goal, 1);
    $("advice").className = `advice ${say}`;
    $("advice").textContent = {
      stop: `You may stop: with 95 % confidence at most ${share(told.left.high)} of the labels are wrong now.`,
      random: `The estimate is below ${goal}. To be sure of it, look at about ${whole(more)} more rows drawn at random.`,
      "go on": `About ${whole(more)} more suspects to look at until ${goal} or less are left.`,
      begin: `Go on: after the first random rows there will be an estimate. The goal is ${goal} wrong labels left.`,
    }[say];
  };

  const draw = (told) => {
    const { curve } = told, W = 300, H = 130;
    const last = Math.max(curve.reached.at(-1), 1), top = Math.max(...curve.high.map((one) => one / told.rows), 0.01);
    const x = (reached) => W * Math.sqrt(reached / last), y = (count) => H * (1 - Math.min(count / told.rows / top, 1));
    const point = (reached, count) => `${x(reached).toFixed(1)},${y(count).toFixed(1)}`;
    const path = (values) => curve.reached.map((one, k) => (values[k] === null ? null : point(one, values[k]))).filter(Boolean).join(" ");
    const shape = (tag, props, text) => {
      const made = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(props)) made.setAttribute(name, value);
      if (text) made.textContent = text;
      return made;
    };
    const band = `${path(curve.low)} ${path(curve.high).split(" ").reverse().join(" ")}`;
    const goal = y(told.goal * told.rows), here = x(told.reached);
    const ticks = [0.01, 0.05, 0.25, 1].map((part) => Math.round(last * part)).filter((one, k, all) => one > 0 && all.indexOf(one) === k);
    $("curve").replaceChildren(
      shape("line", { class: "axis", x1: 0, x2: W, y1: H, y2: H }),
      shape("line", { class: "goal", x1: 0, x2: W, y1: goal, y2: goal }),
      shape("polygon", { class: "band", points: band }),
      shape("polyline", { class: "expected", points: path(curve.expected) }),
      shape("polyline", { class: "line", points: path(curve.count) }),
      shape("line", { class: "here", x1: here, x2: here, y1: 0, y2: H }),
      shape("text", { x: -4, y: 8, "text-anchor": "end" }, percent(top, top < 0.1 ? 1 : 0)),
      shape("text", { x: -4, y: H, "text-anchor": "end" }, "0"),
      ...ticks.map((one) => shape("text", { x: x(one), y: H + 15, "text-anchor": one === last ? "end" : "middle" }, whole(one))),
      shape("text", { x: Math.min(Math.max(here, 12), W - 12), y: H + 30, "text-anchor": "middle" }, "now"));
    $("curve").setAttribute("aria-label", `Wrong labels left against rows looked at: ${between(told.left)} now`);
  };

  const learned = (now, before) => {
    $("learn").disabled = now.running;
    if (now.running) $("learned").textContent = "Learning …";
    else if (now.error) $("learned").textContent = now.error;
    else if (now.changes) {
      const { learned: count, moved, suggestions, rate } = now.changes;
      $("learned").textContent = `Learned from ${whole(count)} decisions: ${whole(moved)} of the next 100 rows are new, ${whole(suggestions)} suggestions have changed, models now see ${percent(rate)} wrong labels left.`;
      if (before && before.judgement !== now.judgement) { ahead = []; if (current) prefetch(); toast("The queue has a new order."); }
    }
    if (now.running) refresh(500);
  };

  // The list

  const filters = () => Object.fromEntries([...new FormData($("filters"))].filter(([, value]) => value));
  const lines = async (fresh) => {
    if (fresh) list = { filters: filters(), start: 0 };
    const told = await ask("list", { ...list.filters, start: list.start, count: PAGE });
    const made = told.rows.map((one) => {
      const meter = h("span");
      meter.style.width = `${100 * one.wrong}%`;
      return h("tr", { "data-row": one.row },
        h("td", {}, bdi(one.id ?? whole(one.row))),
        h("td", { class: "score" }, h("span", { class: "meter", "aria-hidden": "true" }, meter), percent(one.wrong)),
        h("td", { class: "given" }, bdi(one.given)), h("td", { class: "suggested" }, bdi(one.suggested)),
        h("td", {}, one.verdict && one.verdict !== "open" ? h("span", {}, said(one), " ", bdi(one.label), h("small", {}, " ", bdi(one.who))) : h("span", { class: "muted" }, "open")),
        h("td", {}, h("button", { type: "button", class: "open", "aria-label": `Look at row ${one.row}`, on: () => then(() => look(one.row)) }, "look")));
    });
    const body = $("lines").tBodies[0];
    if (fresh) body.replaceChildren(...made); else body.append(...made);
    list.start += told.rows.length;
    $("found").textContent = `${whole(list.start)} of ${rows(told.total)}`;
    $("further").hidden = list.start >= told.total;
  };
  const look = async (row) => {
    const found = await ask("row", { row });
    see(false);
    show({ ...found, chosen: true });
    prefetch();
  };
  const see = (wanted) => {
    $("list-view").hidden = !wanted;
    $("row-view").hidden = wanted;
    $("see-list").setAttribute("aria-pressed", String(wanted));
    $("see-row").setAttribute("aria-pressed", String(!wanted));
    if (wanted) then(() => lines(true));
  };

  const preview = async () => {
    const form = new FormData($("bulk"));
    const least = Number(form.get("percent")) / 100, first = Math.max(Math.trunc(Number(form.get("first"))), 1);
    bulk = { ...filters(), least, first, verdict: form.get("verdict") };
    planned((await tell("bulk", bulk)).preview);
  };
  const planned = (told, changed = false) => {
    $("preview").hidden = false;
    if (!told.count) return $("preview").replaceChildren("No row of this list is so likely wrong.", " ", h("button", { type: "button", class: "act", on: drop }, "Close"));
    const kinds = told.kinds.map((one) => h("li", {}, `${rows(one.count)}: `, bdi(one.given), " → ", h("b", {}, one.label === null ? said(one) : bdi(one.label))));
    $("preview").replaceChildren(
      h("p", {}, changed ? "The list has changed meanwhile. " : "", h("b", {}, rows(told.count)), ` would be decided, the least likely of them ${percent(told.least)} wrong.`,
        told.decided ? ` ${rows(told.decided)} of them ${told.decided === 1 ? "is" : "are"} decided already, and would be decided anew.` : ""),
      h("ul", {}, ...kinds),
      h("p", { class: "muted" }, "Such as rows ", told.rows.map((one) => one.id ?? one.row).join(", "), told.count > told.rows.length ? " …" : "."),
      h("button", { type: "button", class: "act taken", id: "apply", on: () => then(() => apply(told.ticket)) }, `Decide ${rows(told.count)}`),
      h("button", { type: "button", class: "act", on: drop }, "Leave it"));
  };
  const drop = () => { $("preview").hidden = true; bulk = null; };
  const apply = async (ticket) => {
    const told = await tell("bulk", { ...bulk, ticket });
    if (told.changed) return planned(told.preview, true);
    drop();
    toast(`${rows(told.made)} decided. Backspace takes all of it back.`);
    refresh();
    ahead = [];
    await lines(true);
  };

  // Hands

  const learn = async () => { await tell("learn"); $("learned").textContent = "Learning …"; $("learn").disabled = true; refresh(300); };
  const write = async () => {
    const told = await tell("write");
    $("wrote").textContent = `Written: ${told.files.join(", ")}`;
    toast(`${told.files.length} files written`);
  };
  const help = () => ($("help").open ? $("help").close() : $("help").showModal());
  const keys = {
    k: () => decide("keep"),
    s: () => current && decide("change", current.suggested),
    u: () => decide("unsure"),
    x: () => decide("exclude"),
    Backspace: undo,
    ArrowLeft: () => current && go(current.slot - 1),
    ArrowRight: () => current && go(current.slot + 1),
    n: () => current && go(current.slot + 1, true),
    a: learn,
    w: write,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, select, textarea")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "?") { event.preventDefault(); return help(); }
    if ($("help").open) return;
    if (key === "l") { event.preventDefault(); return see($("list-view").hidden); }
    const listed = !$("list-view").hidden;
    if (listed && !["Backspace", "a", "w"].includes(key)) return;
    if (key.startsWith("Arrow") && event.target.closest(".scroll, .text")) return;
    const digit = /^[1-9]$/.test(key) ? about?.classes[Number(key) - 1] : undefined;
    const act = digit !== undefined ? () => current && choose(digit) : Object.hasOwn(keys, key) ? keys[key] : null;
    if (!act || (event.repeat && key !== "ArrowLeft" && key !== "ArrowRight")) return;
    event.preventDefault();
    then(act);
  });
  for (const [id, act] of Object.entries({
    keep: keys.k, take: keys.s, unsure: keys.u, exclude: keys.x, undo, back: keys.ArrowLeft, on: keys.ArrowRight,
    learn, write, every: async () => rest(await ask("row", { row: current.row, every: 1 })),
    further: () => lines(false),
    invite: async () => {
      const { token } = await tell("invite");
      $("invited").replaceChildren("Once, in any browser: ", h("code", {}, `${location.origin}/?token=${token}`));
    },
  })) $(id).addEventListener("click", () => then(act));
  $("see-row").addEventListener("click", () => see(false));
  $("see-list").addEventListener("click", () => see(true));
  $("see-help").addEventListener("click", help);
  $("share").addEventListener("change", () => then(async () => { await tell("mix", { share: Number($("share").value) }); ahead = []; await go(0, true); refresh(); }));
  $("who").addEventListener("change", () => { try { localStorage.setItem("who", $("who").value.trim()); } catch { /* private windows */ } });
  $("bulk").addEventListener("submit", (event) => { event.preventDefault(); then(preview); });
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("change", (event) => then(async () => {
    if (event.target.name === "column") await values(event.target.value);
    drop();
    await lines(true);
  }));
  const values = async (column) => {
    const select = $("filters").elements.value;
    const found = column ? await ask("values", { column }) : [];
    select.replaceChildren(h("option", { value: "" }, "anything"), ...found.map((one) => h("option", { value: one }, one)));
    select.disabled = !column;
  };

  then(async () => {
    // The token is used up: take it out of the address before anybody copies it.
    if (location.search) history.replaceState(null, "", "/");
    about = await ask("about");
    document.title = `${about.source} · nacre review`;
    $("source").replaceChildren(bdi(about.source));
    $("source").title = about.source;
    let name = "";
    try { name = localStorage.getItem("who") ?? ""; } catch { /* private windows */ }
    $("who").value = name || about.who;
    for (const field of ["given", "suggested"])
      $("filters").elements[field].append(...about.classes.map((one) => h("option", { value: one }, one)));
    $("filters").elements.column.append(...about.columns.map((one) => h("option", { value: one }, one)));
    state = null;
    await Promise.all([go(0, true), poll()]);
    document.body.dataset.ready = "yes";
  }).then(() => {
    if (!document.body.dataset.ready) notice("This page has no leave to read the review: it was opened inside another page, or its address was used before. Start nacre review again.");
  });
})();
