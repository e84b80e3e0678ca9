// Charts, as SVG.

// A grid of coloured cells: one path for each colour, so that 20,000 cells are as light as one.
// `kind` gives a cell its colour; 'open' after it hatches the cell; none: there is no cell.
function grid(id, {rows, cols, cw, ch, left, top, label, kind, tip, href, row, column, mark, outline = []}) {
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
        s('text', {transform: `translate(${x(j) + cw / 2 + 4} ${top - 4}) rotate(-90)`}, column(j)[0])))];
  const marks = mark && rows * cols <= 4000 && kinds.flatMap((line, i) => line.map((name, j) => name
    && s('text', {x: x(j) + cw / 2, y: y(i) + ch / 2 + 4, class: `mark ${name}`}, mark(i, j))));
  const frame = (i, j, name) => s('rect', {class: name, x: x(j), y: y(i), width: cw - 1, height: ch - 1});
  const cursor = frame(0, 0, 'cursor');
  let at = null; // the cell under the pointer, or where the arrow keys have gone
  const move = (i, j, where) => {
    at = kinds[i] && kinds[i][j] ? [i, j] : null;
    cursor.setAttribute('visibility', at ? 'visible' : 'hidden');
    if (!at) return hideTip();
    cursor.setAttribute('x', x(j));
    cursor.setAttribute('y', y(i));
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
    id, width: w, height: t, viewBox: `0 0 ${w} ${t}`, class: 'grid', tabindex: 0, role: 'img', 'aria-label': label,
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
  return h('div', {class: 'scroll'}, drawing);
}

// Bars of differences, with the ends that labels of unjudged documents allow as thin lines.
// An item: value, kind (its colour), href, tip, ends.
function bars(items, chosen = -1) {
  const height = 190, left = 38, step = Math.max(6, Math.min(26, (width() - left - 4) / Math.max(items.length, 1)));
  const sizes = items.flatMap((item) => [item.value, ...(item.ends || [])]).filter(Number.isFinite);
  const high = sizes.reduce((a, b) => Math.max(a, b), 0.05), low = sizes.reduce((a, b) => Math.min(a, b), -0.05);
  const y = (v) => 9 + ((height - 18) * (high - v)) / (high - low), w = left + step * items.length + 4;
  const rules = [low, 0, high].map((v) => [
    s('line', {class: v ? 'rule' : 'axis', x1: left, x2: w - 4, y1: y(v), y2: y(v)}),
    s('text', {class: 'row', x: left - 5, y: y(v) + 4}, signed(v, 2))]);
  const drawn = items.map(({value: v, kind, href, tip, ends}, at) => {
    const x = left + at * step, size = empty(v) ? 0 : v;
    return s('a', {href, tip, class: at === chosen && 'chosen'},
      s('rect', {class: 'hit', x, y: 0, width: step, height}),
      s('rect', {class: kind, x: x + 1, width: step - 2, y: Math.min(y(0), y(size)),
        height: Math.max(1, Math.abs(y(size) - y(0)))}),
      ends && s('line', {class: 'ends', x1: x + step / 2, x2: x + step / 2, y1: y(ends[0]), y2: y(ends[1])}));
  });
  return h('div', {class: 'scroll'}, s('svg', {id: 'by-topic', class: 'bars', width: w, height,
    viewBox: `0 0 ${w} ${height}`, role: 'img', 'aria-label': 'difference on each topic'}, rules, drawn));
}

// Groups differ in shape too, not in colour alone.
const SHAPES = ['M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z', 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z', 'M-4.5 -4.5h9v9h-9z',
  'M0 -6l6 10h-12z', 'M0 -6.5l6 6.5l-6 6.5l-6 -6.5z', 'M0 6l6 -10h-12z', 'M-6 -2h4v-4h4v4h4v4h-4v4h-4v-4h-4z'];
const point = (run, x, y, tip) => s('a', {href: toRun(run), 'aria-label': RUNS[run], tip},
  s('path', {class: `point c${groupShape(run)} ${run === baseline() ? 'base' : ''}`, d: SHAPES[groupShape(run)],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`}));
function axis(m, from, upto) { // a scale over the means of a measure, from 0 where 0 is near
  const low = Math.min(...D.means[m]), high = Math.max(...D.means[m]), room = 0.06 * (high - low) || 0.1;
  const start = low >= 0 && low < 0.4 * high ? 0 : low - room, end = high + room;
  const steps = range(9).flatMap((k) => [1, 2, 5].map((n) => n * 10 ** (k - 4)));
  const step = steps.find((size) => (end - start) / size <= 8) || 1e5;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = range(12).map((k) => (Math.ceil(start / step - 1e-9) + k) * step).filter((v) => v <= end);
  return {at: (v) => from + ((upto - from) * (v - start)) / (end - start), ticks, write: (v) => fixed(v, digits)};
}
function strip(of, order) { // the scores of all runs on a topic, one above the other where they are alike
  const w = Math.min(width(), 900), low = Math.min(0, ...of);
  const high = Math.max(low + 1e-9, ...of, MAIN.unit > 0.5 ? 1 : 0), heights = new Map();
  const x = (v) => 12 + ((w - 24) * (v - low)) / (high - low), bin = (run) => Math.round(x(of[run]) / 11);
  for (const run of order) heights.set(bin(run), (heights.get(bin(run)) || 0) + 1);
  const most = Math.max(...heights.values()), gap = Math.min(11, 110 / most), ground = 3 + gap * most;
  const points = order.map((run) => {
    heights.set(bin(run), heights.get(bin(run)) - 1);
    return point(run, bin(run) * 11, ground - gap * heights.get(bin(run)),
      `${RUNS[run]}\n${MAIN.name} ${fixed(of[run])}`);
  });
  return s('svg', {id: 'strip', width: w, height: ground + 28, viewBox: `0 0 ${w} ${ground + 28}`, role: 'img',
    'aria-label': 'scores of all runs'}, s('line', {class: 'axis', x1: 12, x2: w - 12, y1: ground + 7, y2: ground + 7}),
  range(5).map((k) => low + (k * (high - low)) / 4).map((v) =>
    s('text', {class: 'mid', x: x(v), y: ground + 22}, fixed(v, 2))), points);
}
function interval(run, low, high) { // mean and interval on a scale common to all runs
  const x = (v) => 4 + (60 * (v - low)) / Math.max(high - low, 1e-9), r = D.ranks;
  return s('svg', {width: 68, height: 14, class: 'interval', tip: r
    && `${fixed(r.low[run])} to ${fixed(r.high[run])}\n${meaning('interval')}`},
  s('line', {class: 'rule', x1: 4, x2: 64, y1: 7, y2: 7}),
  r && s('line', {class: 'span', x1: x(r.low[run]), x2: x(r.high[run]), y1: 7, y2: 7}),
  s('circle', {class: 'mean', cx: x(D.means[0][run]), cy: 7, r: 3}));
}

// What a label model says of an unjudged document: the chances of its grades, side by side.
const chances = (at, doc) => (LISTS.p && LISTS.p[at][doc]) || null; // in percent, of grade 0, 1, ...
const relevance = (at, doc) => (chances(at, doc) ? 1 - chances(at, doc)[0] / 100 : null);
const odds = (at, doc) => (chances(at, doc) || []).map((p, g) => `${g ? ', ' : '\n'}grade ${g}: ${p}%`).join('');
function likely(at, doc) {
  const shares = chances(at, doc);
  if (!shares) return '';
  const start = shares.map((_, grade) => sum(shares.slice(0, grade)) / 2);
  return h('small', {class: 'likely', tip: meaning('p_relevant') + odds(at, doc)}, s('svg', {width: 50, height: 10},
    shares.map((p, grade) => s('rect', {class: gradeClass(grade), x: start[grade], width: p / 2, height: 10}))),
  h('span', {}, percent(relevance(at, doc))));
}
