'use strict';
// What the views of a report are made of: the data, the state in the URL fragment, pairs of runs, parts of a page.
// Names and ids are data: they become text nodes or attributes, never markup.

const D = JSON.parse(document.getElementById('data').textContent); // its form: data.py
const RUNS = D.runs.name, TOPICS = D.topics.name, M = RUNS.length, Q = TOPICS.length, K = D.cutoff;
const MAIN = D.measures[0], SIGN = MAIN.better === 'smaller' ? -1 : 1;
const LISTS = D.lists, KEPT = new Map(LISTS.topics.map((topic, at) => [topic, at])); // topics whose rankings are here
const COLOURS = 6; // groups with their own colour and marker, best first; the others share a grey dot
const LEVEL = 0.95, SIGNIFICANT = 0.05;

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
function cut(text, most, end = 0) { // keeps the last letters, if so many, which tell names apart
  const letters = [...text], from = letters.length - end;
  return letters.length > most ? `${letters.slice(0, most - 1 - end).join('')}…${letters.slice(from).join('')}` : text;
}
const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const empty = (v) => v === null || v === undefined || Number.isNaN(v);
function fixed(value, places = 3, plus = '') { // .834, −.021: as tables of this field print it
  if (empty(value)) return '–';
  const text = Math.abs(value).toFixed(places), short = text.replace(/^0(?=\.)/, '');
  return Number(text) === 0 ? short : (value < 0 ? '−' : plus) + short;
}
function signed(value, places = 3) { // +.00003, not .000: the sign of a small difference may decide
  const size = Math.abs(value), extra = range(4).find((k) => size >= 0.5 * 10 ** -(places + k));
  return fixed(value, places + (size > 1e-9 && extra ? extra : 0), '+');
}
const chance = (p) => (empty(p) ? '–' : p < 0.001 ? '<.001' : fixed(p));
function percent(share) { // rounded down, as in pair_sentences.py; 100% and 0% mean all and none
  if (empty(share)) return '–';
  if (share < 0.01) return share > 0 ? '<1%' : '0%';
  return share > 0.99 && share < 1 ? '>99%' : `${Math.floor(100 * share + 1e-9)}%`;
}
const number = (n) => n.toLocaleString('en');
const remembered = new Map();
function once(key, compute) { // values that take time and change only with the key
  if (!remembered.has(key)) remembered.set(key, compute());
  return remembered.get(key);
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
const toAbout = (term) => to('about', {term});
const toTwo = (a, b, topic) => to('two', {a: RUNS[a], b: RUNS[b], topic: TOPICS[topic]});
const change = (more) => { location.hash = changed(more); };
let typing = false; // while the reader types, only what fills a screen is drawn at once
function soon(node, draw) {
  if (typing) setTimeout(() => { if (node.isConnected) draw(); }, 150);
  else draw();
}
function settle(more) { // without an entry in the history, for changes with every key
  history.replaceState(null, '', changed(more));
  typing = true;
  show(false);
  typing = false;
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
function reference(m) { // the scores that runs are compared with on each topic: the baseline's, or the median of all
  const base = baseline();
  return once(`reference ${m} ${base}`,
    () => range(Q).map((t) => (base === null ? median(valuesOf(m, t)) : value(m, base, t))));
}
function against(run) { // the number of topics on which a run is better, as good, or worse than the reference
  return once(`against ${run} ${baseline()}`, () => {
    const ref = reference(0), tally = {won: 0, tied: 0, lost: 0};
    for (const t of range(Q)) {
      const d = SIGN * (value(0, run, t) - ref[t]);
      tally[d > 1e-9 ? 'won' : d < -1e-9 ? 'lost' : 'tied'] += 1;
    }
    return tally;
  });
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
const shapeOf = (group) => (group !== null && group < COLOURS ? group + 1 : 0);
const groupShape = (run) => shapeOf(D.runs.group[run]);

// ---------------------------------------------------------------- pairs: (i, j), i < j, row after row
const PAIR_PLACE = new Map((D.pairs ? D.pairs.runs : []).map((run, at) => [run, at]));
const SWAPPED = {better: 'worse', worse: 'better'};
const WORDS = {no: 'not settled', better: 'settled: better', worse: 'settled: worse', equal: 'settled: equal'};
const verdict = (f) => (isLikely(f) ? `likely: ${f.better > f.worse ? 'better' : 'worse'}` : isTied(f) ? 'tied'
  : isSettled(f) || f.better === null ? WORDS[f.settled] : 'undecided');
function pair(a, b) { // run a compared with run b
  const i = PAIR_PLACE.get(a), j = PAIR_PLACE.get(b);
  if (a === b || i === undefined || j === undefined) return null;
  const low = Math.min(i, j), at = (low * (2 * PAIR_PLACE.size - low - 1)) / 2 + Math.abs(i - j) - 1;
  const read = (key) => (D.pairs[key] ? D.pairs[key][at] : null), settled = read('settled');
  const swapped = (least, most) => (i < j ? [least, most] : [0 - most, 0 - least]);
  return {
    a, b, at, difference: (i < j ? 1 : -1) * D.pairs.difference[at], p: read('p'), med: read('med'),
    ends: settled && swapped(read('low'), read('high')), settled: i < j ? settled : SWAPPED[settled] || settled,
    better: read(i < j ? 'better' : 'worse'), worse: read(i < j ? 'worse' : 'better'),
    on(topic) { // the two ends on one topic, two bytes each: decisions.py
      if (!D.pairs.ends || !KEPT.has(topic)) return null;
      const steps = new Int16Array(Uint8Array.from(atob(D.pairs.ends[at]), (c) => c.charCodeAt(0)).buffer);
      return swapped(steps[2 * KEPT.get(topic)] / D.scale, steps[2 * KEPT.get(topic) + 1] / D.scale);
    },
  };
}
const allPairs = () => once('pairs', () => (D.pairs ? D.pairs.runs : []).flatMap((a, i) => D.pairs.runs.slice(i + 1)
  .map((b) => pair(a, b))));
const closestPairs = () => once('closest', () => [...allPairs()]
  .sort((x, y) => Math.abs(x.difference) - Math.abs(y.difference)));
function settledBy(ends) { // on one topic, where ends are whole steps
  if (Math.max(ends[1], -ends[0]) < 1e-9) return 'equal';
  return ends[0] > 1e-9 ? 'better' : ends[1] < -1e-9 ? 'worse' : 'no';
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
const isSignificant = (f) => HOLM !== null && HOLM[f.at] < SIGNIFICANT;
const isSettled = (f) => f.settled !== null && f.settled !== 'no';
const isOpen = (f) => !isSettled(f) && f.better !== null; // where the label model decides, as `pairs` says
const isLikely = (f) => isOpen(f) && Math.max(f.better, f.worse) >= LEVEL;
const isTied = (f) => isOpen(f) && 1 - f.better - f.worse >= LEVEL;
const ONLY = { // the pairs that a list can show
  ...(HOLM && {
    significant: [`significant (p < ${fixed(SIGNIFICANT, 2)})`, isSignificant],
    insignificant: ['not significant', (f) => !isSignificant(f)],
  }),
  ...(D.pairs && D.pairs.settled && {settled: ['settled', isSettled], open: ['not settled', (f) => !isSettled(f)]}),
  ...(D.pairs && D.pairs.better && {
    likely: [`likely (${100 * LEVEL}% or more)`, isLikely],
    tied: ['tied', isTied], undecided: ['undecided', (f) => isOpen(f) && !isLikely(f) && !isTied(f)],
  }),
};
const onlyCount = (key) => once(`only ${key}`, () => allPairs().filter(ONLY[key][1]).length);
// A pair in words: Python chooses the texts, see pair_sentences.py; `name` shows a run.
function inWords(f, name) {
  const [onLabels, onTopics] = D.pairs.kinds[D.pairs.said[f.at]], size = Math.abs(f.difference), same = size < 1e-9;
  const [leader, other] = SIGN * f.difference >= 0 ? [f.a, f.b] : [f.b, f.a], p = HOLM ? HOLM[f.at] : null;
  const all = D.pairs.difference.length;
  const most = Math.max(f.better, f.worse), likely = onLabels === 'tied' ? 1 - f.better - f.worse : most;
  const parts = {
    leader: () => name(leader), other: () => name(other), n: () => number(Q),
    difference: () => (size < 0.0005 ? 'less than .001' : fixed(size)),
    topics: () => (Q === 1 ? 'this topic' : `these ${number(Q)} topics`),
    ahead: () => name(f.better > f.worse ? f.a : f.worse > f.better ? f.b : leader), lead: () => '',
    probability: () => percent(likely).replace('>', 'more than ').replace('<', 'less than '),
    tie: () => 'have the same score',
    p: () => (p < 0.001 ? '< .001' : `= ${fixed(p, p >= 0.1 ? 2 : 3)}`) + (all > 1 ? ', Holm' : ''),
    among: () => (all > 1 ? `among ${number(all)} pairs, ` : ''),
  };
  return [same ? 'same' : 'leads', onLabels, onTopics].map((key) => D.pairs.texts[key]).filter(Boolean).join(' ')
    .split(/\{(\w+)\}/).map((part, at) => (at % 2 ? parts[part]() : part));
}

// ---------------------------------------------------------------- small parts of a page
const meaning = (key) => D.words[key][1].replace('{base}', referenceName);
function named(kind, text, end, tip = [...text].length > 22 ? text : null) { // keeps its end where room is short
  const letters = [...text], parts = [letters.slice(0, -end), letters.slice(-end)].map((part) => part.join(''));
  return letters.length > 2 * end ? h('bdi', {class: `${kind} long`, tip}, parts.map((part) => h('span', {}, part)))
    : h('bdi', {class: kind, tip}, text);
}
const bdi = (text, tip) => named('name', text, 5, tip);
const docName = (id) => named('doc', id, 8);
const runLink = (run) => h('a', {href: toRun(run)}, bdi(RUNS[run]));
const topicLink = (topic) => h('a', {href: toTopic(topic)}, bdi(TOPICS[topic]));
const groupOf = (run) => D.runs.group[run] !== null
  && h('span', {class: 'group'}, marker(groupShape(run)), bdi(groupName(run)));
const chip = (grade) => h('i', {class: `chip ${gradeClass(grade)}`,
  tip: grade === null ? 'unjudged' : `grade ${grade}`}, grade === null ? '?' : grade);
const note = (...text) => h('p', {class: 'note'}, ...text);
// What may be wider than the screen scrolls in a box of its own; the box says so, and fades where it goes on.
function scrolling(content) {
  const box = h('div', {class: 'scroll', onscroll: () => fade()}, content);
  const hint = h('p', {class: 'note hint', hidden: true}, 'Scroll sideways to see the rest.');
  const fade = () => box.classList.toggle('more', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  new ResizeObserver(() => { hint.hidden = box.scrollWidth <= box.clientWidth + 1; fade(); }).observe(content);
  return [hint, box];
}
const heading = (...text) => h('h2', {}, ...text);
const bar = (...parts) => h('div', {class: 'bar'}, ...parts);
const fact = (key, shown, more, label = D.words[key][0]) => h('div', {class: 'fact', tip: meaning(key)},
  h('b', {}, shown), h('a', {href: toAbout(`define-${key}`)}, label), more && h('small', {}, more));
const marker = (g) => s('svg', {class: 'marker', width: 14, height: 14, viewBox: '-7 -7 14 14', 'aria-hidden': 'true'},
  s('path', {class: `c${g}`, d: SHAPES[g]}));
const width = () => Math.max(300, Math.min(1240, document.documentElement.clientWidth - 32));
const narrow = () => width() < 600;
function star(run) {
  const on = baseline() === run;
  return h('button', {
    id: `star-${run}`, class: 'star', 'aria-pressed': String(on), 'aria-label': `compare with ${RUNS[run]}`,
    tip: on ? 'The baseline. Click to compare with the median of all runs' : 'Compare all runs with this one',
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
function differenceLegend(m, other = referenceName()) { // one box for each colour, the differences between them below
  const edges = EDGES.map((edge) => edge * D.measures[m].unit), way = better(m);
  const names = ['w4', 'w3', 'w2', 'w1', 'd0', 'b1', 'b2', 'b3', 'b4'];
  const at = [...edges.map((v) => -v).reverse(), ...edges].map((v) => signed(way * v, 2));
  return h('span', {class: 'legend'}, 'worse', s('svg', {class: 'scale', width: 290, height: 26, role: 'img',
    'aria-label': `colours change at differences of ${at.join(', ')}`},
  names.map((name, k) => s('rect', {class: name, x: 1 + 32 * k, y: 0, width: 31, height: 11})),
  at.map((v, k) => s('text', {class: 'mid', x: 32 * (k + 1), y: 23}, v))), h('span', {}, 'better than ', bdi(other)));
}
const gradeLegend = () => h('span', {class: 'legend'}, 'grade ', range(D.topics.top + 1).slice(0, 8).map(chip),
  '\u00a0unjudged ', chip(null));
