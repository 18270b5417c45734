// The JupyterLab extension: the list of its plugins.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';

const plugins: JupyterFrontEndPlugin<void>[] = [
  {
    id: 'jupyter-hybrid:plugin',
    autoStart: true,
    activate: (_app: JupyterFrontEnd) => undefined
  }
];

export default plugins;
