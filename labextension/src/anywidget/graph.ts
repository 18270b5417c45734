// The anywidget module of GraphViewer.
export default {
  render({ el }: { el: HTMLElement }): void {
    el.textContent = '';
  }
};
