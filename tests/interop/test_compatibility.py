"""The compatibility page tells what is so."""

from __future__ import annotations

import fnmatch
import json

import pytest
from compatibility import PAGE, compared_names, judged, losing_tests, page, share
from families import families
from public_names import excluded, exclusions, paths, signatures
from signatures import differs, of_python
from test_uses import PROGRAMS
from varied import exceptions, never_varied

STATED_REASONS = ("sparse", "quantized", "deprecated", "left to a later issue", "internal")


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(compared_names()), "run make compatibility"


def test_compared_names_have_their_case():
    """Cases and programs that were renamed or struck take their names off the page."""
    cases = {case.name for held in families().values() for case in held}
    for path, label in compared_names().items():
        assert path in signatures()
        assert label in cases or label in PROGRAMS or "::" in label, f"{path}: {label} is gone"


def test_exclusions_have_a_reason_and_a_name():
    for pattern, why in exclusions():
        assert why.split(":")[0] in STATED_REASONS, why
        assert fnmatch.filter(paths(), pattern), f"{pattern}: there is no such name"
    assert excluded("nd.cast_storage") and not excluded("nd.exp")


def test_most_names_count():
    good, size = share(judged(compared_names()))
    assert good >= 0.95 * size


def test_few_of_mxnets_own_tests_lose():
    names = [name for name, why in losing_tests() if why]
    assert len(names) == len(set(names)) <= 10
    assert all(name.startswith("test_") and ".py::test_" in name for name in names)


def test_every_attribute_is_varied():
    """Or stands in not_varied.txt, with the reason; what is varied has to leave it."""
    lacking = {(path, name) for path, names in never_varied().items() for name in names}
    known = exceptions()
    assert lacking == set(known), sorted(lacking ^ set(known))
    assert all(known.values())


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        ("a, b=1, **kwargs", ""),
        ("a, b=2", "b has another default"),
        ("b, a", "a stands in the place of b"),
        ("a, b=1, c=None", "c is missing"),
        ("a=None", "a is required"),
        ("op a:array, b=1", ""),
        ("op a:array, c", "b stands in the place of c"),
    ],
)
def test_signatures_are_compared(expected, told):
    def function(a, b=1, **kwargs):
        return a, b, kwargs

    assert of_python(function) == "a, b=1, **kwargs"
    assert differs(expected, function).startswith(told) and bool(told) is bool(
        differs(expected, function)
    )


def test_the_record_is_sorted_json():
    compared = compared_names()
    assert list(compared) == sorted(compared) and json.dumps(compared)
