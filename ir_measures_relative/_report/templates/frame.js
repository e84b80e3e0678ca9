// Around the views: which one is shown, the head, definitions on hover and the keys.

const VIEWS = {runs, groups, topics, scatter, pairs, next, about: () => [], run: oneRun, topic: oneTopic, two};
const PARENT = new Map([['run', 'runs'], ['topic', 'topics'], ['two', 'pairs']]); // the tab that a page belongs to
const TABS = [['runs', 'Runs'], D.groups.length > 1 && ['groups', 'Groups'], ['topics', 'Topics'],
  ['scatter', 'Two measures'], ['pairs', 'Pairs'], D.next && ['next', 'Judge next'], ['about', 'About']]
  .filter(Boolean);
const shownView = () => (TABS.some(([view]) => view === S.view) || PARENT.has(S.view) ? S.view : 'runs');
const subject = () => ({run: S.run, topic: `Topic ${S.topic}`, two: `${S.a} against ${S.b}`}[shownView()]);

function summary() { // the collection and, on the first view, its pairs, in one sentence
  const all = shownView() === 'runs' ? allPairs().length : 0, of = D.groups.length;
  const size = `${plural(M, 'run')}${of ? ` of ${plural(of, 'group')}` : ''} on ${plural(Q, 'topic')} with `
    + plural(sum(D.topics.judged), 'judgement');
  const counts = [HOLM && `${number(onlyCount('significant'))} significant over topics`,
    D.pairs && D.pairs.settled && `${number(onlyCount('settled'))} settled by the judgements`,
    D.pairs && D.pairs.better && `${number(onlyCount('undecided'))} undecided`].filter(Boolean);
  return all && counts.length ? `${size}; ${plural(all, 'pair')} of runs: ${counts.join(', ')}.` : `${size}.`;
}
function header() {
  const now = PARENT.get(shownView()) || shownView(), base = baseline() === null ? '' : RUNS[baseline()];
  const warned = h('a', {href: toAbout('warnings')}, plural(D.warnings, 'warning'));
  const compared = choice('Compared with', 'base', [['', 'the median of all runs'], ...runOptions()], base,
    'The reference for differences, wins and colours');
  compared.classList.add('compared');
  const compares = ['runs', 'topics', 'scatter', 'run', 'topic'].includes(shownView());
  return [h(subject() ? 'p' : 'h1', {class: 'title'}, bdi(D.title, null)),
    h('p', {class: 'size'}, summary(), D.warnings > 0 && [' ', warned, '.']),
    h('nav', {'aria-label': 'views'}, TABS.map(([view, name]) => h('a', {id: `tab-${view}`, href: to(view),
      'aria-current': now === view && 'page'}, name)), compares && compared)];
}
function showTip(words, where) {
  const tip = $('tip'), x = empty(where.clientX) ? where.left : where.clientX;
  const y = empty(where.clientY) ? where.bottom : where.clientY;
  tip.textContent = words;
  tip.hidden = false;
  tip.style.left = `${Math.max(4, Math.min(x + 12, document.documentElement.clientWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${y + 16 + tip.offsetHeight > innerHeight ? Math.max(4, y - tip.offsetHeight - 10) : y + 16}px`;
}
function hideTip() { $('tip').hidden = true; }
const boxes = () => [...$('view').querySelectorAll('.scroll')];
let shownKey = null;
function show(moves = true) {
  S = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const active = document.activeElement, id = active && active.id;
  const caret = id === 'filter' ? active.selectionStart : null;
  const view = shownView(), tab = TABS.find(([name]) => name === view);
  const key = [view, S.run, S.a, S.b, S.only, view === 'topic' && S.topic].join('\n');
  const sideways = key === shownKey ? boxes().map((box) => box.scrollLeft) : [];
  $('top').replaceChildren(...header());
  $('view').replaceChildren(...VIEWS[view]().flat(Infinity).filter(Boolean));
  boxes().forEach((box, at) => { box.scrollLeft = sideways[at] || 0; });
  $('foot').hidden = view !== 'about';
  document.title = `${subject() || tab[1]} · ${D.title}`;
  if (id && $(id)) { // keep the focus
    $(id).focus({preventScroll: true});
    if (caret !== null) $(id).setSelectionRange(caret, caret);
  }
  if (moves && key !== shownKey) scrollTo(0, 0);
  const term = view === 'about' && S.term && $(S.term);
  if (moves && term && $('foot').contains(term)) {
    term.scrollIntoView({block: 'center'});
    term.focus({preventScroll: true});
  }
  shownKey = key;
  hideTip();
}

for (const [enter, leave] of [['mouseover', 'mouseout'], ['focusin', 'focusout']]) {
  document.addEventListener(enter, (event) => {
    const node = event.target.closest('[data-tip]');
    if (node) showTip(node.dataset.tip, enter === 'mouseover' ? event : node.getBoundingClientRect());
  });
  document.addEventListener(leave, (event) => { if (!event.target.closest('svg.grid')) hideTip(); });
}
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.target.closest('input, select') && $('filter')) {
    event.preventDefault();
    $('filter').focus();
  } else if (event.key === 'Escape') { // closes the tip, a marked document, the filter, or a page
    if (!$('tip').hidden) hideTip();
    else if (!empty(S.doc)) change({doc: null});
    else if (S.q) settle({q: null});
    else if (PARENT.has(shownView())) location.hash = to(PARENT.get(shownView()));
  }
});
let waiting = null, shownWidth = width();
addEventListener('resize', () => { // also when a phone hides its address bar, which changes nothing here
  clearTimeout(waiting);
  if (width() !== shownWidth) waiting = setTimeout(() => { shownWidth = width(); show(false); }, 150);
});
addEventListener('hashchange', () => show());
$('skip').addEventListener('click', () => $('view').focus());
show();
