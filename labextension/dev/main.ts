// A page with the views on fixture data, to look at while working on them: npm run dev
import { parseSpec } from '../src/protocol';
import fourLines from '../src/testdata/four_lines.json';
import { GraphViewer } from '../src/views/graph_viewer';
import { Timeline } from '../src/views/timeline';
import { demoFrame } from './frames';

const query = new URLSearchParams(location.search);
document.body.dataset.jpThemeLight = String(!query.has('dark'));
const host = document.getElementById('views') as HTMLElement;
if (query.has('timeline')) {
  const timeline = new Timeline({ site: site => console.log(site) });
  host.style.maxWidth = '560px';
  host.append(timeline.element);
  if (query.get('timeline') !== 'none') {
    timeline.push(demoFrame());
  }
  Object.assign(window, { timeline });
} else {
  const url = query.get('spec');
  const data = url ? await (await fetch(url)).json() : fourLines;
  const view = query.get('view');
  const spec = parseSpec(view ? { ...data, initial: { stage: 0, view } } : data);
  const selected = (query.get('selected') ?? '').split(',').filter(Boolean).map(Number);
  const stage = query.has('stage') ? Number(query.get('stage')) : undefined;
  const viewer = new GraphViewer(
    spec,
    { change: state => console.log(state) },
    { stage, selected }
  );
  host.append(viewer.element);
  Object.assign(window, { viewer });
}
