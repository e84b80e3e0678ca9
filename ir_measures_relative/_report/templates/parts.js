'use strict';
// What the views of a report are made of: the data, the state in the URL fragment, words and tables.
// Names and ids are data: they become text nodes or attributes, never markup.

const D = JSON.parse(document.getElementById('data').textContent); // its form: data.py
const RUNS = D.runs.name, TOPICS = D.topics.name, M = RUNS.length, Q = TOPICS.length, K = D.cutoff;
const MAIN = D.measures[0], SIGN = MAIN.better === 'smaller' ? -1 : 1;
const LISTS = D.lists, KEPT = new Map(LISTS.topics.map((topic, at) => [topic, at])); // topics whose rankings are here
const COLOURS = 6; // groups with a colour of their own, best first; the others are grey

// ---------------------------------------------------------------- elements
function make(space, tag, attributes, children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(key.slice(2), value);
    else node.setAttribute(key === 'tip' ? 'data-tip' : key, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
const h = (tag, attributes, ...children) => make(null, tag, attributes, children);
const s = (tag, attributes, ...children) => make('http://www.w3.org/2000/svg', tag, attributes, children);
const $ = (id) => document.getElementById(id);

// ---------------------------------------------------------------- numbers and text
const range = (n) => Array.from({length: n}, (_, i) => i);
const sum = (list) => list.reduce((a, b) => a + b, 0);
const mean = (list) => sum(list) / list.length;
function median(list) {
  const sorted = [...list].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
const cut = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join('') + '…' : text);
const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const empty = (v) => v === null || v === undefined || Number.isNaN(v);
function fixed(value, places = 3, plus = '') { // .834, −.021: as tables of this field print it
  if (empty(value)) return '–';
  const text = Math.abs(value).toFixed(places), short = text.replace(/^0(?=\.)/, '');
  return Number(text) === 0 ? short : (value < 0 ? '−' : plus) + short;
}
const signed = (value, places = 3) => fixed(value, places, '+');
const chance = (p) => (empty(p) ? '–' : p < 0.001 ? '<.001' : fixed(p));
function percent(share) { // 100% and 0% mean all and none
  if (empty(share)) return '–';
  const near = Math.round(100 * share);
  return near === 100 && share < 1 ? '>99%' : near === 0 && share > 0 ? '<1%' : `${near}%`;
}

// ---------------------------------------------------------------- the state, in the fragment
let S = {}; // the view and what the reader chose, as text
const STAYS = ['base', 'q', 'group', 'm']; // choices that stay when the view changes
const wellFormed = (text) => new URLSearchParams({a: text}).get('a'); // as a name comes back from a fragment
const places = (names) => new Map(names.map((name, at) => [wellFormed(name), at]));
const RUN_PLACE = places(RUNS), TOPIC_PLACE = places(TOPICS);
const place = (map, text) => (map.has(text) ? map.get(text) : null);

const fragment = (state) => '#' + new URLSearchParams(Object.entries(state).filter(([, value]) => !empty(value)));
const changed = (more) => fragment({...S, ...more});
const to = (view, more = {}) => fragment({view, ...Object.fromEntries(STAYS.map((key) => [key, S[key]])), ...more});
const toRun = (run) => to('run', {run: RUNS[run]});
const toTopic = (topic, more = {}) => to('topic', {topic: TOPICS[topic], ...more});
const toTwo = (a, b, topic) => to('two', {a: RUNS[a], b: RUNS[b], topic: TOPICS[topic]});
const change = (more) => { location.hash = changed(more); };
function settle(more) { // without an entry in the history, for what changes with every letter
  history.replaceState(null, '', changed(more));
  show(false);
}

// ---------------------------------------------------------------- values
const better = (m) => (D.measures[m].better === 'smaller' ? -1 : 1);
const value = (m, run, topic) => (D.values[m][run][topic] === null ? NaN : D.values[m][run][topic] / D.scale);
const valuesOf = (m, topic) => range(M).map((run) => value(m, run, topic));
const orderOf = (m) => range(M).sort((a, b) => D.places[m][a] - D.places[m][b] || a - b);
const ORDER = orderOf(0); // runs, best first
const measureAt = (text, other) => (empty(text) || !D.measures[Number(text)] ? other : Number(text));
const shownMeasure = () => measureAt(S.m, 0);
const baseline = () => (S.base === undefined ? D.baseline : place(RUN_PLACE, S.base));
const referenceName = () => (baseline() === null ? 'the median of all runs' : RUNS[baseline()]);
const references = new Map();
function reference(m) { // what runs are compared with on each topic: the baseline, or the median of all runs
  const base = baseline(), key = `${m} ${base}`;
  if (!references.has(key)) {
    references.set(key, range(Q).map((t) => (base === null ? median(valuesOf(m, t)) : value(m, base, t))));
  }
  return references.get(key);
}
const EDGES = [0.01, 0.05, 0.15, 0.3]; // of the largest value: where the colour of a difference changes
function shade(m, difference) { // w4 (much worse) ... d0 ... b4 (much better)
  if (empty(difference)) return 'none';
  const size = EDGES.filter((edge) => Math.abs(difference) > edge * D.measures[m].unit + 1e-9).length;
  return size === 0 ? 'd0' : (difference * better(m) > 0 ? 'b' : 'w') + size;
}
const gradeStep = (grade) => Math.max(1, Math.min(4, Math.ceil((4 * grade) / D.topics.top)));
const gradeClass = (grade) => (grade === null ? 'u' : grade <= 0 ? 'g0' : `g${gradeStep(grade)}`);
const groupName = (run) => (D.runs.group[run] === null ? '' : D.groups[D.runs.group[run]]);
const groupShape = (run) => (D.runs.group[run] !== null && D.runs.group[run] < COLOURS ? D.runs.group[run] + 1 : 0);

// ---------------------------------------------------------------- pairs: (i, j), i < j, row after row
const PAIR_PLACE = new Map((D.pairs ? D.pairs.runs : []).map((run, at) => [run, at]));
const DIGITS = new Map([...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map((c, n) => [c, n]));
const TURNED = {better: 'worse', worse: 'better'};
const WORDS = {undecided: 'open: labels could change it', better: 'better, whatever the labels',
  worse: 'worse, whatever the labels', equal: 'equal, whatever the labels'};
function pair(a, b) { // what is known of run a against run b, seen from a
  const i = PAIR_PLACE.get(a), j = PAIR_PLACE.get(b);
  if (a === b || i === undefined || j === undefined) return null;
  const low = Math.min(i, j), at = (low * (2 * PAIR_PLACE.size - low - 1)) / 2 + Math.abs(i - j) - 1;
  const read = (key) => (D.pairs[key] ? D.pairs[key][at] : null), certain = read('certain');
  const turned = (below, above) => (i < j ? [below, above] : [0 - above, 0 - below]);
  return {
    a, b, at, difference: (i < j ? 1 : -1) * D.pairs.difference[at], p: read('p'), med: read('med'),
    ends: certain && turned(read('below'), read('above')), certain: i < j ? certain : TURNED[certain] || certain,
    better: read(i < j ? 'better' : 'worse'), worse: read(i < j ? 'worse' : 'better'),
    on(topic) { // the two ends on one topic: five digits, see pairs.py
      if (!D.pairs.ends || !KEPT.has(topic)) return null;
      const text = D.pairs.ends[at].slice(5 * KEPT.get(topic), 5 * KEPT.get(topic) + 5);
      const number = [...text].reduce((so, digit) => so * 64 + DIGITS.get(digit), 0);
      return turned(Math.floor(number / 20001) / 10000 - 1, (number % 20001) / 10000 - 1);
    },
  };
}
function verdict(ends) { // on one topic, where ends are whole steps
  if (Math.max(ends[1], -ends[0]) < 1e-9) return 'equal';
  return ends[0] > 1e-9 ? 'better' : ends[1] < -1e-9 ? 'worse' : 'undecided';
}
function holm(list) { // p-values corrected for their number
  const corrected = [];
  let most = 0;
  range(list.length).sort((a, b) => list[a] - list[b]).forEach((at, k) => {
    most = Math.max(most, Math.min(1, list[at] * (list.length - k)));
    corrected[at] = most;
  });
  return corrected;
}
const HOLM = D.pairs && D.pairs.p ? holm(D.pairs.p) : null;

// ---------------------------------------------------------------- small parts of a page
const meaning = (key) => D.words[key][1].replace('{base}', referenceName);
const bdi = (text, tip = [...text].length > 22 ? text : null) => h('bdi', {class: 'name', tip}, text);
const runLink = (run) => h('a', {href: toRun(run)}, bdi(RUNS[run]));
const topicLink = (topic) => h('a', {href: toTopic(topic)}, bdi(TOPICS[topic]));
const groupOf = (run) => D.runs.group[run] !== null
  && h('span', {class: 'group'}, h('i', {class: `dot c${groupShape(run)}`}), bdi(groupName(run)));
const chip = (grade) => h('i', {class: `chip ${gradeClass(grade)}`,
  tip: grade === null ? 'unjudged' : `grade ${grade}`}, grade === null ? '?' : grade);
const note = (...text) => h('p', {class: 'note'}, ...text);
const heading = (...text) => h('h2', {}, ...text);
const bar = (...parts) => h('div', {class: 'bar'}, ...parts);
const fact = (key, shown, more, label = D.words[key][0]) => h('div', {class: 'fact', tip: meaning(key)},
  h('b', {}, shown), h('a', {href: '#', onclick: jump(`define-${key}`)}, label), more && h('small', {}, more));
const width = () => Math.max(300, Math.min(1240, document.documentElement.clientWidth - 32));
const narrow = () => width() < 600;
function star(run) {
  const on = baseline() === run;
  return h('button', {
    id: `star-${run}`, class: 'star', 'aria-pressed': String(on), 'aria-label': `compare with ${RUNS[run]}`,
    tip: on ? 'All runs are compared with this one; click to compare with their median'
      : 'Compare all runs with this one',
    onclick: () => change({base: on ? '' : RUNS[run]}),
  }, on ? '★' : '☆');
}
function choice(label, key, options, chosen, tip) {
  const pick = (event) => change({[key]: event.target.value});
  return h('label', {tip}, label, ' ', h('select', {id: `choose-${key}`, onchange: pick},
    options.map(([text, name]) => h('option', {value: text, selected: text === chosen}, cut(name, 60)))));
}
const runOptions = () => ORDER.map((run) => [RUNS[run], RUNS[run]]);
const measureOptions = () => D.measures.map((measure, m) => [String(m), measure.name]);
const measureChoice = () => D.measures.length > 1 && choice('Measure', 'm', measureOptions(), String(shownMeasure()));
const filters = () => [
  h('input', {id: 'filter', type: 'search', placeholder: 'Filter runs', value: S.q || '', 'aria-label': 'Filter runs',
    oninput: (event) => settle({q: event.target.value || null})}),
  D.groups.length > 1 && choice('Group', 'group', [['', 'all'], ...D.groups.map((g) => [g, g])], S.group || ''),
];
function chosenRuns(order) { // those that the filters leave
  const wanted = (S.q || '').toLowerCase();
  return order.filter((run) => (!S.group || wellFormed(groupName(run)) === S.group)
    && `${RUNS[run]}\n${groupName(run)}`.toLowerCase().includes(wanted));
}
const legend = (names, ...words) => h('span', {class: 'legend'}, names.map((name) => h('i', {class: `chip ${name}`})),
  ' ', words);
function differenceLegend(m) {
  const edges = EDGES.map((edge) => fixed(edge * D.measures[m].unit, 2)).join(', ');
  return h('span', {class: 'legend', tip: `Colours change at differences of ${edges}`}, 'worse ',
    legend(['w4', 'w3', 'w2', 'w1', 'd0', 'b1', 'b2', 'b3', 'b4'], 'better than ', bdi(referenceName())));
}
const gradeLegend = () => h('span', {class: 'legend'}, 'grade ', range(D.topics.top + 1).slice(0, 8).map(chip),
  ' unjudged ', chip(null));

// ---------------------------------------------------------------- tables
// A column: key, label, of (row -> what to sort by), cell (row -> what to show), up (the first click sorts upwards).
const text = (label, of, cell, more = {}) => ({key: label.toLowerCase().replace(' ', '-'), label, of, cell, up: true,
  ...more});
const col = (key, of, more = {}) => ({key, label: D.words[key][0], tip: meaning(key), of, number: true,
  cell: (row) => (more.show || fixed)(of(row)), ...more});
const count = (key, of, more = {}) => col(key, of, {show: String, ...more});

function table(id, columns, rows, {limit = 400, sorted = null, mark = () => null} = {}) {
  columns = columns.filter(Boolean);
  const [of, key, way] = (S.sort || '').split('~'), by = of === id && columns.find((column) => column.key === key);
  if (by) {
    const worth = new Map(rows.map((row) => [row, by.of(row)]));
    rows = [...rows].sort((x, y) => compare(worth.get(x), worth.get(y), way === 'desc' ? -1 : 1));
  }
  const head = (column) => {
    const first = column.up ? 'asc' : 'desc', active = by ? by === column : sorted === column.key;
    const now = by ? way : first, turn = active && now === first ? (first === 'asc' ? 'desc' : 'asc') : first;
    return h('th', {scope: 'col', class: column.number && 'n', tip: column.tip, 'aria-sort': active && `${now}ending`},
      column.of ? h('button', {id: `sort-${id}-${column.key}`,
        onclick: () => change({sort: `${id}~${column.key}~${turn}`})}, breakable(column.label)) : column.label,
      column.tip && h('button', {class: 'why', 'aria-label': `definition of ${column.label}`,
        onclick: () => define(`define-${column.key}`)}, '?'));
  };
  const body = rows.slice(0, limit).map((row, at) => h('tr', {tabindex: at ? -1 : 0, class: mark(row)},
    columns.map((column) => h('td', {class: column.number ? 'n' : column.wide && 'wide'}, column.cell(row)))));
  return h('div', {class: 'scroll'}, h('table', {id, onkeydown: walk},
    h('thead', {}, h('tr', {}, columns.map(head))), h('tbody', {}, body)),
    rows.length > limit && note(`The first ${limit} of ${plural(rows.length, 'row')}.`));
}
const breakable = (label) => label.split(/(?=\()/).flatMap((part, at) => (at ? [h('wbr'), part] : [part]));
function compare(x, y, way) { // what has no value stands last, whichever way is sorted
  if (empty(x) || empty(y)) return empty(x) - empty(y);
  return way * (typeof x === 'string' ? x.localeCompare(y, 'en', {numeric: true}) : x - y);
}
function walk(event) { // arrows go from row to row, Enter opens what the row is about, s stars it
  const row = event.target.closest('tbody tr');
  if (!row) return;
  const goal = {ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling}[event.key];
  const press = {Enter: event.target === row && row.querySelector('a'), s: row.querySelector('.star')}[event.key];
  if (goal) goal.focus();
  else if (press) press.click();
  if (goal || press) event.preventDefault();
}
