"use strict";

const body = document.querySelector("tbody");
const rows = [...body.rows];
const field = document.getElementById("filter");
const showAll = document.getElementById("all");
const shown = document.getElementById("shown");
const statuses = new Set();
let group = "";

function matches(row, words) {
  const d = row.dataset;
  if (statuses.size && !statuses.has(d.status)) return false;
  if (group && d.group !== group) return false;
  const text = `${d.file} ${d.name} ${d.status} ${d.reason}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    row.hidden = !matches(row, words);
    const detail = detailOf(row);
    if (detail) detail.hidden = row.hidden;
    if (!row.hidden) count += 1;
  }
  shown.textContent = count === rows.length ? "" : `${count} of ${rows.length}`;
  showAll.hidden = count === rows.length;
}

function detailOf(row) {
  const next = row.nextElementSibling;
  return next && next.classList.contains("detail") ? next : null;
}

function toggle(button) {
  const row = button.closest("tr");
  const there = detailOf(row);
  button.setAttribute("aria-expanded", String(!there));
  if (there) {
    there.remove();
    return;
  }
  const detail = document.createElement("tr");
  detail.className = "detail";
  const cell = detail.insertCell();
  cell.colSpan = row.cells.length;
  cell.append(document.getElementById(`detail-${row.dataset.number}`).content.cloneNode(true));
  row.after(detail);
}

function sort(button) {
  const head = button.closest("th");
  const key = button.dataset.key;
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentElement.cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = (row) => (key === "seconds" ? Number(row.dataset.seconds) : row.dataset[key].toLowerCase());
  rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    const order = x < y ? -1 : x > y ? 1 : Number(a.dataset.number) - Number(b.dataset.number);
    return down ? -order : order;
  });
  for (const row of rows) {
    const detail = detailOf(row);
    body.append(row);
    if (detail) body.append(detail);
  }
}

function press(button, on) {
  button.setAttribute("aria-pressed", String(on));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.classList.contains("open")) toggle(button);
  else if (button.dataset.key) sort(button);
  else if (button.classList.contains("total")) {
    const on = !statuses.delete(button.dataset.status);
    if (on) statuses.add(button.dataset.status);
    press(button, on);
    filter();
  } else if (button.classList.contains("group")) {
    group = group === button.dataset.group ? "" : button.dataset.group;
    for (const other of document.querySelectorAll(".group")) press(other, other.dataset.group === group && group !== "");
    filter();
  } else if (button === showAll) {
    statuses.clear();
    group = "";
    field.value = "";
    for (const other of document.querySelectorAll("[aria-pressed]")) press(other, false);
    filter();
    field.focus();
  }
});
field.addEventListener("input", filter);
