/** Metadata: of a cell the options behind %%hybridize while it is switched off; of a notebook
 * whether it opens the panel. */
export const METADATA = 'jupyter_hybrid';
