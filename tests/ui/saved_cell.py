"""A picture of a hybridized cell as a page.

The cell runs in a process of its own: beside a server's and a browser's threads, which run Python
code too, cells are not recorded.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import sys
sys.path.append(sys.argv[1])
import numpy as np
from cells import Shell
from jupyter_hybrid.views import GraphViewer

shell = Shell()
shell.ns.update(np=np, x=np.ones((400, 300)), w=np.ones((300, 200)))
shell.hybridize(sys.argv[2])
assert shell.report.run_s > 0
report, beside = shell.report, None
if sys.argv[4]:
    shell.hybridize(sys.argv[4])
    beside = shell.report
GraphViewer(report, beside=beside).save(sys.argv[3])
"""


def save_cell(code: str, path: Path, beside: str = "") -> None:
    """Hybridizes a cell that may read ``x``, of shape (400, 300), and ``w``, (300, 200).

    Args:
        beside: a second cell, whose picture is shown beside the first one's.
    """
    helpers = Path(__file__).parents[1] / "py"
    command = [sys.executable, "-c", _SCRIPT, str(helpers), code, str(path), beside]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
