// The views behind the tabs: all runs, groups, all topics, two measures, pairs, documents to judge next. Each is a
// function that returns the nodes it shows.

// ---------------------------------------------------------------- all runs
function amount(m, run) { // a number over a bar that compares it with the largest of its column
  const most = once(`most ${m}`, () => Math.max(...D.means[m].map(Math.abs)));
  const shown = h('span', {class: 'amount'}, fixed(D.means[m][run]));
  shown.style.setProperty('--share', `${most ? (100 * Math.abs(D.means[m][run])) / most : 0}%`);
  return shown;
}
const card = (title, href, ...lines) => h('section', {}, h('h2', {}, h('a', {href}, title)),
  lines.flat().filter(Boolean).map((line) => h('p', {}, line)));
const counted = (rows, all, word) => (rows.length < all ? `${number(rows.length)} of ` : '') + plural(all, word);
const ordinal = (n) => `${n}${n % 100 > 10 && n % 100 < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][n % 10] || 'th'}`;
function overview() { // the first questions of someone who runs a track, each answered in a click
  const adds = D.adds, all = allPairs().length, seen = new Set();
  const firsts = adds === null ? [] : orderOf(adds).filter((run) => { // the best run of each group
    const group = D.runs.group[run] === null ? `run ${run}` : D.runs.group[run];
    return !seen.has(group) && seen.add(group);
  });
  const linked = (only, words, of = '') => h('span', {}, words, ': ',
    h('a', {href: to('pairs', {only}), id: `card-${only}`}, h('b', {}, number(onlyCount(only)))), of);
  return h('div', {class: 'cards'},
    adds !== null && M > 1 && card('Who adds most to the others?', to('scatter', {y: adds}),
      h('span', {tip: meaning(`m${adds}`)}, `By ${D.measures[adds].name}`
        + (D.groups.length > 1 ? ', the best run of each group:' : ':')),
      firsts.slice(0, 3).map((run) => h('span', {}, h('b', {}, fixed(D.means[adds][run])), ' ', runLink(run),
        `, ${ordinal(D.places[0][run])} by ${MAIN.name}`))),
    all > 0 && card('Which runs differ?', to('pairs'),
      HOLM && linked('significant', 'Significant over topics (p < .05, Holm)', ` of ${number(all)} pairs`),
      D.pairs.settled && linked('settled', 'Settled by the judgements (no possible label reverses the order on '
        + `${Q === 1 ? 'this topic' : `these ${number(Q)} topics`})`),
      D.pairs.better && linked('likely', `Not settled, but likely by the label model (${100 * LEVEL}% or more)`)),
    D.next && card('What to judge next?', to('next'), D.next.documents.length
      ? `${judgementsLeft()} The first of them:` : nothingToJudge(),
    D.next.documents.slice(0, 2).map((row) => h('span', {}, 'topic ', topicOf(row), ' document ', documentOf(row)))));
}
const copiesOf = (run) => (D.runs.copies[run] === null ? []
  : range(M).filter((o) => o !== run && D.runs.copies[o] === D.runs.copies[run]));
function copyTag(run) {
  const others = copiesOf(run);
  return others.length > 0 && h('small', {class: 'tag', tip: `The same top ${K} on every topic: `
    + cut([run, ...others].map((o) => RUNS[o]).join(', '), 300)}, 'copy');
}
function copyNote(m, run) { // a measure of what a run adds suffers from copies of it among the prior runs
  const prior = D.measures[m].prior;
  const others = prior === null ? [] : copiesOf(run)
    .filter((o) => prior !== 'groups' || D.runs.group[o] !== D.runs.group[run]);
  return others.length > 0 && h('small', {class: 'tag', tip: `The prior runs include a copy of this run (${
    cut(others.map((o) => RUNS[o]).join(', '), 200)}), which leaves little for it to add.`}, 'copy');
}
function baselineTests() { // run -> p-value against the baseline, corrected for the number of other runs
  const base = baseline();
  return once(`tests ${base}`, () => {
    const others = base === null ? [] : range(M).map((run) => pair(run, base)).filter((f) => f && f.p !== null);
    const corrected = holm(others.map((f) => f.p));
    return new Map(others.map((f, at) => [f.a, corrected[at]]));
  });
}
function runs() {
  const base = baseline(), r = D.ranks, rows = chosenRuns(ORDER), imputed = D.imputed, tests = baselineTests();
  const X = zoom(narrow() ? 84 : base === null ? 200 : 120);
  const rankInterval = (run) => (r && r.rank_low[run] < r.rank_high[run]
    ? ` ${r.rank_low[run]}–${r.rank_high[run]}` : '');
  const aside = [D.groups.length > 0 && text('Group', groupName, groupOf),
    r && count('tier', (run) => r.tier[run], {up: true})];
  const columns = [
    col('rank', (run) => D.places[0][run], {up: true, number: false,
      cell: (run) => [star(run), D.places[0][run], h('small', {}, rankInterval(run))],
      also: r && [['Rank low', (run) => r.rank_low[run]], ['Rank high', (run) => r.rank_high[run]]]}),
    text('Run', (run) => RUNS[run], (run) => [runLink(run), copyTag(run)], {wide: true}),
    ...(narrow() ? [] : aside),
    col('m0', (run) => D.means[0][run], {up: SIGN < 0, under: intervalAxis(X),
      cell: (run) => [intervals(run, X), h('b', {}, fixed(D.means[0][run]))],
      also: r && [['Topic interval low', (run) => r.low[run]], ['Topic interval high', (run) => r.high[run]]]}),
    imputed && col('imputed', (run) => imputed.mean[run], {also: [['Label interval low', (run) => imputed.low[run]],
      ['Label interval high', (run) => imputed.high[run]]]}),
    base !== null && col('difference', (run) => D.means[0][run] - D.means[0][base],
      {cell: (run) => (run === base ? '–' : [signed(D.means[0][run] - D.means[0][base]),
        tests.has(run) && h('small', {}, ` p ${chance(tests.get(run))}`)]),
      also: [['p', (run) => tests.get(run)]]}),
    col('won', (run) => against(run).won - against(run).lost,
      {cell: (run) => `${against(run).won}–${against(run).lost}`,
        also: [['Won', (run) => against(run).won], ['Lost', (run) => against(run).lost]]}),
    ...range(D.measures.length).slice(1).map((m) => col(`m${m}`, (run) => D.means[m][run],
      {up: better(m) < 0, cell: (run) => [copyNote(m, run), amount(m, run)]})),
    ...(narrow() ? aside : []),
  ];
  const edges = new Set(S.sort || !r ? [] : rows.filter((run, at) => at > 0 && r.tier[run] !== r.tier[rows[at - 1]]));
  const mark = (run) => `${run === base ? 'base' : ''} ${edges.has(run) ? 'edge' : ''}`.trim() || null;
  return [overview(), D.notes.length > 0 && note(D.notes.join(' ')),
    table('leaderboard', columns, rows, {sorted: 'm0', mark, head: [filters(),
      h('span', {class: 'count'}, counted(rows, M, 'run')), intervalLegend(X)]})];
}

// ---------------------------------------------------------------- groups
function groups() {
  const members = D.groups.map(() => []);
  for (const run of ORDER) members[D.runs.group[run]].push(run); // best first
  const wanted = new Set(chosenRuns(ORDER).map((run) => D.runs.group[run]));
  const rows = range(D.groups.length).filter((g) => wanted.has(g)), best = (g) => members[g][0];
  const averaged = (m, g) => mean(members[g].map((run) => D.means[m][run]));
  const columns = [
    text('Group', (g) => D.groups[g], (g) => h('a', {href: to('runs', {group: D.groups[g]})}, marker(shapeOf(g)),
      bdi(D.groups[g])), {wide: true}),
    count('n_runs', (g) => members[g].length),
    text('Best run', (g) => RUNS[best(g)], (g) => runLink(best(g)), {wide: true}),
    count('best_rank', (g) => D.places[0][best(g)], {up: true}),
    col('best_score', (g) => D.means[0][best(g)], {up: SIGN < 0}),
    col('group_mean', (g) => averaged(0, g), {up: SIGN < 0}),
    D.adds !== null && col('group_adds', (g) => better(D.adds) * Math.max(...members[g]
      .map((run) => better(D.adds) * D.means[D.adds][run]))),
    count('group_alone', (g) => D.alone[g]),
    col('group_unjudged', (g) => sum(members[g].map((run) => sum(D.unjudged[run]))) / (members[g].length * Q * K),
      {show: percent})];
  return [table('groups', columns, rows, {sorted: 'best_rank', head: [filters(),
    h('span', {class: 'count'}, counted(rows, D.groups.length, 'group'))]})];
}

// ---------------------------------------------------------------- all topics
const unjudgedShare = (t) => sum(D.unjudged.map((of) => of[t])) / (M * K);
const notKept = () => note(`The page contains the rankings of ${KEPT.size} of ${Q} topics: those on which the runs `
  + 'differ most. Means and tables cover all topics.');
function topics() {
  const m = shownMeasure(), ref = reference(m), base = baseline(), rows = chosenRuns(orderOf(m));
  const of = range(Q).map((t) => valuesOf(m, t)), average = of.map(mean);
  const hardest = (list) => [...list].sort((a, b) => better(m) * (average[a] - average[b]) || a - b);
  const cols = S.order === 'qrels' ? LISTS.topics : hardest(LISTS.topics);
  const left = narrow() ? 96 : 170, letters = Math.min(14, Math.max(...cols.map((t) => [...TOPICS[t]].length)));
  const map = grid('heat', {
    rows: rows.length, cols: cols.length, ch: rows.length > 150 ? 12 : 15, left, top: Math.max(18, 10 + 7 * letters),
    cw: Math.max(11, Math.min(24, Math.floor((width() - left - 4) / cols.length))), label: 'runs by topics',
    corner: 'runs ↓ topics →',
    kind: (i, j) => shade(m, value(m, rows[i], cols[j]) - ref[cols[j]]),
    tip: (i, j) => `${RUNS[rows[i]]}\ntopic ${TOPICS[cols[j]]}\n${D.measures[m].name} `
      + `${fixed(value(m, rows[i], cols[j]))}, ${cut(referenceName(), 40)} ${fixed(ref[cols[j]])}`,
    href: (i, j) => (base !== null && base !== rows[i] ? toTwo(rows[i], base, cols[j]) : toTopic(cols[j])),
    row: (i) => [cut(RUNS[rows[i]], narrow() ? 12 : 24, 5), toRun(rows[i])],
    column: (j) => [cut(TOPICS[cols[j]], 14, 4), toTopic(cols[j])],
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
    map, KEPT.size < Q && notKept(),
    table('topics', columns, hardest(range(Q)), {limit: 1000, sorted: 'hardness',
      head: heading(`Topics by ${D.measures[m].name}`)})];
}

// ---------------------------------------------------------------- two measures
function scatter() {
  const mx = measureAt(S.x, 0), my = measureAt(S.y, Math.min(1, D.measures.length - 1));
  const rows = chosenRuns(ORDER), means = (m, run) => D.means[m][run];
  const w = Math.min(width(), 980), t = Math.min(580, 0.8 * w), X = axis(mx, 46, w - 12), Y = axis(my, t - 36, 26);
  const rules = [
    X.ticks.map((v) => [s('line', {class: 'rule', x1: X.at(v), x2: X.at(v), y1: 26, y2: t - 36}),
      s('text', {class: 'mid', x: X.at(v), y: t - 21}, X.write(v))]),
    Y.ticks.map((v) => [s('line', {class: 'rule', x1: 46, x2: w - 12, y1: Y.at(v), y2: Y.at(v)}),
      s('text', {class: 'row', x: 41, y: Y.at(v) + 4}, Y.write(v))]),
    s('text', {class: 'title row', x: w - 12, y: t - 4}, `${D.measures[mx].name} →`),
    s('text', {class: 'title', x: 46, y: 14}, `↑ ${D.measures[my].name}`)];
  // named are the baseline and the runs that no other beats on both measures, all runs where there are few
  const beats = (m, o, run) => better(m) * (means(m, o) - means(m, run)) > 0;
  const front = (run) => !rows.some((o) => beats(mx, o, run) && beats(my, o, run));
  const boxes = rows.map((run) => [X.at(means(mx, run)) - 6, Y.at(means(my, run)) - 6, 12, 12]);
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const names = rows.filter((run) => rows.length <= 12 || run === baseline() || front(run)).map((run) => {
    const x = X.at(means(mx, run)), y = Y.at(means(my, run));
    const shown = cut(RUNS[run], 28, 5), size = pen.measureText(shown).width;
    const places = [['', x + 9, x + 9, y - 6], ['row', x - 9, x - 9 - size, y - 6], ['mid', x, x - size / 2, y - 20],
      ['mid', x, x - size / 2, y + 8]].map(([anchor, at, from, top]) => [anchor, at, [from, top, size, 12]]);
    const free = ([, , box]) => box[0] > 46 && box[0] + box[2] < w && !boxes.some((o) => box[0] < o[0] + o[2]
      && o[0] < box[0] + box[2] && box[1] < o[1] + o[3] && o[1] < box[1] + box[3]);
    const [anchor, at, box] = places.find(free) || [];
    if (!box) return null;
    boxes.push(box);
    return s('text', {class: `label ${anchor}`, x: at, y: box[1] + 10}, shown);
  });
  const inFront = (run) => (run === baseline() ? 2 : Number(groupShape(run) > 0)); // grey points lie behind
  const points = [...rows].sort((a, b) => inFront(a) - inFront(b))
    .map((run) => point(run, X.at(means(mx, run)), Y.at(means(my, run)), [RUNS[run], groupName(run),
      ...[mx, my].map((m) => `${D.measures[m].name} ${fixed(means(m, run))}`)].filter(Boolean).join('\n')));
  const colours = D.groups.slice(0, COLOURS).map((group, g) => h('a', {class: 'group',
    href: changed({group: S.group === wellFormed(group) ? null : group})},
  marker(g + 1), bdi(group)));
  return [
    bar(choice('Horizontal', 'x', measureOptions(), String(mx)), choice('Vertical', 'y', measureOptions(), String(my)),
      filters()),
    s('svg', {id: 'scatter', width: w, height: t, viewBox: `0 0 ${w} ${t}`, role: 'img',
      'aria-label': 'runs by two measures'}, rules, points, names),
    D.groups.length > 1 && h('p', {class: 'legend'}, colours, D.groups.length > COLOURS && h('span', {class: 'group'},
      marker(0), plural(D.groups.length - COLOURS, 'more group'))),
    note('Labelled: the runs that no other run beats on both measures, as far as there is room.')];
}

// ---------------------------------------------------------------- pairs of runs
function matrix(rows) {
  const all = D.pairs.runs, size = all.length > 80 ? 11 : 15;
  const kind = (f) => f && (Math.abs(f.difference) < 1e-9 ? 'd0' : (SIGN * f.difference > 0 ? 'b' : 'w')
    + (isSignificant(f) ? 3 : 1)) + (f.settled === 'no' ? ' open' : '');
  return [grid('matrix', {
    rows: rows.length, cols: all.length, cw: size, ch: size, left: narrow() ? 96 : 170, top: 105,
    label: 'pairs of runs', corner: 'run ↓ other →', kind: (i, j) => kind(pair(rows[i], all[j])),
    tip: (i, j) => pairWords(pair(rows[i], all[j])),
    href: (i, j) => toTwo(rows[i], all[j]), row: (i) => [cut(RUNS[rows[i]], narrow() ? 12 : 24, 5), toRun(rows[i])],
    column: (j) => [cut(RUNS[all[j]], 14, 5), toRun(all[j])],
  }), bar(legend(['b3', 'w3'], 'better or worse, significant'),
    legend(['b1', 'w1'], 'better or worse, not significant'), D.pairs.settled && legend(['u'], 'not settled'))];
}
const pairWords = (f) => inWords(f, (run) => RUNS[run]).join('');
function pairs() {
  if (!D.pairs) return [note('There is only one run, so there are no pairs.')];
  const all = D.pairs.runs, rows = chosenRuns(all), wanted = new Set(rows);
  const only = Object.hasOwn(ONLY, S.only || '') ? ONLY[S.only][1] : () => true;
  const list = closestPairs().filter((f) => (wanted.has(f.a) || wanted.has(f.b)) && only(f));
  const link = (f, run) => h('a', {href: toTwo(f.a, f.b)}, bdi(RUNS[run]));
  const columns = [
    text('Run', (f) => RUNS[f.a], (f) => link(f, f.a), {wide: true}),
    text('Other run', (f) => RUNS[f.b], (f) => link(f, f.b), {wide: true}),
    col('gap', (f) => Math.abs(f.difference), {up: true,
      cell: (f) => h('span', {tip: pairWords(f)}, signed(f.difference))}),
    HOLM && col('p_pair', (f) => HOLM[f.at], {show: chance, up: true}),
    D.pairs.settled && col('low', (f) => f.ends[0], {show: signed}),
    D.pairs.settled && col('high', (f) => f.ends[1], {show: signed}),
    D.pairs.better && col('better', (f) => f.better, {show: percent}),
    D.pairs.settled && col('settled', verdict, {number: false}),
  ];
  const kinds = Object.entries(ONLY).map(([key, [name]]) => [key, name]);
  const folded = all.length > 40, map = h('details', {id: 'matrix-fold', open: !folded},
    h('summary', {}, `All pairs as a matrix (${plural(rows.length, 'row')})`));
  const draw = () => { if (map.open && map.children.length === 1) map.append(...matrix(rows).flat(Infinity)); };
  map.addEventListener('toggle', draw); // 40,000 cells are drawn only if someone wants to see them
  draw();
  return [table('pairs', columns, list, {limit: folded ? 50 : 20, sorted: 'gap', head: [
    choice('Show', 'only', [['', 'all pairs'], ...kinds], S.only || ''), filters(), h('span', {class: 'count'},
      counted(list, allPairs().length, 'pair') + (S.sort ? '' : ', closest first'))]}), map,
  all.length < M && note(`Pairs of the best ${all.length} runs; ${M - all.length} runs are left out.`)];
}

// ---------------------------------------------------------------- documents to judge next, over all runs
function nothingToJudge() {
  return D.imputed ? `Nothing: for every pair of runs, one order has a probability of ${100 * LEVEL}% or more.`
    : 'Nothing: every pair of runs is settled.';
}
const judgementsLeft = () => 'Expected number of judgements until every pair is settled'
  + `${D.imputed ? ' or likely' : ''}: ${number(D.next.left)}.`;
const topicOf = ({topic}) => topicLink(topic);
const placeOf = ({topic, id}) => (KEPT.has(topic) ? LISTS.docs[KEPT.get(topic)].indexOf(id) : null);
const documentOf = (row) => h('a', {href: toTopic(row.topic, {doc: placeOf(row)})}, docName(row.id));
function next() {
  if (!D.next || !D.next.documents.length) return [note(nothingToJudge())];
  const most = D.next.documents.length, sizes = [...[10, 20, 50].filter((n) => n < most), most];
  const n = sizes.includes(Number(S.n)) ? Number(S.n) : Math.min(20, most), rows = D.next.documents.slice(0, n);
  const columns = [
    text('Topic', (row) => TOPICS[row.topic], topicOf), text('Document', (row) => row.id,
      (row) => [documentOf(row), KEPT.has(row.topic) && textOf(KEPT.get(row.topic), placeOf(row))], {wide: true}),
    col('p_relevant', (row) => row.p, {show: percent}), count('runs', (row) => row.runs),
    count('pairs', (row) => row.pairs), col('effect', (row) => row.effect, {show: percent})];
  const pool = () => rows.map((row) => `${TOPICS[row.topic]} ${row.id}\n`).join('');
  return [note('Unjudged documents, ordered by how much their labels matter for the order of the runs. Judge the first '
    + 'ones, add them to the qrels and create the report again. ', judgementsLeft()),
  table('next', columns, rows, {sorted: 'effect', head: [
    choice('Documents', 'n', sizes.map((size) => [String(size), String(size)]), String(n)),
    h('button', {id: 'save-pool', onclick: () => save(pool(), 'pool.txt', 'text/plain')}, 'Download pool file'),
    h('span', {class: 'count'}, 'The pool file has a topic and a document in each line.')]})];
}
