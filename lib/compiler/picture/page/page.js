'use strict';
// Draws the graphs of the page: each group has a layout of its own, with its inner groups closed. An open group
// stretches the layout around it, so that no layout is computed here.

const began = performance.now();
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const padding = 14, titleHeight = 26;
const palette = ['#4c78a8', '#f58518', '#54a24b', '#e45756', '#72b7b2', '#b279a2', '#9d755d', '#eeca3b', '#ff9da6'];

function create(tag, attributes, parent, text) {
  const isSvg = ['svg', 'g', 'rect', 'path', 'text', 'title', 'marker', 'defs'].includes(tag);
  const made = isSvg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

const shortened = (text, most) => text.length > most ? text.slice(0, most - 1) + '…' : text;
const shortOp = op => op.replace(/^(pd|rt|func|dist|builtin)\./, '');

function bytesText(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return (unit ? bytes.toFixed(1) : bytes) + ' ' + units[unit];
}

// White to red for a share between 0 and 1.
function heat(share) {
  const t = Math.max(0, Math.min(1, share));
  return `hsl(${50 - 44 * t}, ${40 + 52 * t}%, ${97 - 29 * t}%)`;
}

const millisecondsText = ms => (ms >= 0.1 ? ms.toPrecision(3) + ' ms' : (1000 * ms).toPrecision(3) + ' µs');
const percentText = part => (part > 0 && part < 1e-4 ? '< 0.01' : (100 * part).toFixed(part < 0.1 ? 2 : 1)) + ' %';
const shareText = ms => data.overlay.total > 0 ? percentText(ms / data.overlay.total) : '';
const fileOf = path => path.replace(/\/+$/, '').replace(/.*\//, '') || path;

// A monotone function of a coordinate: each interval [low, high] becomes `size` long or longer.
function stretch(intervals) {
  const ends = [...new Set(intervals.flatMap(i => [i.low, i.high]))].sort((a, b) => a - b);
  const parts = [];
  let moved = 0;
  for (let k = 0; k + 1 < ends.length; ++k) {
    const middle = (ends[k] + ends[k + 1]) / 2;
    let factor = 0;
    for (const i of intervals)
      if (i.low <= middle && middle <= i.high) factor = Math.max(factor, (i.size - (i.high - i.low)) / (i.high - i.low));
    parts.push({low: ends[k], high: ends[k + 1], factor, moved});
    moved += factor * (ends[k + 1] - ends[k]);
  }
  return x => {
    let result = x;
    for (const part of parts) {
      if (x <= part.low) break;
      result = x + part.moved + part.factor * (Math.min(x, part.high) - part.low);
    }
    return result;
  };
}

// The path of an edge whose points `move` moves. Its ends keep their places on their boxes, and the points between
// follow them by their distance from both ends.
function curve(points, move, moveFirst, moveLast) {
  const count = points.length / 2, moved = [];
  for (let k = 0; k < count; ++k) moved.push(move(points[2 * k], points[2 * k + 1]));
  const first = moveFirst(points[0], points[1]), last = moveLast(points[2 * count - 2], points[2 * count - 1]);
  const shifts = [first, last].map((end, i) => end.map((c, axis) => c - moved[i ? count - 1 : 0][axis]));
  return moved.map((point, k) => {
    const t = k / (count - 1), [x, y] = point.map((c, axis) => c + (1 - t) * shifts[0][axis] + t * shifts[1][axis]);
    return (k === 0 ? 'M' : k === 1 ? 'C' : ' ') + x.toFixed(1) + ' ' + y.toFixed(1);
  }).join('');
}

// What the colors of a mode mean. `of(stage, id)` is the color of a node, or null; groups show the worst inside.
const modes = {
  op: {
    title: 'op',
    of: (view, id) => {
      const node = view.nodes[id];
      if (node.kind !== 'op') return {feed: '#d7ecd9', fetch: '#f6dcdc', argument: '#eef1f6', group: '#e9edf5'}[node.kind];
      let hash = 0;
      for (const c of node.op) hash = (hash * 31 + c.charCodeAt(0)) | 0;
      return `hsl(${Math.abs(hash) % 360}, 55%, 88%)`;
    },
    legend: () => [],
  },
  time: {
    title: 'time',
    isUseful: () => Object.keys(data.overlay.times).length > 0,
    of: (view, id) => {
      const most = view.slowest[view.nodes[id].kind];
      return view.times[id] === undefined ? null : heat(Math.sqrt(view.times[id] / most));
    },
    legend: () => [['#fff', 'no step of its own'], [heat(0.1), 'fast'], [heat(1), 'slowest op or group shown']],
  },
  error: {
    title: 'error of --compare',
    isUseful: () => Object.keys(data.overlay.errors).length > 0,
    of: (view, id) => {
      const error = view.errors[id];
      if (!error) return null;
      if (id === view.firstWrong || view.isInside(view.firstWrong, id)) return '#a3123f';
      if (error.passed) return error.maxAbs > 0 ? '#dcefd9' : '#eef8ec';
      return heat(0.3 + 0.7 * Math.min(1, Math.max(0, 4 + Math.log10(error.maxRel)) / 5)); // 1e-4 to 10
    },
    legend: () => [['#dcefd9', 'agrees'], [heat(0.3), 'differs by 1e-4'], [heat(1), '10 and more, relative'],
                   ['#a3123f', 'first difference']],
    isDark: (view, id) => id === view.firstWrong || view.isInside(view.firstWrong, id),
  },
  sharding: {
    title: 'mesh axes',
    isUseful: () => axes.length > 0,
    of: (view, id) => {
      const used = view.axesOf(id);
      return used.length ? (used.length > 1 ? '#555b66' : palette[axes.indexOf(used[0]) % palette.length]) : null;
    },
    isDark: (view, id) => view.axesOf(id).length > 0,
    legend: () => axes.map((axis, i) => [palette[i % palette.length], axis])
                      .concat(axes.length > 1 ? [['#555b66', 'several']] : []),
  },
  changes: {
    title: 'changes',
    isUseful: () => data.stages.length > 1,
    of: (view, id) => [null, '#f3d36b', view.index === 0 ? '#eb9a9a' : '#97d3a0'][view.changes[id]],
    legend: () => [['#eb9a9a', 'only left'], ['#97d3a0', 'only right'], ['#f3d36b', 'changed']],
  },
};
const axes = [...new Set(data.stages.flatMap(stage => stage.nodes.flatMap(node => node.axes || [])))];
let mode = 'op';

class View {
  constructor(stage, index) {
    Object.assign(this, {stage, index, nodes: stage.nodes, values: stage.values, open: new Set(), selected: -1});
    this.nodes.forEach((node, id) => { node.depth = node.parent < 0 ? 0 : undefined; node.id = id; });
    this.annotate();
    const holder = create('div', {class: 'stage'}, byId('stages'));
    if (data.stages.length > 1) create('h2', {title: stage.title}, holder, fileOf(stage.title));
    this.svg = create('svg', {}, holder);
    const marker = create('marker', {id: 'arrow' + index, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7,
                                     markerHeight: 7, orient: 'auto'}, create('defs', {}, this.svg));
    create('path', {d: 'M0 0 L8 4 L0 8 z', fill: '#9aa3b2'}, marker);
    this.camera = {x: 0, y: 0, scale: 1};
    this.listen();
    this.draw();
    this.fit();
  }

  depthOf(id) { return id < 0 ? 0 : 1 + this.depthOf(this.nodes[id].parent); }

  // Times, errors and changes of nodes; a group has the sum or the worst of its nodes. Of several nodes with the name
  // of a variable the outermost and last one has its measurements.
  annotate() {
    const named = new Map();
    for (const node of this.nodes)
      if (node.name && node.kind === 'op') {
        const known = named.get(node.name);
        if (!known || this.depthOf(node.id) <= this.depthOf(known.id)) named.set(node.name, node);
      }
    this.named = named;
    this.times = {};
    this.errors = {};
    this.changes = (this.stage.changes || this.nodes.map(() => 0)).slice();
    for (const [name, node] of named) {
      const time = data.overlay.times[name]?.ms, error = data.overlay.errors[name];
      if (time !== undefined)
        for (let id = node.id; id >= 0; id = this.nodes[id].parent) this.times[id] = (this.times[id] || 0) + time;
      if (error)
        for (let id = node.id; id >= 0; id = this.nodes[id].parent) {
          const worst = this.errors[id] || {maxAbs: 0, maxRel: 0, passed: true};
          this.errors[id] = {maxAbs: Math.max(worst.maxAbs, error[0] ?? Infinity),
                             maxRel: Math.max(worst.maxRel, error[1] ?? Infinity), passed: worst.passed && error[2]};
        }
    }
    this.firstWrong = -1; // in program order
    for (const {name, id} of named.values()) {
      const differs = data.overlay.errors[name]?.[2] === false;
      if (differs && (this.firstWrong < 0 || id < this.firstWrong)) this.firstWrong = id;
    }
    this.nodes.forEach((node, id) => {
      if (this.changes[id])
        for (let up = node.parent; up >= 0; up = this.nodes[up].parent) this.changes[up] = this.changes[up] || 1;
    });
  }

  axesOf(id) {
    const node = this.nodes[id];
    return [...new Set((node.axes || []).concat((node.children || []).flatMap(child => this.axesOf(child))))];
  }

  isOpen(box) { return box[0] === 'node' && this.open.has(box[1]); }

  // The layout of a group with its open groups: size, and the functions that move its points.
  measure(group) {
    const layout = this.stage.layouts[group];
    const inside = new Map(), across = [], down = [];
    layout.boxes.forEach((box, i) => {
      if (!this.isOpen(box)) {
        const kind = box[0] === 'node' && this.nodes[box[1]].kind;
        if (kind) this.slowest[kind] = Math.max(this.slowest[kind] || 0, this.times[box[1]] || 0);
        return;
      }
      const inner = this.measure(box[1]);
      inside.set(i, inner);
      const [, , x, y, width, height] = box;
      across.push({low: x - width / 2, high: x + width / 2, size: Math.max(width, inner.width + 2 * padding)});
      down.push({low: y - height / 2, high: y + height / 2, size: inner.height + 2 * padding + titleHeight});
    });
    const fx = stretch(across), fy = stretch(down);
    return {layout, inside, fx, fy, width: fx(layout.width), height: fy(layout.height)};
  }

  draw() {
    this.scene && this.scene.remove();
    this.scene = create('g', {}, this.svg);
    this.boxes = new Map();
    this.slowest = {}; // by kind, of the closed nodes
    this.size = this.measure(-1);
    this.drawGroup(this.size, this.scene, 0, 0);
    this.moveCamera();
    this.mark();
  }

  drawGroup(measured, parent, left, top) {
    const {layout, fx, fy} = measured;
    const edges = create('g', {}, parent), moves = [];
    layout.boxes.forEach((box, i) => {
      const [kind, id, x, y, width, height] = box;
      const inner = measured.inside.get(i);
      const cx = left + (fx(x - width / 2) + fx(x + width / 2)) / 2;
      const cy = top + (fy(y - height / 2) + fy(y + height / 2)) / 2;
      const w = inner ? Math.max(width, inner.width + 2 * padding) : width;
      const h = inner ? inner.height + 2 * padding + titleHeight : height;
      // Where a point on the border of the box is drawn, or near it.
      const along = (d, size, shown) => {
        const inside = Math.max(-size / 2, Math.min(size / 2, d));
        return inside * shown / size + d - inside;
      };
      moves[i] = (px, py) => [cx + along(px - x, width, w), cy + along(py - y, height, h)];
      if (kind !== 'node') return this.drawPort(parent, id, cx, cy, width, height);
      this.drawNode(parent, id, cx, cy, w, h, inner);
      if (inner) this.drawGroup(inner, parent, cx - inner.width / 2, cy - h / 2 + titleHeight + padding);
    });
    for (const [from, to, value, count, points] of layout.edges) {
      const path = curve(points, (x, y) => [left + fx(x), top + fy(y)], moves[from], moves[to]);
      const edge = create('path', {class: 'edge', d: path, 'marker-end': `url(#arrow${this.index})`}, edges);
      edge.ends = [layout.boxes[from], layout.boxes[to]];
      create('title', {}, edge, [this.values[value][1], this.values[value][2],
                                 count > 1 ? `and ${count - 1} more` : ''].filter(Boolean).join(' '));
    }
  }

  drawPort(parent, value, x, y, width, height) {
    const port = create('g', {class: 'box port'}, parent);
    create('rect', {x: x - width / 2, y: y - height / 2, width, height}, port);
    create('text', {x, y: y + 3}, port, shortened(this.values[value][1] || '·', 18));
    create('title', {}, port, this.values[value][2]);
    port.addEventListener('click', () => select(this, this.values[value][0]));
  }

  // The second line of a node: communicated bytes, a time, or the variable.
  subtitle(id, width) {
    const node = this.nodes[id];
    if (node.bytes) return bytesText(node.bytes);
    if (mode === 'time' && this.times[id] !== undefined) {
      const both = [millisecondsText(this.times[id]), shareText(this.times[id])].filter(Boolean).join(' · ');
      return 5.5 * both.length < width ? both : millisecondsText(this.times[id]);
    }
    if (mode === 'error' && this.errors[id]?.passed === false)
      return 'max abs error ' + this.errors[id].maxAbs.toPrecision(2);
    return node.name || (node.kind === 'group' ? this.opsOf(id) + ' ops' : '');
  }

  isInside(id, group) {
    for (let up = id < 0 ? -1 : this.nodes[id].parent; up >= 0; up = this.nodes[up].parent)
      if (up === group) return true;
    return false;
  }

  // The number of ops in a node.
  opsOf(id) {
    const {kind, children} = this.nodes[id];
    return (children || []).reduce((sum, child) => sum + this.opsOf(child), kind === 'op' ? 1 : 0);
  }

  // The ops in a node, in program order.
  inside(id) {
    const {children} = this.nodes[id];
    const all = (children || []).flatMap(child => [child, ...this.inside(child)]);
    return all.filter(child => this.nodes[child].kind === 'op');
  }

  drawNode(parent, id, x, y, width, height, inner) {
    const node = this.nodes[id], hasInside = this.stage.layouts[id] !== undefined;
    const box = create('g', {class: 'box' + (hasInside ? ' group' : '') + (inner ? ' open' : '')}, parent);
    const rect = create('rect', {x: x - width / 2, y: y - height / 2, width, height}, box);
    if (!inner) rect.setAttribute('fill', modes[mode].of(this, id) || '#ffffff');
    if (!inner && modes[mode].isDark?.(this, id)) box.classList.add('dark');
    const subtitle = inner ? '' : this.subtitle(id, width);
    const titleY = inner ? y - height / 2 + 17 : subtitle ? y - 3 : y + 4;
    create('text', {x, y: titleY}, box, shortened(shortOp(node.op), 26));
    if (subtitle) create('text', {x, y: y + 12, class: 'name'}, box, shortened(subtitle, 28));
    if (hasInside) {
      const toggle = create('text', {x: x + width / 2 - 10, y: titleY, class: 'toggle'}, box, inner ? '−' : '+');
      toggle.addEventListener('click', event => { event.stopPropagation(); this.toggle(id); });
      box.addEventListener('dblclick', () => this.toggle(id));
    }
    create('title', {}, box, [node.op, node.name, node.line].filter(Boolean).join('\n'));
    box.addEventListener('click', () => select(this, id));
    this.boxes.set(id, {box, x, y, width, height});
  }

  toggle(id) {
    const before = this.boxes.get(id);
    this.open.has(id) ? this.open.delete(id) : this.open.add(id);
    this.draw();
    const after = this.boxes.get(id); // the group keeps its place on the screen
    if (before && after) {
      this.camera.x += (before.x - after.x) * this.camera.scale;
      this.camera.y += (before.y - before.height / 2 - after.y + after.height / 2) * this.camera.scale;
      this.moveCamera();
    }
  }

  openAll(isOpen) {
    this.open = new Set(isOpen ? Object.keys(this.stage.layouts).map(Number).filter(id => id >= 0) : []);
    this.draw();
    this.fit();
  }

  moveCamera() {
    const {x, y, scale} = this.camera;
    this.scene.setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
  }

  // Shows the whole width, or at least readable text.
  fit() {
    const {clientWidth, clientHeight} = this.svg.parentNode;
    const whole = Math.min((clientWidth - 40) / this.size.width, (clientHeight - 60) / this.size.height);
    const scale = Math.min(1.2, Math.max(whole, 0.35));
    this.camera = {scale, x: (clientWidth - scale * this.size.width) / 2,
                   y: whole === scale ? (clientHeight - scale * this.size.height) / 2 : 40};
    this.moveCamera();
  }

  center(id) {
    const shown = this.boxes.get(id);
    if (!shown) return;
    const {clientWidth, clientHeight} = this.svg.parentNode;
    const scale = this.camera.scale = Math.max(this.camera.scale, 0.8);
    this.camera.x = clientWidth / 2 - scale * shown.x;
    this.camera.y = Math.min(clientHeight / 2 - scale * shown.y, 40 - scale * (shown.y - shown.height / 2 - clientHeight));
    this.moveCamera();
  }

  reveal(id) {
    for (let up = this.nodes[id].parent; up >= 0; up = this.nodes[up].parent) this.open.add(up);
    this.draw();
    this.center(id);
  }

  mark() {
    for (const [id, {box}] of this.boxes) box.classList.toggle('selected', id === this.selected);
    for (const edge of this.scene.querySelectorAll('.edge'))
      edge.classList.toggle('selected', edge.ends.some(end => end[0] === 'node' && end[1] === this.selected));
  }

  listen() {
    let last = null, moved = 0;
    this.svg.addEventListener('pointerdown', event => {
      last = [event.clientX, event.clientY];
      moved = 0;
    });
    this.svg.addEventListener('click', event => { // the end of a drag selects nothing
      if (moved > 4) event.stopPropagation();
    }, {capture: true});
    window.addEventListener('pointermove', event => {
      if (!last) return;
      moved += Math.abs(event.clientX - last[0]) + Math.abs(event.clientY - last[1]);
      this.svg.classList.add('moving');
      this.camera.x += event.clientX - last[0];
      this.camera.y += event.clientY - last[1];
      last = [event.clientX, event.clientY];
      this.moveCamera();
    });
    window.addEventListener('pointerup', () => { last = null; this.svg.classList.remove('moving'); });
    this.svg.addEventListener('wheel', event => {
      event.preventDefault();
      const place = this.svg.getBoundingClientRect(), factor = Math.exp(-event.deltaY * 0.0015);
      const x = event.clientX - place.left, y = event.clientY - place.top;
      this.camera.x = x - (x - this.camera.x) * factor;
      this.camera.y = y - (y - this.camera.y) * factor;
      this.camera.scale *= factor;
      this.moveCamera();
    }, {passive: false});
  }
}

function addRows(parent, title, rows) {
  if (!rows.length) return;
  create('h4', {}, parent, title);
  const table = create('table', {}, parent);
  for (const [name, ...cells] of rows) {
    const row = create('tr', {}, table);
    create('td', {}, row, name);
    const cell = create('td', {}, row);
    cell.append(...cells);
  }
}

function linkTo(view, id, text) {
  const link = create('a', {}, null, text);
  link.addEventListener('click', () => { select(view, id); view.reveal(id); });
  return link;
}

function weightRows(view, node) {
  return (node.operands || []).flatMap(([, name]) => {
    const facts = view.stage.weights[name];
    const shown = ['min', 'max', 'mean', 'std', 'zeros'].concat(['NaN', 'Inf'].filter(key => facts?.[key]));
    const text = value => typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(4) : value;
    return facts ? [[name, shown.map(key => `${key} ${text(facts[key])}`).join(', ')]] : [];
  });
}

// The step that computes a node: its kernel, what it computes, and its rates.
function stepRows(step) {
  if (!step) return [];
  const rows = [['kernel', step.kernel], ['computes', step.ops]], seconds = 1e-3 * step.ms;
  if (step.bytes && seconds) rows.push(['memory', (1e-9 * step.bytes / seconds).toPrecision(3) + ' GB/s']);
  if (step.flops && seconds) rows.push(['arithmetic', (1e-9 * step.flops / seconds).toPrecision(3) + ' GFLOP/s']);
  if (step.roofline) rows.push(['of the roofline', percentText(step.roofline)]);
  return rows;
}

function measurementRows(view, id) {
  const rows = [], node = view.nodes[id], error = view.errors[id], time = view.times[id];
  if (time !== undefined) {
    rows.push(['time', millisecondsText(time)], ['share of the run', shareText(time)]);
    if (node.kind === 'op' && view.named.get(node.name) === node) rows.push(...stepRows(data.overlay.times[node.name]));
  } else if (node.kind === 'op' && modes.time.isUseful())
    rows.push(['time', 'no step of its own: part of the step of a user, a view, or computed before the run']);
  if (error) rows.push(['max abs error', error.maxAbs.toPrecision(3)], ['max rel error', error.maxRel.toPrecision(3)],
                       ['compared', error.passed ? 'agrees' : 'differs']);
  if (node.bytes) rows.push(['communicates', bytesText(node.bytes)]);
  if (view.changes[id]) rows.push(['change', ['', 'changed', 'only here'][view.changes[id]]]);
  return rows;
}

// The differences of a changed node from the node of the other stage that computes the same variable.
function changeRows(view, id) {
  const node = view.nodes[id], other = views[1 - view.index]?.named.get(node.name);
  if (!other || view.changes[id] !== 1 || node.kind !== 'op') return [];
  const [before, after] = view.index === 0 ? [node, other] : [other, node];
  const of = (from, name) => (from.attributes || []).find(([key]) => key === name)?.[1] ?? 'none';
  const names = new Set([before, after].flatMap(from => (from.attributes || []).map(([key]) => key)));
  const results = from => (from.results || []).join(', ');
  const operands = from => (from.operands || []).map(([, , type]) => type).join(', ');
  return [['op', before.op, after.op], ['operands', operands(before), operands(after)],
          ['results', results(before), results(after)],
          ...[...names].map(name => [name, of(before, name), of(after, name)])]
    .filter(([, left, right]) => left !== right).map(([name, left, right]) => [name, `${left} → ${right}`]);
}

// Of a group: the ops that take most of its time, and those whose values differ.
function insideRows(view, id) {
  const ops = view.inside(id), most = 8;
  const linked = (op, text) => [text, linkTo(view, op, `${shortOp(view.nodes[op].op)} ${view.nodes[op].name || ''}`)];
  const isMeasured = op => view.named.get(view.nodes[op].name) === view.nodes[op];
  const slow = ops.filter(op => view.times[op] && isMeasured(op)).sort((a, b) => view.times[b] - view.times[a]);
  const wrong = ops.filter(op => view.errors[op] && !view.errors[op].passed && isMeasured(op));
  return [['ops', String(ops.length)], ...slow.slice(0, most).map(op => linked(op, millisecondsText(view.times[op]))),
          ...wrong.slice(0, most).map(op => linked(op, 'differs'))];
}

function showDetails(view, id) {
  const node = view.nodes[id], panel = byId('details');
  panel.replaceChildren();
  create('h3', {}, panel, node.op);
  if (node.name) create('div', {}, panel, node.name);
  if (node.line) create('div', {class: 'line'}, panel, node.line);
  addRows(panel, 'operands', (node.operands || []).map(([value, name, type]) => {
    if (value < 0) return [name, type];
    const [producer, valueName] = view.values[value];
    return [linkTo(view, producer, valueName || shortOp(view.nodes[producer].op)), type];
  }).map(([name, type]) => name instanceof Node ? ['', name, ' ' + type] : [shortened(name, 40), type]));
  addRows(panel, 'results', (node.results || []).map((type, i) => [String(i), type]));
  const users = view.values.flatMap(([producer, , , consumers]) => producer === id ? consumers : []);
  addRows(panel, 'used by', users.map(user => ['', linkTo(view, user, `${shortOp(view.nodes[user].op)} ${view.nodes[user].name || ''}`)]));
  addRows(panel, 'attributes', node.attributes || []);
  addRows(panel, 'new values of', (node.states || []).map(name => ['', name]));
  addRows(panel, 'weights', weightRows(view, node));
  addRows(panel, 'run', measurementRows(view, id));
  addRows(panel, 'changed', changeRows(view, id));
  if (node.children) addRows(panel, 'inside', insideRows(view, id));
}

function select(view, id) {
  view.selected = id;
  view.mark();
  showDetails(view, id);
  const name = view.nodes[id].name;
  for (const other of views)
    if (other !== view) {
      const same = name ? other.named.get(name) : undefined;
      other.selected = same ? same.id : -1;
      same ? other.reveal(same.id) : other.mark();
    }
}

function search(text) {
  const list = byId('found'), wanted = text.toLowerCase();
  list.replaceChildren();
  const hits = wanted ? views.flatMap(view => view.nodes.filter(node => node.kind !== 'group' &&
    ((node.name || '').toLowerCase().includes(wanted) || node.op.toLowerCase().includes(wanted))).map(node => [view, node])) : [];
  for (const [view, node] of hits.slice(0, 50)) {
    const row = create('div', {}, list, node.name || shortOp(node.op));
    create('small', {}, row, `${node.op} ${node.line || ''} ${views.length > 1 ? view.stage.title : ''}`);
    row.addEventListener('click', () => { list.hidden = true; view.reveal(node.id); select(view, node.id); });
  }
  if (hits.length > 50) create('div', {}, list, `and ${hits.length - 50} more`);
  list.hidden = !hits.length;
}

function setMode(next) {
  mode = next;
  byId('mode').value = next;
  byId('legend').replaceChildren(...modes[mode].legend().map(([color, text]) => {
    const entry = create('span');
    create('i', {style: `background: ${color}; border: 1px solid #99a`}, entry);
    entry.append(text);
    return entry;
  }));
  views.forEach(view => view.draw());
}

function selectFromHash() {
  const wanted = decodeURIComponent((location.hash.match(/^#select=(.*)/) || [])[1] || '');
  for (const view of views) {
    const node = wanted && view.nodes.find(node => node.kind !== 'group' && node.name === wanted);
    if (node) return view.reveal(node.id), select(view, node.id);
  }
}

byId('title').textContent = data.stages.map(stage => fileOf(stage.title)).join(' → ');
byId('title').title = document.title;
const views = [];
data.stages.forEach((stage, i) => views.push(new View(stage, i)));
for (const [name, {title, isUseful}] of Object.entries(modes))
  if (!isUseful || isUseful()) create('option', {value: name}, byId('mode'), title);
byId('mode').addEventListener('change', event => setMode(event.target.value));
byId('search').addEventListener('input', event => search(event.target.value));
byId('search').addEventListener('keydown', event => {
  if (event.key === 'Enter') byId('found').querySelector('div')?.click();
  if (event.key === 'Escape') { byId('search').value = ''; search(''); byId('search').blur(); }
});
window.addEventListener('keydown', event => {
  if (event.target === byId('search') || event.altKey || event.metaKey) return;
  if (event.key === '/' || (event.ctrlKey && event.key === 'f')) { event.preventDefault(); byId('search').focus(); }
  if (!event.ctrlKey && event.key === 'f') views.forEach(view => view.fit());
});
byId('fit').addEventListener('click', () => views.forEach(view => view.fit()));
byId('open').addEventListener('click', () => views.forEach(view => view.openAll(true)));
byId('close').addEventListener('click', () => views.forEach(view => view.openAll(false)));
window.addEventListener('hashchange', selectFromHash);
setMode(['changes', 'error', 'time', 'sharding', 'op'].find(name => !modes[name].isUseful || modes[name].isUseful()));
views.forEach(view => view.fit());
selectFromHash();
document.documentElement.dataset.openedIn = Math.round(performance.now() - began);
