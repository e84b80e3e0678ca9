// Charts, as SVG.

// A grid of coloured cells: one path for each colour, so that 20,000 cells are as light as one.
// `kind` gives a cell its colour; 'open' after it hatches the cell; none: there is no cell.
// `corner` names what the rows and the columns are.
function grid(id, {rows, cols, cw, ch, left, top, label, corner, kind, tip, href, row, column, mark, outline = []}) {
  const w = left + cols * cw + 2, t = top + rows * ch + 2, paths = new Map(), kinds = [];
  const x = (j) => left + j * cw, y = (i) => top + i * ch;
  for (const i of range(rows)) {
    kinds.push(range(cols).map((j) => kind(i, j)));
    kinds[i].forEach((name, j) => {
      if (name) paths.set(name, (paths.get(name) || '') + `M${x(j)} ${y(i)}h${cw - 1}v${ch - 1}h${1 - cw}z`);
    });
  }
  const cells = [...paths].map(([name, d]) => [
    s('path', {d, class: name, fill: name === 'u' && 'url(#hatch)'}),
    name.includes('open') && s('path', {d, fill: 'url(#open)'})]);
  const names = [
    ch < 11 ? [] : range(rows).map((i) => s('a', {href: row(i)[1]},
      s('text', {x: left - 5, y: y(i) + ch / 2 + 4, class: 'row'}, row(i)[0]))),
    cw < 10 ? [] : range(cols).map((j) => column(j)[1] === null
      ? s('text', {x: x(j) + cw / 2, y: top - 5, class: 'mid'}, column(j)[0])
      : s('a', {href: column(j)[1]},
        s('text', {transform: `translate(${x(j) + cw / 2 + 4} ${top - 4}) rotate(-90)`}, column(j)[0]))),
    s('text', {x: left - 5, y: top - 5, class: 'row'}, corner)];
  const marks = s('g');
  const drawMarks = () => marks.append(...kinds.flatMap((line, i) => line.map((name, j) => name
    && s('text', {x: x(j) + cw / 2, y: y(i) + ch / 2 + 4, class: `mark ${name}`}, mark(i, j)))).filter(Boolean));
  if (mark && rows * cols <= 4000) soon(marks, drawMarks);
  const frame = (i, j, name) => s('rect', {class: name, x: x(j), y: y(i), width: cw - 1, height: ch - 1});
  const cursor = frame(0, 0, 'cursor');
  let at = null; // the cell under the pointer, or where the arrow keys have gone
  const move = (i, j, where) => {
    at = kinds[i] && kinds[i][j] ? [i, j] : null;
    cursor.setAttribute('visibility', at ? 'visible' : 'hidden');
    if (!at) return hideTip();
    cursor.setAttribute('x', x(j));
    cursor.setAttribute('y', y(i));
    if (!where) $('live').textContent = tip(i, j); // a move by key is read out
    return showTip(tip(i, j), where || cursor.getBoundingClientRect());
  };
  const follow = (event) => {
    const box = drawing.getBoundingClientRect();
    move(Math.floor((event.clientY - box.top - top) / ch), Math.floor((event.clientX - box.left - left) / cw), event);
  };
  const open = () => { if (at) location.hash = href(...at); };
  const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
  const within = (v, most) => Math.max(0, Math.min(most - 1, v));
  const drawing = s('svg', {
    id, width: w, height: t, viewBox: `0 0 ${w} ${t}`, class: 'grid', tabindex: 0, role: 'application',
    'aria-label': `${label}; arrow keys move, Enter opens`,
    onmousemove: follow, onmouseleave: () => move(-1, -1),
    onclick: (event) => { if (!event.target.closest('a')) { follow(event); open(); } },
    onkeydown: (event) => {
      const step = steps[event.key], [i, j] = at || [0, -1];
      if (event.target !== drawing || !(step || event.key === 'Enter')) return;
      if (step) move(within(i + step[0], rows), within(j + step[1], cols));
      else open();
      event.preventDefault();
    },
  }, cells, marks, outline.map(([i, j]) => frame(i, j, 'outline')), names, cursor);
  cursor.setAttribute('visibility', 'hidden');
  return scrolling(drawing);
}

// Bars of differences, with the ends that labels of unjudged documents allow as thin lines, and topic ids below.
// An item: value, kind (its colour), name, href, tip, ends. `title` names the height of the bars.
function bars(items, title, chosen = -1) {
  const left = 38, room = (width() - left - 4) / Math.max(items.length, 1), named = items.length <= 250;
  const stride = Math.max(named ? 13 : 5, Math.min(26, room)), w = left + stride * items.length + 4;
  const top = 18, height = 190 + top;
  const letters = named ? Math.min(12, Math.max(0, ...items.map((item) => [...item.name].length))) : 0;
  const sizes = items.flatMap((item) => [item.value, ...(item.ends || [])]).filter(Number.isFinite);
  const high = sizes.reduce((a, b) => Math.max(a, b), 0.05), low = sizes.reduce((a, b) => Math.min(a, b), -0.05);
  const y = (v) => top + 9 + ((height - top - 18) * (high - v)) / (high - low), full = height + 4 + 7 * letters;
  const {ticks, write} = scale(low, high, 0, 1, 8);
  const rules = ticks.map((v) => [
    s('line', {class: Math.abs(v) < 1e-9 ? 'axis' : 'rule', x1: left, x2: w - 4, y1: y(v), y2: y(v)}),
    s('text', {class: 'row', x: left - 5, y: y(v) + 4}, write(v))]);
  const drawn = items.map(({value: v, kind, name, href, tip, ends}, at) => {
    const x = left + at * stride, size = empty(v) ? 0 : v;
    return s('a', {href, tip, class: at === chosen && 'chosen', 'aria-label': tip},
      s('rect', {class: 'hit', x, y: top, width: stride, height: full - top}),
      s('rect', {class: kind, x: x + 1, width: stride - 2, y: Math.min(y(0), y(size)),
        height: Math.max(1, Math.abs(y(size) - y(0)))}),
      ends && s('line', {class: 'ends', x1: x + stride / 2, x2: x + stride / 2, y1: y(ends[0]), y2: y(ends[1])}),
      named && s('text', {class: 'row', transform: `translate(${x + stride / 2 + 4} ${height + 2}) rotate(-90)`},
        cut(name, 12, 4)));
  });
  return scrolling(s('svg', {id: 'by-topic', class: 'bars', width: w, height: full,
    viewBox: `0 0 ${w} ${full}`, role: 'group', 'aria-label': `${title} on each topic`},
  s('text', {class: 'title', x: 2, y: 12}, `↑ ${title}`), rules, drawn));
}

// Groups differ in shape too, not in colour alone.
const SHAPES = ['M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z', 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z', 'M-4.5 -4.5h9v9h-9z',
  'M0 -6l6 10h-12z', 'M0 -6.5l6 6.5l-6 6.5l-6 -6.5z', 'M0 6l6 -10h-12z', 'M-6 -2h4v-4h4v4h4v4h-4v4h-4v-4h-4z'];
const point = (run, x, y, tip) => s('a', {href: toRun(run), 'aria-label': RUNS[run], tip},
  s('path', {class: `point c${groupShape(run)} ${run === baseline() ? 'base' : ''}`, d: SHAPES[groupShape(run)],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`}));
function scale(start, end, from, upto, most = 8) { // positions, and ticks at round numbers
  const steps = range(9).flatMap((k) => [1, 2, 5].map((n) => n * 10 ** (k - 4)));
  const stride = steps.find((size) => (end - start) / size <= most) || 1e5;
  const digits = Math.max(0, -Math.floor(Math.log10(stride) + 1e-9));
  const ticks = range(most + 2).map((k) => (Math.ceil(start / stride - 1e-9) + k) * stride)
    .filter((v) => v <= end + 1e-9 * stride);
  return {start, end, at: (v) => from + ((upto - from) * (v - start)) / Math.max(end - start, 1e-12), ticks,
    write: (v) => (Math.abs(v) < 1e-9 ? '0' : fixed(v, digits))};
}
function axis(m, from, upto) { // over the means of a measure, from 0 if 0 is near
  const low = Math.min(...D.means[m]), high = Math.max(...D.means[m]), room = 0.06 * (high - low) || 0.1;
  return scale(low >= 0 && low < 0.4 * high ? 0 : low - room, high + room, from, upto);
}
// The scores of all runs on a topic: a point for each run, or a histogram if many runs have the same score.
function strip(of, order) {
  const w = Math.min(width(), 900), low = Math.min(0, ...of);
  const high = Math.max(low + 1e-9, ...of, MAIN.unit > 0.5 ? 1 : 0);
  const X = scale(low, high, 14, w - 14), bins = new Map();
  const bin = (run, size) => Math.min(Math.floor((X.at(of[run]) - 14) / size), Math.ceil((w - 28) / size) - 1);
  const fill = (size) => { // runs of each bin, best first
    bins.clear();
    for (const run of order) bins.set(bin(run, size), [...(bins.get(bin(run, size)) || []), run]);
    return Math.max(...[...bins.values()].map((members) => members.length));
  };
  const many = fill(11) > 9, most = many ? fill((w - 28) / 20) : fill(11);
  const ground = many ? 128 : 5 + 11 * most;
  const stack = ([at, members]) => members.map((run, k) => point(run, 19.5 + 11 * at, ground - 1 - 11 * k,
    `${RUNS[run]}\n${MAIN.name} ${fixed(of[run])}`));
  const column = ([at, members]) => {
    const size = (w - 28) / 20, tall = (96 * members.length) / most;
    const names = members.slice(0, 12).map((run) => `${RUNS[run]} ${fixed(of[run])}`);
    return s('g', {tip: [plural(members.length, 'run'), ...names, members.length > 12 ? '…' : ''].join('\n').trim()},
      s('rect', {class: 'b3', x: 15 + at * size, width: size - 2, y: ground + 5 - tall, height: tall}),
      s('text', {class: 'mid', x: 14 + (at + 0.5) * size, y: ground - tall}, number(members.length)));
  };
  return s('svg', {id: 'strip', class: many && 'histogram', width: w, height: ground + 42,
    viewBox: `0 0 ${w} ${ground + 42}`, role: 'group', 'aria-label': `${MAIN.name} of all runs`},
  many && s('text', {class: 'title', x: 12, y: 10}, '↑ runs'),
  s('text', {class: 'title row', x: w - 12, y: ground + 38}, `${MAIN.name} →`),
  s('line', {class: 'axis', x1: 12, x2: w - 12, y1: ground + 6, y2: ground + 6}),
  X.ticks.map((v) => s('text', {class: 'mid', x: X.at(v), y: ground + 22}, X.write(v))),
  [...bins].map(many ? column : stack));
}

// Means with their two intervals, on one axis for all runs; runs far behind the others do not stretch it.
const zoom = (size) => once(`zoom ${size}`, () => {
  const means = ORDER.map((run) => SIGN * D.means[0][run]).filter((v) => !empty(v)).sort((a, b) => a - b);
  const quarter = (k) => means[Math.floor((k * (means.length - 1)) / 4)];
  const ends = ORDER.flatMap((run) => [D.means[0][run], ...topicInterval(run), ...labelInterval(run)])
    .filter((v) => !empty(v)).map((v) => SIGN * v), most = Math.max(...ends);
  const [behind, stretched] = size < 140 ? [1, 1] : [1.5, 1.5]; // a narrow axis leaves out more
  const all = Math.min(...ends), near = quarter(1) - behind * (quarter(3) - quarter(1));
  const least = most - all < stretched * (most - near) ? all : near;
  const room = 0.04 * (most - least) || 0.05;
  const [low, high] = [SIGN * (least - room), SIGN * (most + room)].sort((a, b) => a - b);
  return {size, ...scale(low, high, 3, size - 3, size < 140 ? 5 : 6),
    far: means[0] < least - room, beyond: SIGN > 0 ? 'M1 6l6 -4v8z' : 'M13 6l-6 -4v8z'};
});
const topicInterval = (run) => (D.ranks ? [D.ranks.low[run], D.ranks.high[run]] : []);
const labelInterval = (run) => (D.imputed ? [D.imputed.low[run], D.imputed.mean[run], D.imputed.high[run]] : []);
const intervalWords = (run) => [`${MAIN.name} ${fixed(D.means[0][run])} as judged`,
  D.ranks && `topic interval (${percent(D.ranks.level)}): ${topicInterval(run).map((v) => fixed(v)).join(' to ')}`,
  D.imputed && `label interval (${percent(LEVEL)}): ${fixed(D.imputed.low[run])} to ${fixed(D.imputed.high[run])}, `
    + `expected ${fixed(D.imputed.mean[run])}`].filter(Boolean).join('\n');
function intervals(run, X) {
  const y = D.imputed ? 6 : 10, within = (v) => Math.max(3, Math.min(X.size - 3, X.at(v)));
  const span = (name, [low, high], at) => (empty(low) || high < X.start || low > X.end ? null
    : s('line', {class: name, x1: within(low), x2: within(high), y1: at, y2: at}));
  const mark = (v, at, draw) => {
    if (empty(v)) return null;
    if (v >= X.start && v <= X.end) return draw(X.at(v), at);
    return s('path', {class: 'beyond', d: v < X.start ? `M1 ${at}l6 -4v8z` : `M${X.size - 1} ${at}l-6 -4v8z`});
  };
  const [low, expected, high] = labelInterval(run);
  return s('svg', {width: X.size, height: 20, class: 'interval', tip: intervalWords(run)},
    s('path', {class: 'rule', d: X.ticks.map((v) => `M${X.at(v).toFixed(1)} 0v20`).join('')}),
    span('topic-span', topicInterval(run), y), mark(D.means[0][run], y, dot),
    span('label-span', [low, high], 14), mark(expected, 14, diamond));
}
const dot = (x, y) => s('circle', {class: 'mean', cx: x, cy: y, r: 3});
const diamond = (x, y) => s('path', {class: 'expected', d: `M${x} ${y - 4}l4 4l-4 4l-4 -4z`});
const intervalAxis = (X) => s('svg', {class: 'interval ticks', width: X.size, height: 14, 'aria-hidden': 'true'},
  X.ticks.filter((v) => X.at(v) > 8 && X.at(v) < X.size - 8)
    .map((v) => s('text', {class: 'mid', x: X.at(v), y: 11}, X.write(v))));
function intervalLegend(X) {
  const item = (name, draw, key, words) => h('span', {class: 'legend', tip: meaning(key)}, s('svg', {width: 34,
    height: 12, 'aria-hidden': 'true'}, s('line', {class: name, x1: 3, x2: 31, y1: 6, y2: 6}), draw(17, 6)), words);
  return [D.ranks && item('topic-span', dot, 'interval', `topic interval (${percent(D.ranks.level)})`),
    D.imputed && item('label-span', diamond, 'imputed', `label interval (${percent(LEVEL)})`),
    X.far && h('span', {class: 'legend'}, s('svg', {width: 14, height: 12, 'aria-hidden': 'true'},
      s('path', {class: 'beyond', d: X.beyond})), 'off the axis')];
}

// The grade probabilities of an unjudged document, side by side.
const probabilities = (at, doc) => (LISTS.p && LISTS.p[at][doc]) || null; // in percent, of grade 0, 1, ...
const relevance = (at, doc) => (probabilities(at, doc) ? 1 - probabilities(at, doc)[0] / 100 : null);
const gradeWords = (at, doc) => (probabilities(at, doc) || [])
  .map((p, grade) => `${grade ? ', ' : '\n'}grade ${grade}: ${p}%`).join('');
const NO_LABEL = 'No label: the document is below the depth of the pool in every run, and counts as not relevant.';
function gradeBar(at, doc) {
  const shares = probabilities(at, doc);
  if (!shares) return LISTS.p && LISTS.grade[at][doc] === null && h('small', {tip: NO_LABEL}, '–');
  const start = shares.map((_, grade) => sum(shares.slice(0, grade)) / 2);
  const tip = meaning('p_relevant') + gradeWords(at, doc);
  return h('small', {class: 'likely', tip}, s('svg', {width: 50, height: 10},
    shares.map((p, grade) => s('rect', {class: gradeClass(grade), x: start[grade], width: p / 2, height: 10}))),
  h('span', {}, percent(relevance(at, doc))));
}
