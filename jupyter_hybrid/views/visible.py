"""Makes hostile characters of untrusted text visible: drawn as they are, they hide, turn others
round, break lines or are not XML. The browser's ``visible.ts`` does the same."""

from __future__ import annotations

import unicodedata

# Beside those of Unicode's categories: letters that take no room, and what no text may hold.
_OTHERS = "\u034f\u115f\u1160\u3164\uffa0\ufffe\uffff"
_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")


class _Written(dict[int, str]):
    """By code point, found once each: as it is, or as Python writes it, ``\\u202e``."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        hostile = unicodedata.category(char) in _CATEGORIES or char in _OTHERS
        self[code] = char.encode("unicode_escape").decode() if hostile else char
        return self[code]


_LINE = _Written()
_CODE = _Written({ord(char): char for char in "\n\t"})


def visible(text: str) -> str:
    """A name, or another text of one line, for every form in which people see it."""
    return text.translate(_LINE)


def visible_code(text: str) -> str:
    """Code and programs keep their lines and tabs."""
    return text.translate(_CODE)
