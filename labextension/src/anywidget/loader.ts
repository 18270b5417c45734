// The module of every viewer's widget: the viewer's code itself comes from one model, so that a
// notebook holds it once.

interface Model {
  get(name: string): unknown;
  widget_manager: { get_model(id: string): Promise<Pick<Model, 'get'>> };
}

interface Module {
  default: { render(context: { model: Model; el: HTMLElement }): () => void };
}

const known = Symbol.for('jupyter_hybrid.viewer');
const page = globalThis as unknown as Record<symbol, Map<string, Promise<Module>> | undefined>;
const modules = (page[known] ??= new Map());

async function load(model: Model, id: string): Promise<Module> {
  const script = await model.widget_manager.get_model(id);
  const blob = new Blob([String(script.get('source'))], { type: 'text/javascript' });
  const url = URL.createObjectURL(blob);
  try {
    return (await import(url)) as Module;
  } finally {
    URL.revokeObjectURL(url);
  }
}

export default {
  async render(context: { model: Model; el: HTMLElement }): Promise<() => void> {
    const id = String(context.model.get('script')).replace('IPY_MODEL_', '');
    let module = modules.get(id);
    if (!module) {
      module = load(context.model, id);
      modules.set(id, module);
      module.catch(() => modules.delete(id)); // asked for again by the next viewer
    }
    return (await module).default.render(context);
  }
};
