// Opens model files by a double click: a kernel of their own reads them, the viewer shows them.
import { SessionContext } from '@jupyterlab/apputils';
import {
  ABCWidgetFactory,
  DocumentWidget,
  TextModelFactory,
  type DocumentRegistry
} from '@jupyterlab/docregistry';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { KernelMessage, ServiceManager } from '@jupyterlab/services';
import { Panel, type Widget } from '@lumino/widgets';
import { h } from '../views/dom';
import { faultNotice } from '../views/fault';
import { visible } from '../visible';
import { hybridIcon } from './icon';

const FACTORY = 'Model viewer';
const MODEL = 'jupyter-hybrid:file';
const FILES = {
  name: 'jupyter-hybrid-model',
  displayName: 'Neural network',
  extensions: ['.params', '.onnx'],
  pattern: '-symbol\\.json$',
  mimeTypes: ['application/octet-stream'],
  contentType: 'file',
  fileFormat: null
} as const;

/** The page needs none of a file's content, which may be large: its kernel reads it. */
class FileModelFactory extends TextModelFactory {
  override get name(): string {
    return MODEL;
  }

  override get fileFormat() {
    return null as never; // JupyterLab asks for no content then
  }
}

class ModelViewer extends Panel {
  private readonly session: SessionContext;

  constructor(
    private readonly context: DocumentRegistry.Context,
    private readonly rendermime: IRenderMimeRegistry,
    services: ServiceManager.IManager
  ) {
    super();
    this.addClass('hyb-model-file');
    this.session = new SessionContext({
      sessionManager: services.sessions,
      specsManager: services.kernelspecs,
      kernelManager: services.kernels,
      path: context.path,
      name: context.path,
      type: 'file',
      kernelPreference: { language: 'python', autoStartDefault: true, shutdownOnDispose: true }
    });
    void this.open().catch(error => this.say(error));
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.session.dispose();
      super.dispose();
    }
  }

  private async open(): Promise<void> {
    const { path } = this.context;
    const name = path.slice(path.lastIndexOf('/') + 1);
    this.node.replaceChildren(
      h('p.hyb-note', { role: 'status' }, `A kernel reads ${visible(name)} …`)
    );
    await this.context.ready;
    await this.session.initialize();
    await this.session.ready;
    const kernel = this.session.session?.kernel;
    if (!kernel) {
      throw new Error('There is no Python kernel to read it.');
    }
    kernel.handleComms = false; // it shows no widgets, and asks nothing
    const code = `from jupyter_hybrid.views import view\nview(${JSON.stringify(name)})`;
    const future = kernel.requestExecute({ code, store_history: false });
    future.onIOPub = message => void this.heard(message).catch(error => this.say(error));
    await future.done;
  }

  private async heard({ header, content }: KernelMessage.IIOPubMessage): Promise<void> {
    if (header.msg_type === 'error') {
      const { ename, evalue } = content as KernelMessage.IErrorMsg['content'];
      throw new Error(`${ename}: ${evalue}`);
    }
    if (header.msg_type === 'execute_result') {
      const { data, metadata } = content as KernelMessage.IExecuteResultMsg['content'];
      const model = this.rendermime.createModel({ data, metadata, trusted: true });
      const mime = this.rendermime.preferredMimeType(data);
      if (mime) {
        const shown = this.rendermime.createRenderer(mime);
        await shown.renderModel(model);
        this.node.replaceChildren();
        this.addWidget(shown as Widget);
      }
    }
  }

  private say(error: unknown): void {
    if (!this.isDisposed) {
      this.node.replaceChildren(faultNotice(this.context.path, error));
    }
  }
}

class ModelViewerFactory extends ABCWidgetFactory<DocumentWidget<ModelViewer>> {
  constructor(
    private readonly rendermime: IRenderMimeRegistry,
    private readonly services: ServiceManager.IManager
  ) {
    const fileTypes = [FILES.name];
    super({ name: FACTORY, modelName: MODEL, fileTypes, defaultFor: fileTypes, readOnly: true });
  }

  protected override createNewWidget(
    context: DocumentRegistry.Context
  ): DocumentWidget<ModelViewer> {
    const content = new ModelViewer(context, this.rendermime, this.services);
    const widget = new DocumentWidget({ content, context });
    widget.title.icon = hybridIcon;
    return widget;
  }
}

export function openModelFiles(
  registry: DocumentRegistry,
  rendermime: IRenderMimeRegistry,
  services: ServiceManager.IManager
): void {
  registry.addFileType({ ...FILES, icon: hybridIcon } as never);
  registry.addModelFactory(new FileModelFactory());
  registry.addWidgetFactory(new ModelViewerFactory(rendermime, services));
}
