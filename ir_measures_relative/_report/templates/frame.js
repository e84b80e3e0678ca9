// Around the views: which one is shown, the head, definitions on hover and the keys.

const VIEWS = {runs, topics, scatter, pairs, next, run: oneRun, topic: oneTopic, two};
const PARENT = new Map([['run', 'runs'], ['topic', 'topics'], ['two', 'pairs']]); // the tab that a page belongs to
const shownView = () => (Object.hasOwn(VIEWS, S.view || '') ? S.view : 'runs');

function header() {
  const tabs = [['runs', 'Runs'], ['topics', 'Topics'], ['scatter', 'Two measures'], ['pairs', 'Pairs'],
    D.next && ['next', 'Judge next']].filter(Boolean), now = PARENT.get(shownView()) || shownView();
  const size = [plural(M, 'run'), D.groups.length > 0 && plural(D.groups.length, 'group'), plural(Q, 'topic'),
    plural(sum(D.topics.judged), 'judgement')];
  const warned = h('a', {href: '#', onclick: jump('warnings')}, plural(D.warnings, 'warning'));
  const base = baseline() === null ? '' : RUNS[baseline()];
  const compared = choice('Compared with', 'base', [['', 'the median of all runs'], ...runOptions()], base,
    'Differences, wins and colours are against this');
  compared.classList.add('compared');
  return [h('h1', {}, bdi(D.title, null)),
    h('p', {class: 'size'}, size.filter(Boolean).join(' · '), D.warnings > 0 && [' · ', warned]),
    h('nav', {}, tabs.map(([view, name]) => h('a', {id: `tab-${view}`, href: to(view),
      'aria-current': now === view && 'page'}, name)), h('a', {href: '#', onclick: jump('foot')}, 'About'), compared)];
}
function define(id) { // shows where a number is explained
  $(id).scrollIntoView({block: id === 'foot' ? 'start' : 'center'});
  $(id).focus({preventScroll: true});
}
const jump = (id) => (event) => { event.preventDefault(); define(id); };
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
show();
