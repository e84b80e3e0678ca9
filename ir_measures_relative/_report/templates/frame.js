// Around the views: which one is shown, the head, the foot and the events.

const VIEWS = {runs, topics, scatter, pairs, next, run: oneRun, topic: oneTopic, two};
const PARENT = new Map([['run', 'runs'], ['topic', 'topics'], ['two', 'pairs']]); // the tab that a page belongs to
const shownView = () => (Object.hasOwn(VIEWS, S.view || '') ? S.view : 'runs');

// ---------------------------------------------------------------- head and foot
function header() {
  const tabs = [['runs', 'Runs'], ['topics', 'Topics'], ['scatter', 'Two measures'], ['pairs', 'Pairs'],
    D.next && ['next', 'Judge next']].filter(Boolean), now = PARENT.get(shownView()) || shownView();
  const size = [plural(M, 'run'), D.groups.length > 0 && plural(D.groups.length, 'group'), plural(Q, 'topic'),
    plural(sum(D.topics.judged), 'judgement')];
  const base = baseline() === null ? '' : RUNS[baseline()];
  const about = (event) => { event.preventDefault(); define(null); };
  const compared = choice('Compared with', 'base', [['', 'the median of all runs'], ...runOptions()], base,
    'Differences, wins and colours are against this');
  compared.classList.add('compared');
  return [h('h1', {}, bdi(D.title, null)), h('p', {class: 'size'}, size.filter(Boolean).join(' · ')),
    h('nav', {}, tabs.map(([view, name]) => h('a', {id: `tab-${view}`, href: to(view),
      'aria-current': now === view && 'page'}, name)), h('a', {href: '#', onclick: about}, 'About'), compared)];
}
function footer() {
  const {versions, command, files, bibtex} = D.about;
  const row = (cells) => h('tr', {}, cells.map((c) => h('td', {}, c && bdi(c, null))));
  const ways = {larger: 'Larger is better.', smaller: 'Smaller is better.', neither: ''};
  return [heading('Measures'), h('dl', {}, D.measures.map((measure, m) => [
    h('dt', {id: `define-${m}`, tabindex: -1}, measure.name),
    h('dd', {}, `${measure.title}. ${measure.about} ${ways[measure.better]}`)]),
  h('dt', {}, 'MED, at least, at most'), h('dd', {}, 'The most by which two runs can differ whatever grades the '
    + 'unjudged documents of either have; and the smallest and the largest difference, with its sign, that such grades '
    + 'allow, as long as no relevant document turns up that neither run shows.')),
  note(`Unjudged documents count as not relevant unless a column says otherwise. Rankings are cut at ${K}`
    + (KEPT.size < Q ? ` and kept for the ${KEPT.size} of ${Q} topics on which the runs differ most.` : '.')),
  note('Keys: / filters; arrows walk through tables and maps; Enter opens; s stars a run; Escape goes back.'),
  heading('Made with'), h('p', {}, Object.entries(versions).map((pair) => pair.join(' ')).join(' · ')),
  command && h('pre', {}, command),
  h('details', {}, h('summary', {}, 'Files and their hashes'), h('div', {class: 'scroll'},
    h('table', {class: 'hashes'}, h('tbody', {}, files.map(row))))),
  h('details', {}, h('summary', {}, 'What to cite'), h('pre', {id: 'bibtex'}, bibtex))];
}
function define(m) { // shows where a measure is explained
  const target = m === null ? $('foot') : $(`define-${m}`);
  target.scrollIntoView({block: m === null ? 'start' : 'center'});
  target.focus({preventScroll: true});
}

// ---------------------------------------------------------------- events
function showTip(words, where) {
  const tip = $('tip'), x = empty(where.clientX) ? where.left : where.clientX;
  const y = empty(where.clientY) ? where.bottom : where.clientY;
  tip.textContent = words;
  tip.hidden = false;
  tip.style.left = `${Math.max(4, Math.min(x + 12, document.documentElement.clientWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${y + 16 + tip.offsetHeight > innerHeight ? Math.max(4, y - tip.offsetHeight - 10) : y + 16}px`;
}
function hideTip() { $('tip').hidden = true; }
let shownKey = null;
function show(moves = true) {
  S = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const active = document.activeElement, id = active && active.id;
  const caret = id === 'filter' ? active.selectionStart : null;
  const view = shownView();
  const key = [view, S.run, S.a, S.b, view === 'topic' && S.topic].join('\n');
  $('top').replaceChildren(...header());
  $('view').replaceChildren(...VIEWS[view]().flat(Infinity).filter(Boolean));
  if (id && $(id)) { // readers go on where they were
    $(id).focus({preventScroll: true});
    if (caret !== null) $(id).setSelectionRange(caret, caret);
  }
  if (moves && key !== shownKey) scrollTo(0, 0);
  shownKey = key;
  hideTip();
}
for (const [enter, leave] of [['mouseover', 'mouseout'], ['focusin', 'focusout']]) {
  document.addEventListener(enter, (event) => {
    const about = event.target.closest('[data-tip]');
    if (about) showTip(about.dataset.tip, enter === 'mouseover' ? event : about.getBoundingClientRect());
  });
  document.addEventListener(leave, (event) => { if (!event.target.closest('svg.grid')) hideTip(); });
}
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.target.closest('input, select') && $('filter')) {
    event.preventDefault();
    $('filter').focus();
  } else if (event.key === 'Escape') { // closes what is open: the tip, a marked document, the filter, a page
    if (!$('tip').hidden) hideTip();
    else if (!empty(S.doc)) change({doc: null});
    else if (S.q) settle({q: null});
    else if (PARENT.has(shownView())) location.hash = to(PARENT.get(shownView()));
  }
});
let waiting = null;
addEventListener('resize', () => { clearTimeout(waiting); waiting = setTimeout(() => show(false), 150); });
addEventListener('hashchange', () => show());
const hatch = (id, ground) => s('pattern', {id, width: 6, height: 6, patternUnits: 'userSpaceOnUse',
  patternTransform: 'rotate(45)'}, ground && s('rect', {width: 6, height: 6, class: 'hatch-ground'}),
s('line', {x1: 0, x2: 0, y1: 0, y2: 6, class: 'hatch-line'}));
document.body.append(s('svg', {width: 0, height: 0, class: 'hidden', 'aria-hidden': 'true'},
  s('defs', {}, hatch('hatch', true), hatch('open', false))));
$('foot').replaceChildren(...footer().filter(Boolean));
show();
