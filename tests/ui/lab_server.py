"""A JupyterLab server of its own over a copy of the notebooks; tests and benchmarks start it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

TOKEN = "hybrid-tests"
CHROMIUM_FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
_ADDRESS = re.compile(r"(http://(?:localhost|127\.0\.0\.1):\d+/)")


class Lab:
    """A running JupyterLab; ``with Lab(notebooks, folder) as lab``.

    Args:
        notebooks: copied to ``lab.root``, where the server starts.
        home: an empty folder for the copy and for the server's own files.
    """

    def __init__(self, notebooks: Path, home: Path):
        self.root = home / "work"
        self.url = ""
        self.log: list[str] = []
        self._told = threading.Event()  # its address, or that it has ended
        shutil.copytree(notebooks, self.root)
        settings = home / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
        self._environment = {
            **os.environ,
            "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "data"),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
            "IPYTHONDIR": str(home / "ipython"),
        }

    def __enter__(self) -> Lab:
        command = [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0",
            f"--ServerApp.root_dir={self.root}", f"--IdentityProvider.token={TOKEN}",
            "--LabApp.expose_app_in_browser=True",
            "--JupyterNotebookApp.expose_app_in_browser=True",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self._environment,
        )
        threading.Thread(target=self._read, daemon=True).start()
        self._told.wait(120)
        if not self.url:
            self.__exit__()
            raise RuntimeError("JupyterLab did not start:\n" + "".join(self.log[-40:]))
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            match = _ADDRESS.search(line)
            if match and not self.url:
                self.url = match.group(1)
                self._told.set()
            self.log.append(line)
        self._told.set()

    def address(self, notebook: str = "") -> str:
        """Where JupyterLab opens, with a notebook or none, in a workspace without history."""
        tree = f"/tree/{notebook}" if notebook else ""
        return f"{self.url}lab{tree}?token={TOKEN}&reset"

    def add_kernel(self, name: str, python: Path) -> str:
        """Offers kernels of another Python; returns the name."""
        folder = Path(self._environment["JUPYTER_DATA_DIR"]) / "kernels" / name
        folder.mkdir(parents=True)
        argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": name, "language": "python"}
        (folder / "kernel.json").write_text(json.dumps(spec))
        return name

    def notebook_address(self, notebook: str) -> str:
        """Where Notebook 7, which the same server has, opens a notebook."""
        return f"{self.url}notebooks/{notebook}?token={TOKEN}"

    def api(self, method: str, path: str) -> object:
        """Calls the server's REST interface."""
        request = urllib.request.Request(
            f"{self.url}api/{path}", method=method, headers={"Authorization": f"token {TOKEN}"}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def shut_down_kernels(self) -> None:
        """Ends every session; those that share a kernel end with the first of them."""
        while sessions := self.api("GET", "sessions"):
            self.api("DELETE", f"sessions/{sessions[0]['id']}")  # type: ignore[index]
