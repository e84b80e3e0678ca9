// The tabs of a report: all runs, all topics, two measures, pairs, what to judge next. Each is a function that returns
// the nodes it shows.

// ---------------------------------------------------------------- all runs
function against(run) { // on how many topics a run is better, as good, or worse than the reference
  const ref = reference(0), tally = {won: 0, tied: 0, lost: 0};
  for (const t of range(Q)) {
    const d = SIGN * (value(0, run, t) - ref[t]);
    tally[d > 1e-9 ? 'won' : d < -1e-9 ? 'lost' : 'tied'] += 1;
  }
  return tally;
}
function amount(m, run) { // a number over a bar that compares it with the largest of its column
  const most = Math.max(...D.means[m].map(Math.abs)), shown = h('span', {class: 'amount'}, fixed(D.means[m][run]));
  shown.style.setProperty('--share', `${most ? (100 * Math.abs(D.means[m][run])) / most : 0}%`);
  return shown;
}
function overview() { // what whoever runs a track asks first: three questions, each answered in a click
  const card = (title, href, ...lines) => h('section', {}, h('h2', {}, h('a', {href}, title)),
    lines.map((line) => line && h('p', {}, line)));
  const adds = D.adds, all = allPairs(), n = all.length;
  const number = (only, words) => [h('a', {href: to('pairs', {only})},
    h('b', {}, all.filter(ONLY[only][1]).length.toLocaleString('en'))), words];
  return h('div', {class: 'cards'},
    adds !== null && M > 1 && card('Who adds most to the others?', to('scatter', {y: adds}),
      orderOf(adds).slice(0, 3).map((run) => h('div', {}, h('b', {tip: meaning(`m${adds}`)}, fixed(D.means[adds][run])),
        ' ', runLink(run), `, ${D.places[0][run]}${ordinal(D.places[0][run])} by ${MAIN.name}`))),
    n > 0 && card('Which differences are certain?', to('pairs'),
      D.pairs.certain && number('certain', ` of ${plural(n, 'pair')}: whatever the labels`),
      D.pairs.better && number('likely', ': a chance of 95% or more by the labels'),
      HOLM && number('significant', ': p < .05 over topics (Holm)')),
    D.next && card('What to judge next?', to('next'), D.next.length
      ? `${plural(D.next.length, 'document')}, the most telling first:`
      : nothingToJudge(),
    D.next.slice(0, 2).map((row) => h('div', {}, 'topic ', topicOf(row), ' ', documentOf(row)))));
}
const ordinal = (n) => (n % 100 > 10 && n % 100 < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] || 'th');
function runs() {
  const base = baseline(), r = D.ranks, rows = chosenRuns(ORDER), tallies = RUNS.map((_, run) => against(run));
  const low = Math.min(...(r ? r.low : D.means[0])), high = Math.max(...(r ? r.high : D.means[0]));
  const p = new Map(), imputed = D.imputed; // p: against the baseline, corrected for the number of other runs
  if (base !== null) {
    const others = range(M).map((run) => pair(run, base)).filter((f) => f && f.p !== null);
    holm(others.map((f) => f.p)).forEach((corrected, at) => p.set(others[at].a, corrected));
  }
  const ranks = (run) => (r && r.rank_low[run] < r.rank_high[run] ? ` ${r.rank_low[run]}–${r.rank_high[run]}` : '');
  const aside = [D.groups.length > 0 && text('Group', groupName, groupOf),
    r && count('tier', (run) => r.tier[run], {up: true})];
  const columns = [
    {key: 'star', label: '', cell: star},
    col('rank', (run) => D.places[0][run], {up: true, cell: (run) => [D.places[0][run], h('small', {}, ranks(run))]}),
    text('Run', (run) => RUNS[run], runLink, {wide: true}),
    ...(narrow() ? [] : aside),
    col('m0', (run) => D.means[0][run], {up: SIGN < 0,
      cell: (run) => [interval(run, low, high), h('b', {}, fixed(D.means[0][run]))]}),
    imputed && col('imputed', (run) => imputed.mean[run], {cell: (run) => [fixed(imputed.mean[run]),
      h('small', {}, ` ${fixed(imputed.low[run])}–${fixed(imputed.high[run])}`)]}),
    base !== null && col('difference', (run) => D.means[0][run] - D.means[0][base], {show: signed}),
    p.size > 0 && col('p', (run) => p.get(run), {show: chance, up: true}),
    col('won', (run) => tallies[run].won - tallies[run].lost,
      {cell: (run) => `${tallies[run].won}–${tallies[run].lost}`}),
    ...range(D.measures.length).slice(1).map((m) => col(`m${m}`, (run) => D.means[m][run],
      {up: better(m) < 0, cell: (run) => amount(m, run)})),
    ...(narrow() ? aside : []),
  ];
  const edge = (run) => !S.sort && r && rows.indexOf(run) > 0 && r.tier[run] !== r.tier[rows[rows.indexOf(run) - 1]];
  const mark = (run) => `${run === base ? 'base' : ''} ${edge(run) ? 'edge' : ''}`.trim() || null;
  return [overview(), bar(filters(), h('span', {class: 'count'}, `${rows.length} of ${plural(M, 'run')}`)),
    table('leaderboard', columns, rows, {sorted: 'm0', mark})];
}

// ---------------------------------------------------------------- all topics
const unjudgedShare = (t) => sum(D.unjudged.map((of) => of[t])) / (M * K);
const notKept = () => note(`The page keeps the rankings of the ${KEPT.size} topics (of ${Q}) on which the runs differ `
  + 'most; means and tables have all topics.');
function topics() {
  const m = shownMeasure(), ref = reference(m), base = baseline(), rows = chosenRuns(orderOf(m));
  const of = range(Q).map((t) => valuesOf(m, t)), average = of.map(mean);
  const hardest = (list) => [...list].sort((a, b) => better(m) * (average[a] - average[b]) || a - b);
  const cols = S.order === 'qrels' ? LISTS.topics : hardest(LISTS.topics);
  const left = narrow() ? 96 : 170, letters = Math.min(14, Math.max(...cols.map((t) => [...TOPICS[t]].length)));
  const map = grid('heat', {
    rows: rows.length, cols: cols.length, ch: rows.length > 150 ? 12 : 15, left, top: 10 + 7 * letters,
    cw: Math.max(11, Math.min(24, Math.floor((width() - left - 4) / cols.length))), label: 'runs by topics',
    kind: (i, j) => shade(m, value(m, rows[i], cols[j]) - ref[cols[j]]),
    tip: (i, j) => `${RUNS[rows[i]]}\ntopic ${TOPICS[cols[j]]}\n${D.measures[m].name} `
      + `${fixed(value(m, rows[i], cols[j]))}, ${cut(referenceName(), 40)} ${fixed(ref[cols[j]])}`,
    href: (i, j) => (base !== null && base !== rows[i] ? toTwo(rows[i], base, cols[j]) : toTopic(cols[j])),
    row: (i) => [cut(RUNS[rows[i]], narrow() ? 12 : 24), toRun(rows[i])],
    column: (j) => [cut(TOPICS[cols[j]], 14), toTopic(cols[j])],
  });
  const columns = [
    text('Topic', (t) => TOPICS[t], topicLink),
    D.topics.text && text('Text', (t) => D.topics.text[t], (t) => bdi(D.topics.text[t] || ''), {wide: true}),
    col('hardness', (t) => average[t], {up: true}),
    col('best', (t) => better(m) * Math.max(...of[t].map((v) => better(m) * v)), {up: true}),
    col('spread', (t) => Math.max(...of[t]) - Math.min(...of[t])),
    count('relevant', (t) => D.topics.relevant[t]),
    count('judged', (t) => D.topics.judged[t]),
    col('share', unjudgedShare, {show: percent}),
  ];
  const orders = [['hard', 'hardest first'], ['qrels', 'as in the qrels']];
  return [bar(measureChoice(), filters(), choice('Topics', 'order', orders, S.order || 'hard'), differenceLegend(m)),
    map, KEPT.size < Q && notKept(), heading('Topics'),
    table('topics', columns, hardest(range(Q)), {limit: 1000, sorted: 'hardness'})];
}

// ---------------------------------------------------------------- two measures
function scatter() {
  const mx = measureAt(S.x, 0), my = measureAt(S.y, Math.min(1, D.measures.length - 1));
  const rows = chosenRuns(ORDER), means = (m, run) => D.means[m][run];
  const w = Math.min(width(), 980), t = Math.min(580, 0.8 * w), X = axis(mx, 46, w - 12), Y = axis(my, t - 36, 12);
  const rules = [
    X.ticks.map((v) => [s('line', {class: 'rule', x1: X.at(v), x2: X.at(v), y1: 12, y2: t - 36}),
      s('text', {class: 'mid', x: X.at(v), y: t - 21}, X.write(v))]),
    Y.ticks.map((v) => [s('line', {class: 'rule', x1: 46, x2: w - 12, y1: Y.at(v), y2: Y.at(v)}),
      s('text', {class: 'row', x: 41, y: Y.at(v) + 4}, Y.write(v))]),
    s('text', {class: 'title row', x: w - 12, y: t - 4}, `${D.measures[mx].name} →`),
    s('text', {class: 'title', x: 50, y: 22}, `↑ ${D.measures[my].name}`)];
  // named are the baseline and the runs that no other beats on both measures, all runs where there are few
  const beats = (m, o, run) => better(m) * (means(m, o) - means(m, run)) > 0;
  const front = (run) => !rows.some((o) => beats(mx, o, run) && beats(my, o, run));
  const boxes = rows.map((run) => [X.at(means(mx, run)) - 6, Y.at(means(my, run)) - 6, 12, 12]);
  const names = rows.filter((run) => rows.length <= 12 || run === baseline() || front(run)).map((run) => {
    const x = X.at(means(mx, run)), y = Y.at(means(my, run));
    const shown = cut(RUNS[run], 28), size = 6.5 * [...shown].length;
    const right = [x + 9, y - 6, size, 12], other = [x - 9 - size, y - 6, size, 12];
    const free = (box) => box[0] > 46 && box[0] + box[2] < w && !boxes.some((o) => box[0] < o[0] + o[2]
      && o[0] < box[0] + box[2] && box[1] < o[1] + o[3] && o[1] < box[1] + box[3]);
    const box = [right, other].find(free);
    if (!box) return null;
    boxes.push(box);
    return s('text', {class: box === right ? 'label' : 'label row', x: box === right ? x + 9 : x - 9, y: y + 4}, shown);
  });
  const points = rows.map((run) => point(run, X.at(means(mx, run)), Y.at(means(my, run)), [RUNS[run], groupName(run),
    ...[mx, my].map((m) => `${D.measures[m].name} ${fixed(means(m, run))}`)].filter(Boolean).join('\n')));
  const colours = D.groups.slice(0, COLOURS).map((group, g) => h('a', {class: 'group',
    href: changed({group: S.group === wellFormed(group) ? null : group})},
  h('i', {class: `dot c${g + 1}`}), bdi(group)));
  return [
    bar(choice('Across', 'x', measureOptions(), String(mx)), choice('Up', 'y', measureOptions(), String(my)),
      filters()),
    s('svg', {id: 'scatter', width: w, height: t, viewBox: `0 0 ${w} ${t}`, role: 'img',
      'aria-label': 'runs by two measures'}, rules, points, names),
    D.groups.length > 1 && h('p', {class: 'legend'}, colours, D.groups.length > COLOURS && h('span', {class: 'group'},
      h('i', {class: 'dot c0'}), plural(D.groups.length - COLOURS, 'more group'))),
    note('Named are the runs that no other run beats on both measures, where there is room.')];
}

// ---------------------------------------------------------------- pairs of runs
const allPairs = () => (D.pairs ? D.pairs.runs : []).flatMap((a, i) => D.pairs.runs.slice(i + 1)
  .map((b) => pair(a, b)));
const sure = (f) => HOLM && HOLM[f.at] < 0.05;
const ONLY = { // which pairs the table shows
  certain: ['certain whatever the labels', (f) => f.certain && f.certain !== 'undecided'],
  open: ['open: labels could change them', (f) => f.certain === 'undecided'],
  likely: ['P(better) of 95% or more', (f) => Math.max(f.better, f.worse) >= 0.95],
  significant: ['with p < .05', sure],
};
function pairs() {
  if (!D.pairs) return [note('There is one run, so there is no pair.')];
  const all = D.pairs.runs, rows = chosenRuns(all), size = all.length > 80 ? 11 : 15, wanted = new Set(rows);
  const kind = (f) => f && (Math.abs(f.difference) < 1e-9 ? 'd0' : (SIGN * f.difference > 0 ? 'b' : 'w')
    + (sure(f) ? 3 : 1)) + (f.certain === 'undecided' ? ' open' : '');
  const tip = (f) => `${RUNS[f.a]}\nminus ${RUNS[f.b]}\n${MAIN.name} ${signed(f.difference)}`
    + (f.ends ? `, labels allow ${signed(f.ends[0])} to ${signed(f.ends[1])}` : '')
    + (HOLM ? `\np = ${chance(HOLM[f.at])}` : '') + (f.better === null ? '' : `\nP(better) ${percent(f.better)}`);
  const map = grid('matrix', {
    rows: rows.length, cols: all.length, cw: size, ch: size, left: narrow() ? 96 : 170, top: 105,
    label: 'pairs of runs', kind: (i, j) => kind(pair(rows[i], all[j])), tip: (i, j) => tip(pair(rows[i], all[j])),
    href: (i, j) => toTwo(rows[i], all[j]), row: (i) => [cut(RUNS[rows[i]], narrow() ? 12 : 24), toRun(rows[i])],
    column: (j) => [cut(RUNS[all[j]], 14), toRun(all[j])],
  });
  const only = Object.hasOwn(ONLY, S.only || '') ? ONLY[S.only][1] : () => true;
  const list = allPairs().filter((f) => (wanted.has(f.a) || wanted.has(f.b)) && only(f))
    .sort((x, y) => Math.abs(x.difference) - Math.abs(y.difference));
  const link = (f, run) => h('a', {href: toTwo(f.a, f.b)}, bdi(RUNS[run]));
  const columns = [
    text('Run', (f) => RUNS[f.a], (f) => link(f, f.a), {wide: true}),
    text('Other run', (f) => RUNS[f.b], (f) => link(f, f.b), {wide: true}),
    col('gap', (f) => Math.abs(f.difference), {up: true, cell: (f) => signed(f.difference)}),
    HOLM && col('p_pair', (f) => HOLM[f.at], {show: chance, up: true}),
    D.pairs.certain && col('below', (f) => f.ends[0], {show: signed}),
    D.pairs.certain && col('above', (f) => f.ends[1], {show: signed}),
    D.pairs.better && col('better', (f) => f.better, {show: percent}),
    D.pairs.certain && col('verdict', (f) => f.certain, {number: false, cell: (f) => WORDS[f.certain]}),
  ];
  const kinds = Object.entries(ONLY).filter(([, [, of]]) => allPairs().some(of)).map(([key, [name]]) => [key, name]);
  return [bar(filters(), legend(['b3', 'w3'], 'better, worse with p < .05'), legend(['b1', 'w1'], 'not significant'),
    D.pairs.certain && legend(['u'], 'labels could change the order')), map,
  all.length < M && note(`Pairs of the best ${all.length} runs; ${M - all.length} runs are left out.`),
  bar(heading('Closest first'), choice('Show', 'only', [['', 'all pairs'], ...kinds], S.only || ''),
    h('span', {class: 'count'}, `${list.length.toLocaleString('en')} of ${plural(allPairs().length, 'pair')}`)),
  table('pairs', columns, list, {limit: 200, sorted: 'gap'})];
}

// ---------------------------------------------------------------- what to judge next, over all runs
function nothingToJudge() {
  return D.imputed ? 'Nothing: which of two runs is better is settled with a chance of 95% for every pair.'
    : 'Nothing: no label could change the order of two runs.';
}
const topicOf = ({topic}) => topicLink(topic);
const placeOf = ({topic, id}) => (KEPT.has(topic) ? LISTS.docs[KEPT.get(topic)].indexOf(id) : null);
const documentOf = (row) => h('a', {href: toTopic(row.topic, {doc: placeOf(row)})}, bdi(row.id));
function next() {
  if (!D.next || !D.next.length) return [note(nothingToJudge())];
  const columns = [
    text('Topic', (row) => TOPICS[row.topic], topicOf), text('Document', (row) => row.id,
      (row) => [documentOf(row), KEPT.has(row.topic) && textOf(KEPT.get(row.topic), placeOf(row))], {wide: true}),
    col('p_relevant', (row) => row.p, {show: percent}), count('runs', (row) => row.runs),
    count('pairs', (row) => row.pairs), col('effect', (row) => row.effect, {show: percent})];
  return [note('Unjudged documents by how much their labels matter for the order of the runs. Judge the first ones, '
    + 'add them to the qrels and make the report again: what is open has changed.'),
    table('next', columns, D.next, {sorted: 'effect'}),
    h('details', {}, h('summary', {}, 'As a list for assessors: topic, document'),
      h('pre', {id: 'pool'}, D.next.map((row) => `${TOPICS[row.topic]} ${row.id}`).join('\n')))];
}
