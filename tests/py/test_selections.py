"""What a mask has selected stays what it was, whoever writes the array afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative

SETUP = """
import numpy as np
x = np.array([1.0, 5, 2, 8, 4, 7])
L = []
def unseen(a):
    exec("a[:] = -7.0", {"a": a})
"""
WRITES = {
    "a loop that is left to Python": "for i in range(300):\n    {0} *= 0.5\n",
    "an element": "{0}[1] = 0\n",
    "all of it": "{0}[...] = 0\n",
    "an operator": "{0} += 1\n",
    "out": "np.add({0}, 1, out={0})\n",
    "a method": "{0}.sort()\n",
    "a part of it": "part = {0}[1:]\npart.sort()\n",
    "unseen code": "unseen({0})\n",
    "its memory": "{0}.resize(3, refcheck=False)\n",
    "a memoryview": "memoryview({0})[1] = 0.0\n",
}


@pytest.mark.parametrize("array", ["x", "y"])
@pytest.mark.parametrize("what", WRITES)
@pytest.mark.parametrize("used", ["w", "w * 2", "L.append(w)"])
def test_a_selection_is_a_copy(what, array, used):
    body = f"y = x + 1\nm = {array} > 3\nw = {array}[m]\n" + WRITES[what].format(array)
    body = body.replace("w = ", "w = v = ", 1) + f"v = {used}\n"
    wanted = imperative(SETUP + body)[0]
    shell = Shell()
    shell.run(SETUP)
    shell.hybridize(body, "--view none")
    np.testing.assert_array_equal(shell.ns["w"], wanted["w"])


def test_a_list_keeps_what_a_mask_selected():
    body = "s = 0.5\nfor i in range(300):\n    w = x[x > s]\n    x *= 0.5\n"
    body += "    if i == 0:\n        L.append(w)\n"
    wanted = imperative(SETUP + body)[0]
    shell = Shell()
    shell.run(SETUP)
    shell.hybridize(body, "--view none")
    np.testing.assert_array_equal(shell.ns["L"][0], wanted["L"][0])
