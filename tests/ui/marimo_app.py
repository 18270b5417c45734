import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import numpy as np

    import jupyter_hybrid
    from jupyter_hybrid import GraphViewer

    with jupyter_hybrid.symbolic() as ran:
        a = np.arange(6.0)
        b = a * 2 + 1
        total = b.sum()
    viewer = mo.ui.anywidget(GraphViewer(ran.report()))
    return mo, total, viewer


@app.cell
def _(mo, total, viewer):
    chosen = viewer.value.get("selected")
    mo.vstack([viewer, mo.md(f"total {float(total)}, chosen {len(chosen)}")])
    return


if __name__ == "__main__":
    app.run()
