"""Files of other computers, whole or not at all."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

from ..whole_files import write_whole

#: Seconds to connect, and between two pieces of the file.
_PATIENCE = (20, 60)


def fetch(url: str, file: str, retries: int, verify: bool) -> None:
    """Writes what stands at an address of http or https to a file, by the package ``requests``.

    Raises:
        FileNotFoundError: it could not be fetched, however often it was tried; the message says
            why and where to put it.
    """
    where = f"get {url} yourself and put it at {os.path.abspath(file)}"
    try:
        requests = import_module("requests")
    except ImportError:
        raise FileNotFoundError(f"download: requests is not installed; {where}") from None
    if not verify:
        warnings.warn(
            "Unverified HTTPS request is being made (verify_ssl=False). Adding certificate "
            "verification is strongly advised.",
            stacklevel=3,
        )
    for left in reversed(range(retries + 1)):
        try:
            data = _read(requests, url, verify)
            break
        except Exception as error:  # whatever a transport raises, the next try may do
            if not left:
                raise FileNotFoundError(f"download: {error}; {where}") from error
    os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
    write_whole(file, data)


def _read(requests: Any, url: str, verify: bool) -> bytes:
    answer = requests.get(url, stream=True, verify=verify, timeout=_PATIENCE)
    if answer.status_code != 200:
        raise OSError(f"{url} answers {answer.status_code}")
    return answer.content
