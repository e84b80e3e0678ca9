// Tables: sorted by a click on a heading, walked through with the arrow keys, and copied or saved as CSV.

// A column: key, label, of (row -> value to sort by and to save), cell (row -> what to show), up (the first click sorts
// upwards), under (what stands below the label), also ([name, row -> value]: further values to save).
const text = (label, of, cell, more = {}) => ({key: label.toLowerCase().replace(' ', '-'), label, of, cell, up: true,
  ...more});
const col = (key, of, more = {}) => ({key, label: D.words[key][0], tip: meaning(key), of, number: true,
  cell: (row) => (more.show || (more.number === false ? String : fixed))(of(row)), ...more});
const count = (key, of, more = {}) => col(key, of, {show: (n) => (empty(n) ? '–' : number(n)), ...more});

const FIRST = 40; // rows that fill a screen
function table(id, columns, rows, {limit = 400, sorted = null, mark = () => null, head = null} = {}) {
  columns = columns.filter(Boolean);
  const [of, key, way] = (S.sort || '').split('~'), by = of === id && columns.find((column) => column.key === key);
  if (by && by.of) {
    const worth = new Map(rows.map((row) => [row, by.of(row)]));
    rows = [...rows].sort((x, y) => compare(worth.get(x), worth.get(y), way === 'desc' ? -1 : 1));
  }
  const titled = (column) => {
    const first = column.up ? 'asc' : 'desc', active = by ? by === column : sorted === column.key;
    const now = by ? way : first, turn = active && now === first ? (first === 'asc' ? 'desc' : 'asc') : first;
    return h('th', {scope: 'col', class: column.number && 'n', tip: column.tip, 'aria-sort': active && `${now}ending`},
      column.of ? h('button', {id: `sort-${id}-${column.key}`,
        onclick: () => change({sort: `${id}~${column.key}~${turn}`})}, breakable(column.label)) : column.label,
      column.tip && h('a', {class: 'why', 'aria-label': `definition of ${column.label}`,
        href: toAbout(`define-${column.key}`)}, '?'), column.under);
  };
  const draw = (from, upto) => rows.slice(from, upto).map((row, at) => h('tr', {tabindex: from + at ? -1 : 0,
    class: mark(row)}, columns.map((column) => h('td', {class: column.number ? 'n' : column.wide && 'wide'},
    column.cell(row)))));
  const most = typing ? Math.min(FIRST, limit) : limit, body = h('tbody', {}, draw(0, most));
  if (most < limit) soon(body, () => body.append(...draw(most, limit)));
  const csv = () => asCsv(columns, rows);
  return [bar(head, h('span', {class: 'tools'},
    h('button', {id: `copy-${id}`, onclick: (event) => copy(csv(), event.target)}, 'Copy CSV'),
    h('button', {id: `save-${id}`, onclick: () => save(csv(), `${id}.csv`, 'text/csv')}, 'Download CSV'))),
  scrolling(h('table', {id, onkeydown: walk}, h('thead', {}, h('tr', {}, columns.map(titled))), body)),
  rows.length > limit && note(`The first ${number(limit)} of ${plural(rows.length, 'row')}; the CSV has all of them.`)];
}
const breakable = (label) => label.split(/(?<=\w\w)(?=[(@])|(?<==)/)
  .flatMap((part, at) => (at ? [h('wbr'), part] : [part]));
function compare(x, y, way) { // missing values come last, whichever way is sorted
  if (empty(x) || empty(y)) return empty(x) - empty(y);
  return way * (typeof x === 'string' ? x.localeCompare(y, 'en', {numeric: true}) : x - y);
}
function walk(event) { // arrows go from row to row, Enter opens the row's first link, s stars its run
  const row = event.target.closest('tbody tr');
  if (!row) return;
  const goal = {ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling}[event.key];
  const press = {Enter: event.target === row && row.querySelector('a'), s: row.querySelector('.star')}[event.key];
  if (goal) goal.focus();
  else if (press) press.click();
  if (goal || press) event.preventDefault();
}

// ---------------------------------------------------------------- CSV
function asCsv(columns, rows) { // every value, in the order shown; numbers with up to six decimal places
  const fields = columns.flatMap((column) => [...(column.of ? [[column.label, column.of]] : []),
    ...(column.also || [])]);
  const field = (v) => {
    const shown = empty(v) ? '' : typeof v === 'number' ? String(Number(v.toFixed(6))) : String(v);
    return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  };
  return [fields.map(([name]) => name), ...rows.map((row) => fields.map(([, of]) => of(row)))]
    .map((line) => line.map(field).join(',')).join('\n') + '\n';
}
function save(content, name, type) {
  const address = URL.createObjectURL(new Blob([content], {type: `${type};charset=utf-8`}));
  h('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
async function copy(content, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(content);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'The browser does not allow it';
  }
  setTimeout(() => { button.textContent = before; }, 1500);
}
