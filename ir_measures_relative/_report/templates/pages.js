// The pages behind the tabs: one run, one topic, two runs on a topic.

// ---------------------------------------------------------------- one run
function oneRun() {
  const run = place(RUN_PLACE, S.run);
  if (run === null) return missing('run', S.run);
  const m = shownMeasure(), ref = reference(m), base = baseline(), {won, tied, lost} = against(run);
  const items = range(Q).map((t) => ({value: value(m, run, t) - ref[t], kind: shade(m, value(m, run, t) - ref[t]),
    href: base !== null && base !== run ? toTwo(run, base, t) : toTopic(t),
    tip: `topic ${TOPICS[t]}\n${D.measures[m].name} ${fixed(value(m, run, t))}, `
      + `${cut(referenceName(), 40)} ${fixed(ref[t])}`})).sort((x, y) => better(m) * (y.value - x.value));
  const shown = LISTS.topics.flatMap((t) => LISTS.rank[KEPT.get(t)][run].map((doc, rank) => ({t, doc, rank: rank + 1,
    id: LISTS.docs[KEPT.get(t)][doc], grade: LISTS.grade[KEPT.get(t)][doc], by: holders(t)[doc].runs.length})));
  const alone = shown.filter((row) => row.grade > 0 && row.by === 1)
    .sort((x, y) => y.grade - x.grade || x.rank - y.rank);
  const unjudged = shown.filter((row) => row.grade === null).sort((x, y) => x.rank - y.rank || x.by - y.by);
  const columns = [
    text('topic', 'Topic', (row) => TOPICS[row.t], (row) => topicLink(row.t)),
    text('doc', 'Document', (row) => row.id,
      (row) => h('a', {href: toTopic(row.t, {doc: row.doc})}, bdi(row.id)), {wide: true}),
    count('rank', 'Rank', (row) => row.rank)];
  const grade = number('grade', 'Grade', (row) => row.grade, null, {first: 'desc', cell: (row) => chip(row.grade)});
  const by = count('by', 'Runs', (row) => row.by, `Runs that have the document in their top ${K}`, {first: 'desc'});
  const near = (D.pairs ? D.pairs.runs : []).map((other) => pair(run, other)).filter((f) => f && f.med !== null)
    .sort((x, y) => x.med - y.med);
  const tally = (word) => near.filter((f) => verdict(f.ends) === word).length;
  const section = (title, ...rest) => h('section', {}, heading(title), ...rest);
  return [h('h1', {}, star(run), ' ', bdi(RUNS[run], null), ' ', groupOf(run)),
    h('div', {class: 'facts'}, D.measures.map((measure, k) => fact(measure.name, fixed(D.means[k][run]),
      `${measure.title}: ${measure.about}`, h('small', {}, `rank ${RANK[k][run]} of ${M}`))),
    D.imputed && fact('imputed', fixed(D.imputed.mean[run]),
      `Mean ${MAIN.name} once the unjudged documents have labels`,
      h('small', {}, `${fixed(D.imputed.low[run])} to ${fixed(D.imputed.high[run])}`)),
    fact('won, tied, lost', `${won}, ${tied}, ${lost}`, `Topics, against ${referenceName()}, by ${MAIN.name}`),
    fact(`unjudged in its top ${K}`, plural(sum(D.unjudged[run]), 'document'),
      'Over all topics; they count as not relevant')),
    bar(heading('Topic by topic'), measureChoice(), differenceLegend(m)), bars(items), KEPT.size < Q && notKept(),
    h('div', {class: 'columns'},
      section(`Relevant documents that it alone has in its top ${K}`,
        alone.length ? table('alone', [...columns, grade], alone, {limit: 50}) : note('None.')),
      section(`Unjudged documents of its top ${K}`,
        unjudged.length ? table('unjudged', [...columns, by], unjudged, {limit: 50}) : note('None.')),
      near.length > 0 && section('Nearest runs',
        note(`Whatever the labels, better than ${tally('better')} and worse than ${tally('worse')} of `
          + `${plural(near.length, 'run')} on these topics.`),
        table('near', [
          text('run', 'Run', (f) => RUNS[f.b], (f) => h('a', {href: toTwo(run, f.b)}, bdi(RUNS[f.b])), {wide: true}),
          number('med', 'MED', (f) => f.med, 'The most by which the two can differ on a topic, whatever the labels of '
            + 'unjudged documents are; mean over topics'),
          number('difference', 'Difference', (f) => f.difference, `Of the mean ${MAIN.name}`, {show: signed}),
        ], near, {limit: 12, sorted: 'med'})))];
}
const missing = (what, name) => [note(`There is no ${what} `, bdi(String(name)), ' in this report.')];

// ---------------------------------------------------------------- one topic
const relevance = (at, doc) => (LISTS.p && LISTS.p[at][doc] ? 1 - LISTS.p[at][doc][0] / 100 : null);
const labels = (at, doc) => (relevance(at, doc) === null ? ''
  : `\n${LISTS.p[at][doc].map((p, grade) => `grade ${grade}: ${p}%`).join(', ')}`);
const textOf = (at, doc) => LISTS.text && LISTS.text[at][doc]
  && h('p', {class: 'text', dir: 'auto'}, LISTS.text[at][doc]);
const topicText = (t) => D.topics.text && D.topics.text[t] && h('p', {class: 'text', dir: 'auto'}, D.topics.text[t]);
const step = (t, by) => h('a', {class: 'step', href: changed({topic: TOPICS[(t + by + Q) % Q], doc: null}),
  'aria-label': by < 0 ? 'topic before' : 'next topic'}, by < 0 ? '‹' : '›');

function strip(of, order) { // the scores of all runs on a topic, one above the other where they are alike
  const w = Math.min(width(), 900), low = Math.min(0, ...of), high = Math.max(low + 1e-9, ...of, UNIT[0] > 0.5 ? 1 : 0);
  const x = (v) => 12 + ((w - 24) * (v - low)) / (high - low), heights = new Map();
  const level = (run) => { // how many runs stand in the same place already
    const bin = Math.round(x(of[run]) / 11);
    heights.set(bin, (heights.get(bin) || 0) + 1);
    return heights.get(bin) - 1;
  };
  const levels = new Map(order.map((run) => [run, level(run)]));
  const gap = Math.min(11, 110 / Math.max(...levels.values(), 1)), ground = 14 + gap * Math.max(...levels.values());
  return h('div', {class: 'scroll'}, s('svg', {id: 'strip', width: w, height: ground + 28,
    viewBox: `0 0 ${w} ${ground + 28}`, role: 'img', 'aria-label': 'scores of all runs'},
  s('line', {class: 'axis', x1: 12, x2: w - 12, y1: ground + 7, y2: ground + 7}),
  range(5).map((k) => low + (k * (high - low)) / 4).map((v) =>
    s('text', {class: 'mid', x: x(v), y: ground + 22}, fixed(v, 2))),
  order.map((run) => point(run, Math.round(x(of[run]) / 11) * 11, ground - gap * levels.get(run),
    `${RUNS[run]}\n${MAIN.name} ${fixed(of[run])}`))));
}
function oneTopic() {
  const t = place(TOPIC_PLACE, S.topic);
  if (t === null) return missing('topic', S.topic);
  const of = valuesOf(0, t), order = range(M).sort((a, b) => SIGN * (of[b] - of[a]) || a - b), best = order[0];
  const head = [h('h1', {}, step(t, -1), ' Topic ', bdi(TOPICS[t], null), ' ', step(t, 1)), topicText(t),
    h('div', {class: 'facts'}, fact(`mean ${MAIN.name}`, fixed(mean(of)), 'Of all runs: how hard the topic is'),
      fact('median', fixed(median(of)), 'Of all runs'), fact('best', fixed(of[best]), 'Where it is low, all runs fail'),
      fact('relevant', String(D.topics.relevant[t]), 'Judged documents with a grade above 0'),
      fact('judged', String(D.topics.judged[t]), 'Judged documents'),
      fact('unjudged', percent(unjudgedShare(t)), `Share of the top ${K} of all runs`)), strip(of, order)];
  const at = KEPT.get(t);
  if (at === undefined) return [...head, note('The rankings of this topic are not in the page.'), notKept()];
  const rows = chosenRuns(order), docs = LISTS.docs[at], grades = LISTS.grade[at], held = holders(t);
  const doc = (i, j) => LISTS.rank[at][rows[i]][j], chosen = empty(S.doc) ? null : Number(S.doc);
  const other = (run) => (baseline() !== null && baseline() !== run ? baseline() : run !== best ? best : order[1]);
  const mark = (d) => changed({doc: d === chosen ? null : d});
  const map = grid('ranking', {
    rows: rows.length, cols: Math.max(1, ...LISTS.rank[at].map((codes) => codes.length)), ch: 18, top: 22,
    cw: K <= 10 && !narrow() ? 28 : K <= 20 ? 19 : 12, left: narrow() ? 110 : 210, label: 'rankings of all runs',
    kind: (i, j) => (doc(i, j) === undefined ? null : gradeClass(grades[doc(i, j)])),
    mark: (i, j) => (grades[doc(i, j)] === null ? '?' : String(grades[doc(i, j)])),
    tip: (i, j) => `${docs[doc(i, j)]}\n${gradeWord(grades[doc(i, j)])}, rank ${j + 1} of ${RUNS[rows[i]]}\n`
      + `in the top ${K} of ${plural(held[doc(i, j)].runs.length, 'run')}${labels(at, doc(i, j))}`,
    href: (i, j) => mark(doc(i, j)), col: (j) => [String(j + 1), null],
    row: (i) => [`${cut(RUNS[rows[i]], narrow() ? 11 : 26)} ${fixed(of[rows[i]], 2)}`,
      M > 1 ? toTwo(rows[i], other(rows[i]), t) : toRun(rows[i])],
    outline: rows.flatMap((run, i) => LISTS.rank[at][run].flatMap((d, j) => (d === chosen ? [[i, j]] : []))),
  });
  const columns = [
    text('doc', 'Document', (d) => docs[d],
      (d) => [h('a', {href: mark(d)}, bdi(docs[d])), textOf(at, d)], {wide: true}),
    number('grade', 'Grade', (d) => (grades[d] === null ? NaN : grades[d]), null,
      {first: 'desc', cell: (d) => chip(grades[d])}),
    LISTS.p && number('p', 'P(relevant)', (d) => relevance(at, d), 'Chance that the unjudged document is relevant, '
      + 'by the label model', {first: 'desc', show: percent}),
    count('by', 'Runs', (d) => held[d].runs.length, `Runs that have it in their top ${K}`, {first: 'desc'}),
    count('best', 'Best rank', (d) => held[d].best)];
  const popular = range(docs.length).sort((a, b) => held[b].runs.length - held[a].runs.length
    || held[a].best - held[b].best);
  const [lost, named] = LISTS.missed[at];
  return [...head, bar(filters(), gradeLegend(),
    h('span', {class: 'count'}, 'A click marks a document in all rankings.')),
    h('div', {class: 'split'}, h('div', {}, map), h('div', {},
      heading(`Documents in a top ${K}`), table('documents', columns, popular, {limit: 60, sorted: 'by',
        mark: (d) => (d === chosen ? 'base' : null)}),
      heading(`Relevant documents that no run has in its top ${K}`),
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
    return {value: gap(t), ends, kind: shade(0, gap(t)), href: changed({topic: TOPICS[t]}),
      tip: `topic ${TOPICS[t]}\n${fixed(value(0, a, t))} against ${fixed(value(0, b, t))}`
        + (ends ? `\nlabels allow ${signed(ends[0])} to ${signed(ends[1])}` : '')};
  });
  const won = (sign) => order.filter((t) => SIGN * sign * gap(t) > 1e-9).length;
  return [bar(choice('Run', 'a', runOptions(), RUNS[a]), choice('against', 'b', runOptions(), RUNS[b]),
    h('a', {href: changed({a: RUNS[b], b: RUNS[a]})}, 'swap')),
  h('div', {class: 'facts'}, [a, b].map((run) => fact(cut(RUNS[run], 30), fixed(D.means[0][run]), `Mean ${MAIN.name}`)),
    fact('difference', signed(D.means[0][a] - D.means[0][b]), `Of the mean ${MAIN.name}`),
    f && f.ends && fact('labels allow', `${signed(f.ends[0])} to ${signed(f.ends[1])}`,
      'The smallest and the largest difference of the means that labels of unjudged documents allow (MED, signed)'),
    f && f.ends && fact('verdict on these topics', WORDS[verdict(f.ends)], 'By the two ends of the difference'),
    f && f.better !== null && fact('P(better)', percent(f.better), 'Once the unjudged documents have labels'),
    f && f.p !== null && fact('p, this pair alone', chance(f.p), 'Paired t-test over topics, not corrected'),
    fact('topics won, lost', `${won(1)}, ${won(-1)}`, `By ${MAIN.name}`)),
  heading('Topic by topic'), bars(items, order.indexOf(chosen)),
  f && f.ends && note('Bars: the difference as judged. Thin lines: what labels of unjudged documents could make '
    + 'of it.'),
  sideBySide(a, b, chosen, f)];
}
function sideBySide(a, b, t, f) { // both rankings of a topic, with lines between the places of one document
  const at = KEPT.get(t), head = [heading(step(t, -1), ' Topic ', topicLink(t), ' ', step(t, 1)), topicText(t)];
  if (at === undefined) return [head, note('The rankings of this topic are not in the page.'), notKept()];
  const lists = [LISTS.rank[at][a], LISTS.rank[at][b]], [left, right] = lists, grade = (doc) => LISTS.grade[at][doc];
  const high = LISTS.text ? 62 : 28, y = (rank) => (rank + 0.5) * high, ends = f && f.on(t);
  const item = (doc, other) => h('li', {class: LISTS.text && 'tall'}, chip(grade(doc)), ' ',
    h('a', {href: toTopic(t, {doc}), class: other.includes(doc) && 'shared',
      tip: LISTS.docs[at][doc] + labels(at, doc)}, bdi(LISTS.docs[at][doc], null)),
  relevance(at, doc) !== null && h('small', {tip: `Chance that it is relevant${labels(at, doc)}`},
    percent(relevance(at, doc))), textOf(at, doc));
  const side = (run, codes, other) => h('div', {}, h('h3', {}, runLink(run)),
    h('ol', {class: 'ranking', 'aria-label': RUNS[run]}, codes.map((doc) => item(doc, other))));
  const links = left.map((doc, i) => [i, right.indexOf(doc), doc]).filter(([, j]) => j >= 0);
  const open = [...new Set([...left, ...right])].filter((doc) => grade(doc) === null)
    .map((doc) => [doc, left.indexOf(doc), right.indexOf(doc)]).filter(([, i, j]) => i !== j);
  const weight = (rank) => (rank < 0 ? 0 : 1 / Math.log2(rank + 2));
  const telling = ([, i, j]) => Math.abs(weight(i) - weight(j));
  const where = (rank) => (rank < 0 ? 'not shown' : `rank ${rank + 1}`);
  return [head, h('p', {}, `${MAIN.name} `, h('b', {}, fixed(value(0, a, t))), ' against ',
    h('b', {}, fixed(value(0, b, t))), ends && (ends[0] === ends[1] ? '; labels cannot change it: '
      : `; labels allow ${signed(ends[0])} to ${signed(ends[1])}: `),
    ends && h('b', {id: 'verdict'}, WORDS[verdict(ends)]), '. ', gradeLegend()),
  h('div', {class: 'two'}, side(a, left, right), s('svg', {class: 'links', viewBox: `0 0 60 ${high * K}`,
    height: high * K, preserveAspectRatio: 'none', 'aria-hidden': 'true'}, links.map(([i, j, doc]) => s('path', {
    class: `link ${gradeClass(grade(doc))}`, d: `M0 ${y(i)}C30 ${y(i)} 30 ${y(j)} 60 ${y(j)}`}))),
  side(b, right, left)),
  open.length > 0 && h('section', {id: 'judge-first'}, heading('What to judge first for this pair'),
    note('Unjudged documents, by how differently the two runs rank them.'),
    h('ol', {class: 'plain'}, open.sort((x, z) => telling(z) - telling(x)).slice(0, 5).map(([doc, i, j]) => h('li', {},
      bdi(LISTS.docs[at][doc]), `: ${where(i)} against ${where(j)}`, labels(at, doc).replace('\n', '; ')))))];
}
