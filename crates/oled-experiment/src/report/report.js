// What the page can do beyond being read: change its theme, tell about marks, zoom timelines, filter rules.
'use strict';
(() => {
  const find = (selector) => document.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

  // Theme: as the system has it until the button is pressed. A page from a file may have no storage.
  const root = document.documentElement;
  const button = find('#theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme || (system.matches ? 'dark' : 'light')) === 'dark';
  const name = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', `Switch to ${isDark() ? 'light' : 'dark'} colours`);
  };
  try { root.dataset.theme = localStorage.getItem('oled-theme') || ''; } catch { /* no storage */ }
  if (!root.dataset.theme) delete root.dataset.theme;
  button.hidden = false;
  name();
  system.addEventListener('change', name);
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('oled-theme', root.dataset.theme); } catch { /* no storage */ }
    name();
  });

  // The contents show where one is.
  const links = new Map(all('.bar a').map((a) => [a.hash.slice(1), a]));
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      links.forEach((link, id) => (id === target.id ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current')));
    }
  }, { rootMargin: '-20% 0px -75% 0px' });
  all('section').forEach((section) => watch.observe(section));

  // Tips: the <title> of a mark becomes a tip of our own the first time it is pointed at or focused.
  const tip = find('#tip');
  const text = (mark) => {
    const title = mark.querySelector(':scope > title');
    if (title) {
      mark.dataset.tip = title.textContent;
      mark.setAttribute('aria-label', title.textContent);
      title.remove();
    }
    const rule = mark.getAttribute('href') && find(mark.getAttribute('href'));
    if (!rule) return mark.dataset.tip;
    // What the rule said after the decision, as its history has it; else what it says in the end.
    const at = / at (\d+):/.exec(mark.dataset.tip)?.[1];
    const step = all('.steps tbody tr', rule).find((row) => row.cells[0].textContent.replace(/\D/g, '') === at);
    const body = step ? step.cells[2].textContent : `in the end: ${rule.querySelector('pre').textContent}`;
    return `${mark.dataset.tip}\n${body.trim()}`;
  };
  let shownAt = 0; // how far the page was scrolled when the tip appeared
  const show = (words, x, y) => {
    shownAt = scrollY;
    tip.textContent = words;
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x + 12, innerWidth - width - 8))}px`;
    tip.style.top = `${y + 16 + height > innerHeight ? Math.max(8, y - height - 12) : y + 16}px`;
  };
  const hide = () => { tip.hidden = true; };
  const marked = (event) => event.target.closest?.('svg a, svg rect, svg .dot, svg.strip, [data-tip]');
  // A pointer that rests while the page moves below it must not take the tip from what is focused.
  let rests = '';
  const place = (event) => `${event.clientX} ${event.clientY}`;
  document.addEventListener('pointermove', (event) => { rests = place(event); });
  document.addEventListener('pointerover', (event) => {
    const mark = place(event) !== rests && marked(event);
    const words = mark && text(mark);
    if (words) show(words, event.clientX, event.clientY);
  });
  const showFocused = () => {
    const mark = marked({ target: document.activeElement });
    const words = mark && text(mark);
    if (!words) return hide();
    const { right, bottom } = mark.getBoundingClientRect();
    show(words, right - 12, bottom - 8);
  };
  document.addEventListener('focusin', showFocused);
  // When the pointer goes, also because the page moved below it, what is focused has its tip back.
  document.addEventListener('pointerout', (event) => { if (marked(event)) showFocused(); });
  document.addEventListener('focusout', hide);
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
  // Focus may scroll the page, and its tip goes along. The event of an earlier scroll may come late and moves nothing.
  addEventListener('scroll', () => { if (!tip.hidden && scrollY !== shownAt) showFocused(); }, { passive: true });

  // Learning curves: one stop of the tab key for each plot, arrows from mark to mark; a line to read values off.
  for (const plot of all('svg.curve')) {
    const marks = all('.mark', plot);
    marks.forEach((mark, i) => mark.setAttribute('tabindex', i ? '-1' : '0'));
    plot.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const next = step && marks[marks.indexOf(event.target) + step];
      if (!next) return;
      event.preventDefault();
      event.target.setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus();
    });
    const [left, right, last] = plot.dataset.x.split(' ').map(Number);
    const [bottom, top] = plot.dataset.y.split(' ').map(Number);
    let lines;
    const read = () => all('.line, .recent, .repeated', plot).map((line) => ({
      name: line.dataset.name,
      points: [...line.getAttribute('d').matchAll(/([\d.]+) ([\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]),
    })).filter((line) => line.points.length).reverse();
    const clear = () => all('.cross', plot).forEach((line) => line.remove());
    plot.addEventListener('pointermove', (event) => {
      if (event.target.closest('a')) return clear();
      clear();
      const box = plot.getBoundingClientRect();
      const scale = plot.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale;
      const y = (event.clientY - box.top) * scale;
      if (x < left || x > right || y < top || y > bottom) return showFocused();
      lines ??= read();
      const cross = plot.firstElementChild.cloneNode();
      cross.setAttribute('class', 'cross');
      cross.setAttribute('d', `M${x} ${top}V${bottom}`);
      plot.append(cross);
      const nearest = (points) => points.reduce((a, b) => (Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a));
      const values = lines.map((line) => `${((bottom - nearest(line.points)[1]) / (bottom - top)).toFixed(2)}  ${line.name}`);
      show([`time point ${Math.round(((x - left) / (right - left)) * last)}`, ...values].join('\n'), event.clientX, event.clientY);
    });
    plot.addEventListener('pointerleave', () => { clear(); showFocused(); });
  }

  // Tables that are wider than their box say so, until one is at their end.
  const boxes = all('.scroll');
  const more = (box) => box.classList.toggle('more', box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  const wide = (box) => box.classList.toggle('wide', box.scrollWidth > box.clientWidth + 2);
  const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => { wide(target); more(target); }));
  boxes.forEach((box) => { sizes.observe(box); box.addEventListener('scroll', () => more(box), { passive: true }); });

  // A choice among one thing is none.
  const hideSingle = (select, fewest) => { if (select) select.parentElement.hidden = select.options.length < fewest; };

  // Timelines.
  const embedded = find('#timeline-data');
  if (embedded) timelines(JSON.parse(embedded.textContent));

  function timelines({ rates, dates, timelines: segments }) {
    const [box, overview, range, bars, why] = ['#timeline', '#overview', '#timeline-range', '#segments', '#why'].map(find);
    const [protocol, row, segment, sort] = ['#t-protocol', '#t-row', '#t-segment', '#t-sort'].map(find);
    const ROW = 34;
    let shown = segments[0];
    const end = (one) => one.b + one.d; // the last time point lasts one step
    let [from, to] = [shown.a, end(shown)]; // the part in view; its end is not part of it
    let axis; // how the part in view lies on the screen
    let brush = null;

    const pairs = (flat) => flat.flatMap((a, i) => (i % 2 ? [] : [[a, flat[i + 1]]]));
    // Runs cut where other runs begin and end: each piece with whether the others have it too.
    // Where one piece ends, the next one begins a step later.
    const split = (runs, others, step) => runs.flatMap(([start, end]) => {
      const pieces = [];
      let rest = start;
      for (const [a, b] of others) {
        if (a > end || b < start || rest === null) continue;
        if (a > rest) pieces.push([rest, Math.max(a - step, rest), false]);
        pieces.push([Math.max(a, rest), Math.min(b, end), true]);
        rest = b < end ? Math.min(b + step, end) : null;
      }
      if (rest !== null) pieces.push([rest, end, false]);
      return pieces;
    });
    const cut = (one) => one.cut ??= one.t.map(([instance, annotated, recognised]) => {
      const [truth, found] = [pairs(annotated), pairs(recognised)];
      return {
        instance,
        above: split(truth, found, one.d).map(([a, b, same]) => [a, b, same ? 'truth' : 'missed']),
        below: split(found, truth, one.d).map(([a, b, same]) => [a, b, same ? 'right' : 'wrong']),
      };
    });
    const words = { truth: 'annotated', missed: 'missed', right: 'recognised', wrong: 'false alarm' };
    // F1 counts time points, which need not be equally far apart.
    const score = ({ c: [tp, fp, fn] }) => (tp + fp + fn ? (2 * tp) / (2 * tp + fp + fn) : null);
    const f1 = (one) => (score(one) === null ? 'nothing to see' : `F1 ${score(one).toFixed(2)}`);
    const plural = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
    const digits = (n) => Number(n.toPrecision(3));
    const long = (seconds) => (seconds < 120 ? `${digits(seconds)} s` : seconds < 7200 ? `${digits(seconds / 60)} min`
      : seconds < 172800 ? `${digits(seconds / 3600)} h` : `${digits(seconds / 86400)} days`);
    // How long it is from a time point to another, the step after the last one included.
    const length = (a, b) => {
      const rate = rates[shown.p] || dates[shown.p];
      return rate ? long((b - a + shown.d) / rate) : plural(b - a + shown.d, 'time unit');
    };

    // Time as people read it: dates where time units are seconds or milliseconds since 1970.
    const DAY = 86400000;
    const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5,
      36e5, 72e5, 108e5, 216e5, 432e5, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 365 * DAY];
    const iso = (ms) => new Date(ms).toISOString();
    const clock = (ms, step) => iso(ms).slice(11, step >= 6e4 ? 16 : step >= 1e3 ? 19 : 23);
    const when = (t) => {
      const per = dates[shown.p];
      const ms = t * (1000 / per);
      return per ? `${iso(ms).slice(0, 10)} ${clock(ms, ms % 1000 ? 1 : 1e3)}` : `${t}`;
    };
    // Round time points, about so many: time, label, and the day where it is another than before.
    const ticks = (most) => {
      const per = dates[shown.p];
      const places = [];
      if (!per) {
        const rough = Math.max((to - from) / most, 1e-9);
        const unit = 10 ** Math.floor(Math.log10(rough));
        const step = Math.max(1, [1, 2, 5, 10].map((f) => f * unit).find((s) => s >= rough));
        for (let t = Math.ceil(from / step) * step; t < to; t += step) places.push([t, t, '']);
        return places;
      }
      const unit = 1000 / per;
      const rough = Math.max(((to - from) * unit) / most, unit);
      const step = STEPS.find((s) => s >= rough) ?? STEPS.at(-1);
      let before = '';
      for (let ms = Math.ceil((from * unit) / step) * step; ms < to * unit; ms += step) {
        const day = iso(ms).slice(0, 10);
        places.push(step >= DAY ? [ms / unit, day, ''] : [ms / unit, clock(ms, step), day === before ? '' : day]);
        before = day;
      }
      return places;
    };

    function draw() {
      const width = Math.max(280, box.clientWidth);
      // Names stand beside their tracks where there is room, else above them.
      const wide = width > 680;
      const [left, right, above] = [wide ? 210 : 10, width - 12, wide ? 0 : 16];
      const pitch = ROW + above;
      const bottom = 10 + pitch * Math.max(shown.t.length, 1);
      axis = { left, right };
      const x = (t) => left + ((t - from) / (to - from)) * (right - left);
      const clamp = (at) => Math.max(left, Math.min(right, at));
      const svg = [`<svg class="plot" viewBox="0 0 ${width} ${bottom + 42}" role="img" aria-label="${escape(shown.s)}: annotated and recognised">`];
      for (const [t, label, day] of ticks(wide ? 8 : 4)) {
        const at = x(t).toFixed(1);
        svg.push(`<path class="grid" d="M${at} 10V${bottom}"/><text x="${at}" y="${bottom + 17}">${label}</text>`);
        if (day) svg.push(`<text x="${Math.max(x(t), left + 34).toFixed(1)}" y="${bottom + 33}">${day}</text>`);
      }
      cut(shown).forEach((track, i) => {
        const y = 10 + pitch * i;
        svg.push(wide ? `<text class="instance" x="${left - 12}" y="${y + 16}" dy=".35em">${escape(track.instance)}</text>`
          : `<text class="instance above" x="${left}" y="${y + 13}">${escape(track.instance)}</text>`);
        for (const [lane, top] of [['above', 5], ['below', 17]]) {
          for (const [a, b, kind] of track[lane]) {
            if (b + shown.d <= from || a >= to) continue;
            const [start, end] = [clamp(x(a)), clamp(x(b + shown.d))];
            svg.push(`<rect class="${kind}" x="${start.toFixed(1)}" y="${y + above + top}" width="${Math.max(end - start, 1).toFixed(1)}" height="9" data-at="${a}" data-instance="${escape(track.instance)}" data-tip="${escape(`${track.instance}: ${words[kind]} ${when(a)} – ${when(b)} (${length(a, b)})`)}"/>`);
          }
        }
      });
      if (!shown.t.length) svg.push(`<text x="${(left + right) / 2}" y="30">nothing annotated, nothing recognised</text>`);
      svg.push(`<path class="axis" d="M${left} ${bottom}H${right}"/>`);
      if (brush) svg.push(`<rect class="brush" x="${Math.min(...brush)}" y="10" width="${Math.abs(brush[1] - brush[0])}" height="${bottom - 10}"/>`);
      box.innerHTML = `${svg.join('')}</svg>`;
      box.dataset.from = from;
      box.dataset.to = to;
      const [first, last] = [Math.ceil(from), Math.max(Math.ceil(from), Math.ceil(to - shown.d))];
      const part = first <= shown.a && last >= shown.b ? '' : ` of ${when(shown.a)} – ${when(shown.b)}`;
      const zone = dates[shown.p] ? ' UTC' : '';
      range.textContent = `${shown.s}, ${f1(shown)}: ${when(first)} – ${when(last)}${part}${zone}, ${length(first, last)}; the segment has ${plural(shown.n, 'time point')}`;
      drawOverview(width);
    }

    function drawOverview(width) {
      const x = (t) => axis.left + ((t - shown.a) / (end(shown) - shown.a)) * (axis.right - axis.left);
      const bars = cut(shown).flatMap((track) => [...track.above, ...track.below]).map(([a, b, kind]) =>
        `<rect class="${kind}" x="${x(a).toFixed(1)}" y="${{ missed: 3, wrong: 15 }[kind] ?? 9}" width="${Math.max(x(b + shown.d) - x(a), 1).toFixed(1)}" height="4"/>`);
      overview.innerHTML = `<svg class="plot" viewBox="0 0 ${width} 22"><rect class="ground" x="${axis.left}" width="${axis.right - axis.left}" height="22" rx="3"/>${bars.join('')}<rect class="window" x="${x(from)}" y=".5" width="${x(to) - x(from)}" height="21" rx="3"/></svg>`;
    }

    // Every way to zoom ends here: at least four steps, within the segment.
    function view(start, stop) {
      const whole = end(shown) - shown.a;
      const span = Math.min(Math.max(stop - start, Math.min(4 * shown.d, whole)), whole);
      from = Math.min(Math.max(start, shown.a), end(shown) - span);
      to = from + span;
      hide();
      draw();
    }
    const zoom = (factor, at = (from + to) / 2) => view(at - (at - from) * factor, at + (to - at) * factor);
    const move = (share) => view(from + share * (to - from), to + share * (to - from));
    const actions = {
      in: () => zoom(0.5), out: () => zoom(2), left: () => move(-0.25), right: () => move(0.25),
      all: () => view(shown.a, end(shown)),
    };
    const keys = { '+': 'in', '=': 'in', '-': 'out', '−': 'out', 0: 'all', ArrowLeft: 'left', ArrowRight: 'right' };
    const time = (event) => {
      const share = (event.clientX - box.getBoundingClientRect().left - axis.left) / (axis.right - axis.left);
      return from + Math.max(0, Math.min(1, share)) * (to - from);
    };
    box.addEventListener('keydown', (event) => {
      const action = !event.ctrlKey && !event.metaKey && !event.altKey && actions[keys[event.key]];
      if (!action) return;
      event.preventDefault();
      action();
    });
    box.addEventListener('wheel', (event) => {
      // When all is in view, turning further scrolls the page.
      const whole = to - from >= end(shown) - shown.a;
      if (event.ctrlKey || (whole && event.deltaY >= 0)) return;
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / 600);
      else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), time(event));
    }, { passive: false });
    // A click on an interval tells how to ask why it is there, or is not.
    const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    function explain({ at, instance }) {
      why.hidden = false;
      why.querySelector('code').textContent =
        `oled explain TASK --theory FILE --input STREAM --segment ${quoted(shown.s)} --fluent ${quoted(instance)} --at ${at}`;
    }
    // Dragging selects a part; with shift it moves the view.
    box.addEventListener('pointerdown', (event) => {
      if (event.button) return;
      const [start, first, last, moving] = [event.clientX, from, to, event.shiftKey];
      const begin = time(event);
      const bar = event.target.closest('rect[data-at]');
      box.setPointerCapture(event.pointerId);
      const place = (at) => Math.max(axis.left, Math.min(axis.right, at - box.getBoundingClientRect().left));
      const drag = (now) => {
        const by = now.clientX - start;
        if (moving) {
          const shift = (by / (axis.right - axis.left)) * (last - first);
          view(first - shift, last - shift);
        } else {
          brush = Math.abs(by) > 4 ? [place(start), place(now.clientX)] : null;
          hide();
          draw();
        }
      };
      const stop = (now) => {
        box.removeEventListener('pointermove', drag);
        box.removeEventListener('pointerup', stop);
        box.removeEventListener('pointercancel', stop);
        const selected = brush && now.type === 'pointerup';
        const ended = time(now);
        brush = null;
        if (bar && !selected && now.type === 'pointerup') explain(bar.dataset);
        if (selected) view(Math.min(begin, ended), Math.max(begin, ended));
        else draw();
      };
      box.addEventListener('pointermove', drag);
      box.addEventListener('pointerup', stop);
      box.addEventListener('pointercancel', stop);
    });
    const centre = (event) => {
      if (event.type === 'pointermove' && !event.buttons) return;
      if (event.type === 'pointerdown') overview.setPointerCapture(event.pointerId);
      const share = (event.clientX - overview.getBoundingClientRect().left - axis.left) / (axis.right - axis.left);
      const [at, half] = [shown.a + share * (end(shown) - shown.a), (to - from) / 2];
      view(at - half, at + half);
    };
    overview.addEventListener('pointerdown', centre);
    overview.addEventListener('pointermove', centre);
    all('[data-zoom]').forEach((b) => b.addEventListener('click', () => actions[b.dataset.zoom]()));

    // The choice of a segment: those of the data set and row; the same one again where it exists.
    const orders = { 'worst first': 1, 'best first': -1 };
    const matching = (p, r) => {
      const found = segments.filter((one) => one.p === p && one.r === r);
      const order = orders[sort.value];
      // Segments with nothing to see come last.
      return order ? found.sort((a, b) => (score(a) === null) - (score(b) === null) || order * (score(a) - score(b))) : found;
    };
    // All segments beside each other, each as a bar as high as its F1.
    function drawSegments(choices) {
      bars.hidden = choices.length < 2;
      bars.innerHTML = choices.map((one, i) => `<button type="button" data-i="${i}" aria-pressed="${one === shown}" aria-label="${escape(`${one.s}, ${f1(one)}`)}" data-tip="${escape(`${one.s}, ${f1(one)}`)}"><i style="height:${Math.round(100 * (score(one) ?? 0))}%"></i></button>`).join('');
    }
    bars.addEventListener('click', (event) => {
      const i = event.target.closest('button')?.dataset.i;
      if (i === undefined) return;
      segment.value = i;
      pick(matching(protocol.value, row.value)[i]);
      bars.querySelector(`[data-i="${i}"]`).focus();
    });
    function choose(wanted) {
      const rows = new Set(segments.filter((one) => one.p === protocol.value).map((one) => one.r));
      [...row.options].forEach((option) => { option.hidden = option.disabled = !rows.has(option.value); });
      if (!rows.has(row.value)) row.value = [...rows][0];
      const choices = matching(protocol.value, row.value);
      segment.innerHTML = choices.map((one, i) => `<option value="${i}">${escape(one.s)} (${f1(one)})</option>`).join('');
      const same = Math.max(0, choices.findIndex((one) => one.s === wanted));
      segment.value = same;
      pick(choices[same]);
    }
    function pick(one) {
      shown = one;
      why.hidden = true;
      drawSegments(matching(protocol.value, row.value));
      view(shown.a, end(shown));
    }
    protocol.addEventListener('change', () => choose(shown.s));
    row.addEventListener('change', () => choose(shown.s));
    sort.addEventListener('change', () => choose(shown.s));
    segment.addEventListener('change', () => pick(matching(protocol.value, row.value)[segment.value]));

    box.classList.add('live');
    box.tabIndex = 0;
    overview.hidden = find('#timeline-help').hidden = find('#timeline-controls').hidden = false;
    [protocol.value, row.value] = [shown.p, shown.r];
    choose(shown.s);
    [protocol, row].forEach((select) => hideSingle(select, 2));
    hideSingle(sort, segments.length > 2 ? 2 : Infinity);
    let width = box.clientWidth;
    new ResizeObserver(() => { if (box.clientWidth !== width) { width = box.clientWidth; draw(); } }).observe(box);
  }

  // Rules: filters by data set, row and fluent. With very many rules one begins with one data set.
  const rules = all('.rule');
  const filters = ['protocol', 'row', 'fluent'].map((key) => [key, find(`#r-${key}`)]);
  function filter() {
    const counts = { kept: 0, up: 0 };
    for (const rule of rules) {
      rule.hidden = !filters.every(([key, select]) => !select.value || rule.dataset[key] === select.value);
      if (!rule.hidden) counts[rule.closest('.given-up') ? 'up' : 'kept'] += 1;
    }
    find('#rule-count').textContent = `${counts.kept} kept, ${counts.up} given up`;
    const up = find('#given-up-count');
    if (up) up.textContent = counts.up;
  }
  function reveal() {
    const rule = location.hash.startsWith('#rule-') && document.getElementById(location.hash.slice(1));
    if (!rule) return;
    if (rule.hidden) {
      filters.forEach(([, select]) => { select.value = ''; });
      filter();
    }
    for (let around = rule.closest('details'); around; around = around.parentElement.closest('details')) around.open = true;
    rule.scrollIntoView({ block: 'center' });
    rule.focus({ preventScroll: true });
  }
  if (rules.length) {
    find('#rule-controls').hidden = false;
    if (all('#kept .rule').length > 60) filters[0][1].selectedIndex = 1;
    filters.forEach(([, select]) => { select.addEventListener('change', filter); hideSingle(select, 3); });
    filter();
    addEventListener('hashchange', reveal);
    reveal();
  }

  // On paper the history of every rule that counts is open.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = all('#kept .rule:not([hidden]) .history:not([open])');
    opened.forEach((history) => { history.open = true; });
  });
  addEventListener('afterprint', () => opened.forEach((history) => { history.open = false; }));
})();
