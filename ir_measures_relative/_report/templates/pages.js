// The pages behind the tabs: one run, one topic, two runs on a topic.

const missing = (what, name) => [h('h1', {}, `Unknown ${what}`),
  note(`There is no ${what} `, bdi(String(name)), ' in this report.')];
const textOf = (at, doc) => LISTS.text && LISTS.text[at][doc]
  && h('p', {class: 'text', dir: 'auto'}, LISTS.text[at][doc]);
const topicText = (t) => D.topics.text && D.topics.text[t] && h('p', {class: 'text', dir: 'auto'}, D.topics.text[t]);
const step = (t, by) => h('a', {class: 'step', href: changed({topic: TOPICS[(t + by + Q) % Q], doc: null}),
  'aria-label': by < 0 ? 'previous topic' : 'next topic'}, by < 0 ? '‹' : '›');

const differenceIn = (m) => `difference in ${D.measures[m].name}`;

// ---------------------------------------------------------------- one run
function oneRun() {
  const run = place(RUN_PLACE, S.run);
  if (run === null) return missing('run', S.run);
  const m = shownMeasure(), ref = reference(m), base = baseline(), {won, tied, lost} = against(run), r = D.ranks;
  const items = range(Q).map((t) => ({value: value(m, run, t) - ref[t], kind: shade(m, value(m, run, t) - ref[t]),
    name: TOPICS[t], href: base !== null && base !== run ? toTwo(run, base, t) : toTopic(t),
    tip: `topic ${TOPICS[t]}\n${D.measures[m].name} ${fixed(value(m, run, t))}, `
      + `${cut(referenceName(), 40)} ${fixed(ref[t])}`})).sort((x, y) => better(m) * (y.value - x.value));
  const shown = [...KEPT].flatMap(([t, at]) => LISTS.rank[at][run].map((doc, rank) => ({t, at, doc, rank: rank + 1,
    id: LISTS.docs[at][doc], grade: LISTS.grade[at][doc], by: LISTS.found[at][0][doc]})));
  const alone = shown.filter((row) => row.grade > 0 && row.by === 1)
    .sort((x, y) => y.grade - x.grade || x.rank - y.rank);
  const unjudged = shown.filter((row) => row.grade === null).sort((x, y) => x.rank - y.rank || x.by - y.by);
  const columns = [text('Topic', (row) => TOPICS[row.t], (row) => topicLink(row.t)),
    text('Document', (row) => row.id, (row) => h('a', {href: toTopic(row.t, {doc: row.doc})}, docName(row.id)),
      {wide: true}), count('place', (row) => row.rank, {up: true})];
  const grade = col('grade', (row) => row.grade, {cell: (row) => chip(row.grade)});
  const relevant = LISTS.p && col('p_relevant', (row) => relevance(row.at, row.doc),
    {cell: (row) => gradeBar(row.at, row.doc)});
  const onlyHere = heading('Found by this run alone'), open = heading(`Unjudged in its top ${K}`);
  onlyHere.dataset.tip = `Relevant documents that no other run has in its top ${K}.`;
  const near = (D.pairs ? D.pairs.runs : []).map((other) => pair(run, other)).filter((f) => f && f.med !== null)
    .sort((x, y) => x.med - y.med);
  const tally = (word) => near.filter((f) => f.settled === word).length;
  const section = (...rest) => h('section', {}, ...rest), copies = copiesOf(run);
  return [h('h1', {}, star(run), ' ', bdi(RUNS[run], null), ' ', groupOf(run)),
    copies.length > 0 && note(`The same top ${K} on every topic: `,
      copies.map((o, at) => [at > 0 && ', ', runLink(o)]), '.'),
    h('div', {class: 'facts'}, D.measures.map((_, k) => fact(`m${k}`, fixed(D.means[k][run]),
      `rank ${D.places[k][run]} of ${M}`)),
    r && fact('rank', [...new Set([r.rank_low[run], r.rank_high[run]])].join(' to '),
      `first in ${percent(r.p_best[run])} of samples`, 'Rank interval'),
    r && fact('interval', `${fixed(r.low[run])} to ${fixed(r.high[run])}`),
    D.imputed && fact('imputed', fixed(D.imputed.mean[run]),
      `label interval ${fixed(D.imputed.low[run])} to ${fixed(D.imputed.high[run])}`),
    fact('won', `${won}, ${tied}, ${lost}`, null, 'Won, tied, lost'),
    fact('unjudged', number(sum(D.unjudged[run])), null, `Unjudged in its top ${K}`)),
    bar(heading('Topic by topic'), measureChoice(), differenceLegend(m)), bars(items, differenceIn(m)),
    KEPT.size < Q && notKept(),
    h('div', {class: 'columns'},
      section(alone.length ? table('alone', [...columns, grade], alone, {limit: 50, head: onlyHere})
        : [bar(onlyHere), note('None.')]),
      section(unjudged.length ? table('unjudged', [...columns, count('runs', (row) => row.by), relevant], unjudged,
        {limit: 50, head: open}) : [bar(open), note('None.')]),
      near.length > 0 && section(table('near', [
        text('Run', (f) => RUNS[f.b], (f) => h('a', {href: toTwo(run, f.b), tip: pairWords(f)}, bdi(RUNS[f.b], null)),
          {wide: true}),
        col('med', (f) => f.med, {up: true}), col('gap', (f) => f.difference, {show: signed}),
      ], near, {limit: 12, sorted: 'med', head: heading('Nearest runs')}),
      note(`Settled on these topics: better than ${tally('better')}, worse than ${tally('worse')} of the `
        + `${plural(near.length, 'other run')}.`)))];
}

// ---------------------------------------------------------------- one topic
function oneTopic() {
  const t = place(TOPIC_PLACE, S.topic);
  if (t === null) return missing('topic', S.topic);
  const of = valuesOf(0, t), order = range(M).sort((a, b) => SIGN * (of[b] - of[a]) || a - b), best = order[0];
  const head = [h('h1', {}, step(t, -1), ' Topic ', bdi(TOPICS[t], null), ' ', step(t, 1)), topicText(t),
    h('div', {class: 'facts'}, fact('hardness', fixed(mean(of)), null, `Mean ${MAIN.name}`),
      fact('median', fixed(median(of))), fact('best', fixed(of[best])), fact('relevant', number(D.topics.relevant[t])),
      fact('judged', number(D.topics.judged[t])), fact('share', percent(unjudgedShare(t)))),
    heading(`${MAIN.name} of all runs`), strip(of, order)];
  const at = KEPT.get(t);
  if (at === undefined) return [...head, note('The rankings of this topic are not in the page.'), notKept()];
  const rows = chosenRuns(order), docs = LISTS.docs[at], grades = LISTS.grade[at], [held, first] = LISTS.found[at];
  const doc = (i, j) => LISTS.rank[at][rows[i]][j], chosen = empty(S.doc) ? null : Number(S.doc);
  const other = (run) => (baseline() !== null && baseline() !== run ? baseline() : run !== best ? best : order[1]);
  const mark = (d) => changed({doc: d === chosen ? null : d});
  const cols = Math.max(1, ...LISTS.rank[at].map((codes) => codes.length));
  const cw = K <= 10 && !narrow() ? 28 : K <= 20 ? 19 : 12;
  const left = narrow() ? Math.max(120, Math.min(210, width() - cols * cw)) : 210;
  const map = grid('ranking', {
    rows: rows.length, cols, ch: 18, top: 22, cw, left, label: 'rankings of all runs',
    corner: `${cut(MAIN.name, left / 7 - 9)} ↓ rank →`,
    kind: (i, j) => (doc(i, j) === undefined ? null : gradeClass(grades[doc(i, j)])),
    mark: (i, j) => (grades[doc(i, j)] === null ? '?' : String(grades[doc(i, j)])),
    tip: (i, j) => `${docs[doc(i, j)]}\nrank ${j + 1} of ${RUNS[rows[i]]}\nin the top ${K} of `
      + `${plural(held[doc(i, j)], 'run')}${gradeWords(at, doc(i, j))}`,
    href: (i, j) => mark(doc(i, j)), column: (j) => [String(j + 1), null],
    row: (i) => [`${cut(RUNS[rows[i]], left / 7 - 4, 5)} ${fixed(of[rows[i]], 2)}`,
      M > 1 ? toTwo(rows[i], other(rows[i]), t) : toRun(rows[i])],
    outline: rows.flatMap((run, i) => LISTS.rank[at][run].flatMap((d, j) => (d === chosen ? [[i, j]] : []))),
  });
  const columns = [
    text('Document', (d) => docs[d], (d) => [h('a', {href: mark(d)}, docName(docs[d])), textOf(at, d)], {wide: true}),
    col('grade', (d) => (grades[d] === null ? NaN : grades[d]), {cell: (d) => chip(grades[d])}),
    LISTS.p && grades.includes(null) && col('p_relevant', (d) => relevance(at, d), {cell: (d) => gradeBar(at, d)}),
    count('runs', (d) => held[d]), count('first', (d) => first[d], {up: true})];
  const popular = range(docs.length).sort((a, b) => held[b] - held[a] || first[a] - first[b]);
  const [lost, named] = LISTS.missed[at];
  return [...head, bar(filters(), gradeLegend(),
    h('span', {class: 'count'}, 'Click a document to mark it in all rankings.')),
    h('div', {class: 'split'}, h('div', {}, map), h('div', {},
      table('documents', columns, popular, {limit: 60, sorted: 'runs',
        head: heading(`Documents in the top ${K} of any run`), mark: (d) => (d === chosen ? 'base' : null)}),
      heading(`Relevant documents in no run’s top ${K}`),
      note(lost ? plural(lost, 'document') + (lost > named.length ? `; ${named.length} of them:` : ':') : 'None.'),
      h('ul', {class: 'plain'}, named.map(([id, grade]) => h('li', {}, chip(grade), ' ', bdi(id))))))];
}

// ---------------------------------------------------------------- two runs
function two() {
  const a = place(RUN_PLACE, S.a), b = place(RUN_PLACE, S.b);
  if (a === null || b === null) return missing('run', a === null ? S.a : S.b);
  const f = pair(a, b), order = range(Q).sort((x, y) => SIGN * (gap(y) - gap(x)) || x - y);
  function gap(t) { return value(0, a, t) - value(0, b, t); }
  const chosen = place(TOPIC_PLACE, S.topic) === null ? order.find((t) => KEPT.has(t)) : place(TOPIC_PLACE, S.topic);
  const items = order.map((t) => {
    const ends = f && f.on(t);
    return {value: gap(t), ends, kind: shade(0, gap(t)), name: TOPICS[t], href: changed({topic: TOPICS[t]}),
      tip: `topic ${TOPICS[t]}\n${fixed(value(0, a, t))} against ${fixed(value(0, b, t))}`
        + (ends ? `\nlabels allow ${signed(ends[0])} to ${signed(ends[1])}` : '')};
  });
  const won = (sign) => order.filter((t) => SIGN * sign * gap(t) > 1e-9).length;
  return [h('h1', {}, bdi(RUNS[a], null), ' against ', bdi(RUNS[b], null)),
    f && h('p', {id: 'in-words'}, inWords(f, runLink)),
    bar(choice('Run', 'a', runOptions(), RUNS[a]), choice('against', 'b', runOptions(), RUNS[b]),
      h('a', {class: 'action', href: changed({a: RUNS[b], b: RUNS[a]})}, 'swap')),
  h('div', {class: 'facts'},
    [a, b].map((run) => fact('m0', fixed(D.means[0][run]), null, `${MAIN.name} of ${RUNS[run]}`)),
    fact('gap', signed(D.means[0][a] - D.means[0][b])),
    f && f.ends && fact('low', `${signed(f.ends[0])} to ${signed(f.ends[1])}`, null, 'Labels allow'),
    f && f.ends && fact('settled', verdict(f)), f && f.better !== null && fact('better', percent(f.better)),
    f && HOLM && fact('p_pair', chance(HOLM[f.at]), null, 'p, all pairs (Holm)'),
    f && f.p !== null && fact('p_alone', chance(f.p)),
    f && f.med !== null && fact('med', fixed(f.med)),
    h('div', {class: 'fact'}, h('b', {}, `${won(1)}, ${won(-1)}`), h('span', {}, 'Topics won, lost'))),
  bar(heading('Topic by topic'), differenceLegend(0, RUNS[b])), bars(items, differenceIn(0), order.indexOf(chosen)),
  f && f.ends && note('Bars: differences as judged. Thin lines: differences that labels of unjudged documents allow.'),
  sideBySide(a, b, chosen, f)];
}
function sideBySide(a, b, t, f) { // both rankings of a topic, with lines between the places of one document
  const at = KEPT.get(t), head = [heading(step(t, -1), ' Topic ', topicLink(t), ' ', step(t, 1)), topicText(t)];
  if (at === undefined) return [head, note('The rankings of this topic are not in the page.'), notKept()];
  const [left, right] = [LISTS.rank[at][a], LISTS.rank[at][b]], grade = (doc) => LISTS.grade[at][doc];
  const high = LISTS.text ? 62 : 28, y = (rank) => (rank + 0.5) * high, ends = f && f.on(t);
  const item = (doc, other) => h('li', {class: LISTS.text && 'tall'}, chip(grade(doc)), ' ', h('a', {
    href: toTopic(t, {doc}), class: other.includes(doc) && 'shared', tip: LISTS.docs[at][doc] + gradeWords(at, doc)},
  docName(LISTS.docs[at][doc])), gradeBar(at, doc), textOf(at, doc));
  const side = (run, codes, other) => h('div', {}, h('h3', {}, runLink(run)),
    h('ol', {class: 'ranking', 'aria-label': RUNS[run]}, codes.map((doc) => item(doc, other))));
  const links = left.map((doc, i) => [i, right.indexOf(doc), doc]).filter(([, j]) => j >= 0);
  return [head, h('p', {}, `${MAIN.name} `, h('b', {}, fixed(value(0, a, t))), ' against ',
    h('b', {}, fixed(value(0, b, t))), '. ', ends && (ends[0] === ends[1] ? 'Labels cannot change the difference: '
      : `Labels allow differences from ${signed(ends[0])} to ${signed(ends[1])}: `),
    ends && [h('b', {id: 'verdict'}, WORDS[settledBy(ends)]), '. '], gradeLegend()),
  h('div', {class: 'split'}, h('div', {class: 'two'}, side(a, left, right), s('svg', {class: 'links',
    viewBox: `0 0 60 ${high * K}`, height: high * K, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
  links.map(([i, j, doc]) => s('path', {class: `link ${gradeClass(grade(doc))}`,
    d: `M0 ${y(i)}C30 ${y(i)} 30 ${y(j)} 60 ${y(j)}`}))), side(b, right, left)), judgeFirst(left, right, at))];
}
function judgeFirst(left, right, at) { // unjudged documents of two rankings, by how much a label moves the difference
  const weight = (rank) => (rank < 0 ? 0 : 1 / Math.log2(rank + 2));
  const spread = (doc) => { // variance of the label; the same for all documents without a label model
    const shares = probabilities(at, doc), of = shares && mean2(shares);
    return shares ? of[1] - of[0] ** 2 : Number(!LISTS.p);
  };
  const mean2 = (shares) => [1, 2].map((power) => sum(shares.map((p, g) => (p / 100) * g ** power)));
  const rows = [...new Set([...left, ...right])].filter((doc) => LISTS.grade[at][doc] === null).map((doc) => {
    const [i, j] = [left.indexOf(doc), right.indexOf(doc)];
    return {doc, i, j, effect: (weight(i) - weight(j)) ** 2 * spread(doc)};
  }).filter((row) => row.effect > 0).sort((x, z) => z.effect - x.effect);
  const where = (rank) => (rank < 0 ? '–' : String(rank + 1));
  return rows.length > 0 && h('section', {id: 'judge-first'},
    table('first', [
      text('Document', (row) => LISTS.docs[at][row.doc], (row) => docName(LISTS.docs[at][row.doc]), {wide: true}),
      {...count('place', (row) => row.i), key: 'i', label: 'Left', cell: (row) => where(row.i)},
      {...count('place', (row) => row.j), key: 'j', label: 'Right', cell: (row) => where(row.j)},
      LISTS.p && col('p_relevant', (row) => relevance(at, row.doc), {cell: (row) => gradeBar(at, row.doc)})],
    rows, {limit: 10, head: heading('What to judge first for this pair')}),
    note('Documents whose label moves the difference most come first.'));
}
