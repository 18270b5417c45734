// The right-hand panel: the timeline of the current notebook's kernel.
import type { Cell } from '@jupyterlab/cells';
import {
  NotebookActions,
  type INotebookTracker,
  type Notebook,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { visible } from '../visible';
import { h } from '../views/dom';
import { LineWaits } from '../views/line_waits';
import { TwoClocks } from '../views/two_clocks';
import { NOTHING_YET } from '../views/timeline_words';
import { panelIcon } from './icon';
import type { Links } from './links';
import type { LiveConnection } from './live_connection';
import type { LiveConnections } from './live_connections';
import type { Viewers } from './viewers';

/** What tells that the panel came into sight or went. */
const SEEN = new Set(['after-attach', 'after-detach', 'after-show', 'after-hide']);

export class LivePanel extends Widget {
  private readonly timelines = new Map<LiveConnection, TwoClocks>();
  private readonly heading = h('h2.hyb-panel-title', {}, 'Queue and devices');
  private readonly holder = h('div.hyb-panel-body');
  private current: LiveConnection | null = null;
  private readonly none = new TwoClocks();

  constructor(
    private readonly tracker: INotebookTracker,
    private readonly connections: LiveConnections,
    private readonly links: Links,
    private readonly viewers: Viewers
  ) {
    super();
    this.id = 'jupyter-hybrid-live';
    this.addClass('hyb-live-panel');
    this.title.icon = panelIcon;
    this.title.caption = 'Hybrid: queue and devices';
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this.title.caption);
    this.node.append(this.heading, this.holder);
    viewers.pointed.connect((_, traced) => this.timeline.markNodes(traced));
    links.lineChanged.connect((_, place) => this.timeline.markLine(place));
    connections.added.connect((_, connection) => this.add(connection));
    tracker.currentChanged.connect(() => this.follow());
    document.addEventListener('visibilitychange', this.watch);
    this.follow();
  }

  override dispose(): void {
    document.removeEventListener('visibilitychange', this.watch);
    super.dispose();
  }

  override processMessage(message: Message): void {
    super.processMessage(message);
    if (SEEN.has(message.type)) {
      this.watch();
    }
  }

  // The kernel sends only what is seen.
  private readonly watch = () => {
    const isSeen = this.isVisible && document.visibilityState === 'visible';
    for (const connection of this.timelines.keys()) {
      connection.watch(isSeen && connection === this.current);
    }
    if (isSeen) {
      this.current?.wish();
    }
  };

  private get timeline(): TwoClocks {
    return (this.current && this.timelines.get(this.current)) ?? this.none;
  }

  private follow(): void {
    const panel: NotebookPanel | null = this.tracker.currentWidget;
    this.current = panel ? this.connections.of(panel) : null;
    const { timeline } = this;
    const name = panel && visible(panel.title.label);
    this.heading.textContent = name ? `Queue and devices: ${name}` : 'Queue and devices';
    if (this.holder.firstElementChild !== timeline.element) {
      this.holder.replaceChildren(timeline.element);
    }
    this.watch();
  }

  private add(connection: LiveConnection): void {
    const timeline = new TwoClocks({
      site: site => this.links.showSite(site, connection.panel),
      hover: (process, serial) => this.viewers.pointAt(process, serial),
      choose: (process, serial) => this.viewers.choose(process, serial)
    });
    this.timelines.set(connection, timeline);
    const waits = new LineWaits();
    const runs = (_: unknown, { notebook, cell }: { notebook: Notebook; cell: Cell }) => {
      if (notebook === connection.panel.content) {
        waits.forget(cell.model.id);
        this.links.noteLines(cell.model.id, []);
      }
    };
    NotebookActions.executionScheduled.connect(runs);
    connection.messages.connect((_, message) => {
      if (message.type === 'frame' || message.type === 'modelled_frame') {
        message.sites.forEach(site => {
          site.file = this.links.served(site.file, connection.panel);
        });
      }
      if (message.type === 'modelled_frame') {
        timeline.pushModelled(message);
      } else if (message.type === 'frame') {
        timeline.push(message);
        waits.add(message).forEach(cell => this.links.noteLines(cell, waits.notes(cell)));
      } else if (message.type === 'status' && message.engine) {
        timeline.setEngine(message.engine);
      }
    });
    let connected = false;
    const tell = () => {
      if (connected && connection.state !== 'connected') {
        timeline.reset();
      }
      connected = connection.state === 'connected';
      timeline.say(words(connection));
    };
    connection.stateChanged.connect(tell);
    tell();
    connection.panel.disposed.connect(() => {
      NotebookActions.executionScheduled.disconnect(runs);
      this.timelines.delete(connection);
      timeline.dispose();
      this.follow();
    });
    this.follow();
  }
}

function words(connection: LiveConnection): string {
  switch (connection.state) {
    case 'no kernel':
      return 'No kernel is running for this notebook.';
    case 'asking':
      return 'The kernel has not answered yet: it starts, or is busy with a cell.';
    case 'waiting':
      return 'This kernel has not loaded jupyter_hybrid yet: run %load_ext jupyter_hybrid in a cell.';
    case 'lost':
      return `The kernel's data is not understood. ${connection.fault ?? ''}`;
    case 'connected':
      return NOTHING_YET;
  }
}
