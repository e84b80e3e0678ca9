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
function interval(run, low, high) { // mean and interval on a scale common to all runs
  const x = (v) => 4 + (76 * (v - low)) / Math.max(high - low, 1e-9), r = D.ranks;
  return s('svg', {width: 84, height: 14, class: 'interval', 'aria-hidden': 'true'},
    s('line', {class: 'rule', x1: 4, x2: 80, y1: 7, y2: 7}),
    r && s('line', {class: 'span', x1: x(r.low[run]), x2: x(r.high[run]), y1: 7, y2: 7}),
    s('circle', {class: 'mean', cx: x(D.means[0][run]), cy: 7, r: 3}));
}
function amount(m, run) { // a number over a bar that compares it with the largest of its column
  const most = Math.max(...D.means[m].map(Math.abs)), shown = h('span', {class: 'amount'}, fixed(D.means[m][run]));
  shown.style.setProperty('--share', `${most ? (100 * Math.abs(D.means[m][run])) / most : 0}%`);
  return shown;
}
function runs() {
  const base = baseline(), r = D.ranks, rows = chosenRuns(ORDER), tallies = RUNS.map((_, run) => against(run));
  const low = Math.min(...(r ? r.low : D.means[0])), high = Math.max(...(r ? r.high : D.means[0]));
  const p = new Map(); // against the baseline, corrected for the number of runs compared with it
  if (base !== null) {
    const others = range(M).map((run) => pair(run, base)).filter((f) => f && f.p !== null);
    holm(others.map((f) => f.p)).forEach((corrected, at) => p.set(others[at].a, corrected));
  }
  const typical = mean(reference(0)), sure = r ? percent(r.level) : '';
  const ranks = (run) => (r && r.rank_low[run] < r.rank_high[run] ? ` ${r.rank_low[run]}–${r.rank_high[run]}` : '');
  const about = (measure) => `${measure.title}: ${measure.about} ${measure.adds ? 'Sum' : 'Mean'} over topics`;
  const columns = [
    {key: 'star', label: '', cell: star},
    count('rank', 'Rank', (run) => RANK[0][run], `Rank by ${MAIN.name}`
      + (r ? `, and the ranks that ${sure} of bootstrap samples of the topics give` : ''),
    {cell: (run) => [String(RANK[0][run]), h('small', {}, ranks(run))]}),
    text('run', 'Run', (run) => RUNS[run], runLink, {wide: true}),
    D.groups.length > 0 && text('group', 'Group', groupName, groupOf),
    r && count('tier', 'Tier', (run) => r.tier[run],
      'Runs of one tier cannot be told apart from its best by these topics'),
    number('m0', MAIN.name, (run) => D.means[0][run],
      about(MAIN) + (r ? `, with its ${sure} interval (bootstrap over topics)` : ''),
      {define: 0, first: SIGN > 0 ? 'desc' : 'asc',
        cell: (run) => [interval(run, low, high), h('b', {}, fixed(D.means[0][run]))]}),
    D.imputed && number('imputed', 'Imputed', (run) => D.imputed.mean[run],
      `Mean ${MAIN.name} of these topics once the unjudged documents have labels: expected value and `
        + `${percent(D.imputed.level)} interval${D.imputed.calibrated ? '' : ' (of a model that is not calibrated)'}`,
      {first: 'desc', cell: (run) => [fixed(D.imputed.mean[run]),
        h('small', {}, ` ${fixed(D.imputed.low[run])}–${fixed(D.imputed.high[run])}`)]}),
    number('difference', 'Difference', (run) => D.means[0][run] - typical,
      `Mean ${MAIN.name} minus that of ${referenceName()}`, {first: 'desc', show: signed}),
    base !== null && p.size > 0 && number('p', 'p', (run) => p.get(run),
      `Paired t-test against the baseline, Holm’s correction for ${plural(p.size, 'test')}`, {show: chance}),
    number('won', 'Won\u2060–\u2060lost', (run) => tallies[run].won - tallies[run].lost,
      `Topics on which the run is better or worse than ${referenceName()}; the others are ties`,
      {first: 'desc', cell: (run) => `${tallies[run].won}–${tallies[run].lost}`}),
    ...D.measures.slice(1).map((measure, at) => number(`m${at + 1}`, measure.name, (run) => D.means[at + 1][run],
      about(measure), {define: at + 1, first: measure.better === 'smaller' ? 'asc' : 'desc',
        cell: (run) => amount(at + 1, run)})),
  ];
  const edge = (run) => !S.sort && r && rows.indexOf(run) > 0 && r.tier[run] !== r.tier[rows[rows.indexOf(run) - 1]];
  const mark = (run) => `${run === base ? 'base' : ''} ${edge(run) ? 'edge' : ''}`.trim() || null;
  return [bar(filters(), h('span', {class: 'count'}, `${rows.length} of ${plural(M, 'run')}`)),
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
    col: (j) => [cut(TOPICS[cols[j]], 14), toTopic(cols[j])],
  });
  const best = (t) => better(m) * Math.max(...of[t].map((v) => better(m) * v));
  const columns = [
    text('topic', 'Topic', (t) => TOPICS[t], topicLink),
    D.topics.text && text('text', 'Text', (t) => D.topics.text[t], (t) => bdi(D.topics.text[t] || ''), {wide: true}),
    number('mean', 'Mean', (t) => average[t], `Mean ${D.measures[m].name} of all runs: how hard the topic is`),
    number('best', 'Best', best, 'The best value of any run: where it is low, all runs fail'),
    number('spread', 'Spread', (t) => Math.max(...of[t]) - Math.min(...of[t]),
      'Highest value minus lowest: how well the topic tells runs apart', {first: 'desc'}),
    count('relevant', 'Relevant', (t) => D.topics.relevant[t], 'Judged documents with a grade above 0'),
    count('judged', 'Judged', (t) => D.topics.judged[t], 'Judged documents'),
    number('unjudged', 'Unjudged', unjudgedShare, `Share of unjudged documents in the top ${K} of all runs`,
      {first: 'desc', show: percent}),
  ];
  const orders = [['hard', 'hardest first'], ['qrels', 'as in the qrels']];
  return [bar(measureChoice(), filters(), choice('Topics', 'order', orders, S.order || 'hard'), differenceLegend(m)),
    map, KEPT.size < Q && notKept(), heading('Topics'),
    table('topics', columns, hardest(range(Q)), {limit: 1000, sorted: 'mean'})];
}

// ---------------------------------------------------------------- two measures
function axis(m, from, upto) { // a scale over the means of a measure, from 0 where 0 is near
  const low = Math.min(...D.means[m]), high = Math.max(...D.means[m]), room = 0.06 * (high - low) || 0.1;
  const start = low >= 0 && low < 0.4 * high ? 0 : low - room, end = high + room;
  const steps = range(9).flatMap((k) => [1, 2, 5].map((n) => n * 10 ** (k - 4)));
  const step = steps.find((size) => (end - start) / size <= 8) || 1e5;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = range(12).map((k) => (Math.ceil(start / step - 1e-9) + k) * step).filter((v) => v <= end);
  return {at: (v) => from + ((upto - from) * (v - start)) / (end - start), ticks, write: (v) => fixed(v, digits)};
}
function scatter() {
  const last = D.measures.length - 1;
  const pick = (chosen, other) => Math.min(empty(chosen) ? other : Number(chosen) || 0, last);
  const mx = pick(S.x, 0), my = pick(S.y, 1), rows = chosenRuns(ORDER), means = (m, run) => D.means[m][run];
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
  const legend = D.groups.slice(0, COLOURS).map((group, g) => h('a', {class: 'group',
    href: changed({group: S.group === wellFormed(group) ? null : group})},
  h('i', {class: `dot c${g + 1}`}), bdi(group)));
  return [
    bar(choice('Across', 'x', measureOptions(), String(mx)), choice('Up', 'y', measureOptions(), String(my)),
      filters()),
    h('div', {class: 'scroll'}, s('svg', {id: 'scatter', width: w, height: t, viewBox: `0 0 ${w} ${t}`,
      role: 'img', 'aria-label': 'runs by two measures'}, rules, points, names)),
    D.groups.length > 1 && h('p', {class: 'legend'}, legend, D.groups.length > COLOURS && h('span', {class: 'group'},
      h('i', {class: 'dot c0'}), plural(D.groups.length - COLOURS, 'more group'))),
    note('Named are the runs that no other run beats on both measures, where there is room.')];
}

// ---------------------------------------------------------------- pairs of runs
function pairs() {
  if (!D.pairs) return [note('There is one run, so there is no pair.')];
  const all = D.pairs.runs, rows = chosenRuns(all), size = all.length > 80 ? 11 : 15;
  const kind = (f) => f && (Math.abs(f.difference) < 1e-9 ? 'd0'
    : (SIGN * f.difference > 0 ? 'b' : 'w') + (HOLM && HOLM[f.at] < 0.05 ? 3 : 1))
    + (verdict(f.ends) === 'undecided' ? ' open' : '');
  const tip = (f) => `${RUNS[f.a]}\nminus ${RUNS[f.b]}\n${MAIN.name} ${signed(f.difference)}`
    + (f.ends ? `, labels allow ${signed(f.ends[0])} to ${signed(f.ends[1])}` : '')
    + (HOLM ? `\np = ${chance(HOLM[f.at])}` : '') + (f.better === null ? '' : `\nP(better) ${percent(f.better)}`);
  const map = grid('matrix', {
    rows: rows.length, cols: all.length, cw: size, ch: size, left: narrow() ? 96 : 170, top: 105,
    label: 'pairs of runs', kind: (i, j) => kind(pair(rows[i], all[j])), tip: (i, j) => tip(pair(rows[i], all[j])),
    href: (i, j) => toTwo(rows[i], all[j]), row: (i) => [cut(RUNS[rows[i]], narrow() ? 12 : 24), toRun(rows[i])],
    col: (j) => [cut(RUNS[all[j]], 14), toRun(all[j])],
  });
  const wanted = new Set(rows), list = all.flatMap((a, i) => all.slice(i + 1)
    .filter((b) => wanted.has(a) || wanted.has(b)).map((b) => pair(a, b)))
    .sort((x, y) => Math.abs(x.difference) - Math.abs(y.difference));
  const link = (f, run) => h('a', {href: toTwo(f.a, f.b)}, bdi(RUNS[run]));
  const columns = [
    text('a', 'Run', (f) => RUNS[f.a], (f) => link(f, f.a), {wide: true}),
    text('b', 'Other run', (f) => RUNS[f.b], (f) => link(f, f.b), {wide: true}),
    number('difference', 'Difference', (f) => Math.abs(f.difference), `Difference of the mean ${MAIN.name}`,
      {cell: (f) => signed(f.difference)}),
    HOLM && number('p', 'p', (f) => HOLM[f.at], `Paired t-test, Holm’s correction for ${plural(HOLM.length, 'pair')}`,
      {show: chance}),
    D.pairs.below && number('below', 'At least', (f) => f.ends[0],
      'The smallest difference of the means that labels of unjudged documents allow (MED, signed)', {show: signed}),
    D.pairs.below && number('above', 'At most', (f) => f.ends[1],
      'The largest difference of the means that labels of unjudged documents allow (MED, signed)', {show: signed}),
    D.pairs.better && number('better', 'P(better)', (f) => f.better,
      'Chance that the run is the better one once the unjudged documents have labels', {first: 'desc', show: percent}),
    D.pairs.below && text('verdict', 'Verdict on these topics', (f) => verdict(f.ends), (f) => WORDS[verdict(f.ends)]),
  ];
  const legend = (name, word) => h('span', {class: 'legend'}, h('i', {class: `chip ${name}`}), word);
  return [bar(filters(), legend('b3', 'better'), legend('w3', 'worse, p < .05 (Holm)'), legend('b1', 'better'),
    legend('w1', 'worse, not significant'), D.pairs.below && legend('u', 'labels could change the order')), map,
  all.length < M && note(`Pairs of the best ${all.length} runs; ${M - all.length} runs are left out.`),
  heading('Closest first'), table('pairs', columns, list, {limit: 200, sorted: 'difference'})];
}

function next() { // what to judge next, over all runs
  const {columns, rows} = D.next || {columns: [], rows: []};
  const cell = (row, c) => (c === 0 && TOPIC_PLACE.has(row[0]) ? topicLink(TOPIC_PLACE.get(row[0]))
    : typeof row[c] !== 'number' ? bdi(String(row[c])) : Number.isInteger(row[c]) ? String(row[c]) : fixed(row[c], 4));
  return [note('Unjudged documents whose labels would settle most of the order of the runs, the most telling first.'),
    table('next', columns.map(([label, tip], c) => ({key: `c${c}`, label, tip, number: c > 1, of: (row) => row[c],
      cell: (row) => cell(row, c), first: c > 1 ? 'desc' : 'asc'})), rows)];
}
