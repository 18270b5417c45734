"""What a Tab offers after our magics."""

from __future__ import annotations

import pytest
from cells import Shell
from IPython.core.completer import provisionalcompleter


@pytest.fixture(scope="module")
def shell() -> Shell:
    return Shell()


@pytest.mark.parametrize(
    ("line", "some", "none"),
    [
        ("%%hybridize --", {"--view", "--out", "--no-fuse"}, {"--auto", "--scratch", "if"}),
        ("%%hybridize --force --f", set(), {"--force"}),
        ("%%hybridize --view ", {"graph", "memory", "none"}, {"--view"}),
        ("%%hybridize --view gr", {"graph"}, {"memory"}),
        ("%%hybridize --plan ", {"fast", "exact"}, {"graph"}),
        ("%%hybridize --passes fu", {"fuse"}, {"fold"}),
        ("%engine ", {"naive", "slow", "inline"}, {"on", "and", "not"}),
        ("%engine inline o", {"on", "off"}, {"naive"}),
        ("%hybrid ", {"mode", "explain", "clear", "output"}, {"auto"}),
        ("%hybrid mode ", {"symbolic", "imperative", "auto"}, {"clear"}),
        ("%hybrid mode symbolic --", {"--force"}, {"auto"}),
    ],
)
def test_options_and_their_words_are_offered(shell, line, some, none):
    for text in (line, f"{line}\ny = np.ones(3)"):  # as a kernel asks, the cursor in the first line
        with provisionalcompleter():
            found = {c.text for c in shell.ip.Completer.completions(text, len(line))}
        assert some <= found and not none & found


def test_other_lines_are_pythons_own(shell):
    for line in ("engi", "%engin", "x = 1; %engine "):
        with provisionalcompleter():
            found = {c.text for c in shell.ip.Completer.completions(line, len(line))}
        assert "naive" not in found
