// The icons: of the toolbar button, two nodes that become one; of the panel, lanes with their spans.
import { LabIcon } from '@jupyterlab/ui-components';

const graph = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g class="jp-icon3" fill="none" stroke="#616161" stroke-width="2" stroke-linejoin="round">
    <rect x="2.5" y="3" width="8" height="6" rx="2"/>
    <rect x="13.5" y="3" width="8" height="6" rx="2"/>
    <path d="M6.500 9v2.500q0 2 2 2h7q2 0 2-2V9M12 13.500V16"/>
  </g>
  <rect class="jp-icon3" fill="#616161" x="6.500" y="15.500" width="11" height="6.500" rx="2"/>
</svg>`;

export const hybridIcon = new LabIcon({ name: 'jupyter-hybrid:icon', svgstr: graph });

const lanes = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g class="jp-icon3" fill="#616161">
    <rect x="2.500" y="3.500" width="8" height="4.500" rx="1.500"/>
    <rect x="12" y="3.500" width="4" height="4.500" rx="1.500"/>
    <rect x="6.500" y="9.750" width="12" height="4.500" rx="1.500"/>
    <rect x="2.500" y="16" width="5" height="4.500" rx="1.500"/>
    <rect x="13" y="16" width="8.500" height="4.500" rx="1.500"/>
  </g>
</svg>`;

export const panelIcon = new LabIcon({ name: 'jupyter-hybrid:panel', svgstr: lanes });
