"""The rows and the summary that `programs.py` prints, the goals beside them."""

from __future__ import annotations

import statistics
from typing import Any

from programs_list import CLASSES, SIZES

FIRST_RATIO, FIRST_S = 3.0, 0.1  # a first run may take so many times plain NumPy, and so much more
LATER_RATIO, LATER_S = 1.1, 50e-6
GEO_MEAN, MEDIAN = 2.5, 1.5  # how many times as fast later runs should be
OURS = {"ours": "%%hybridize", "auto": "auto"}

HEAD = (
    f"{'milliseconds':20}{'':6}{'plain':>9}{'typed':>9}{'first':>9}{'later':>9}{'ratio':>9}"
    f"{'auto':>18}{'ratio':>9}{'numba':>9}{'ratio':>9}{'jax':>9}{'ratio':>9}  result, missed"
)


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.2f}"


def is_wrong(found: dict[str, Any]) -> str:
    """What makes one of our runs wrong: another result, or an error where plain NumPy has none."""
    if found.get("failed"):
        return f"WRONG: {found['failed']}"
    return found["same"] if found.get("same", "").startswith("WRONG") else ""


def later(found: dict[str, Any]) -> float | None:
    """Seconds of a later run, at least: of a run that was ended, what it had taken by then."""
    return found.get("later_s") or found.get("least_s")


def numpy_s(row: dict[str, Any], way: str, typed: bool = False) -> float:
    """What a way is held against, in its own process: plain NumPy, or the cell as typed."""
    return {**row, **row.get(way, {})}["typed_s" if typed or way == "auto" else "plain_s"]


def ratio(row: dict[str, Any], way: str, typed: bool = False) -> float | None:
    """How many times as fast as plain NumPy later runs are; None: there are none, or wrong ones."""
    found = row.get(way, {})
    seconds = later(found)
    if seconds is None or is_wrong(found):
        return None
    return numpy_s(row, way, typed) / seconds


def missed(row: dict[str, Any], way: str, typed: bool = False) -> list[str]:
    """The bounds that one of our ways is over."""
    found, seconds = row.get(way, {}), later(row.get(way, {}))
    first, plain = found.get("first_s", seconds), numpy_s(row, way, typed)
    over = []
    if first is not None and first > FIRST_RATIO * plain + FIRST_S:
        over.append("first")
    if seconds is not None and seconds > LATER_RATIO * plain + LATER_S:
        over.append("later")
    return over


def times(row: dict[str, Any], way: str) -> tuple[str, str, str]:
    """First, later and ratio of a way, or why it has none."""
    found = row.get(way, {})
    if is_wrong(found):
        return "", "WRONG", ""
    if "refused" in found or not found:
        said = found.get("refused", "-")
        return "", {"not installed": "absent", "unknown": "-", "no port": "-"}.get(said, said), ""
    seconds, share = later(found), ratio(row, way)
    first = milliseconds(found["first_s"]) if "first_s" in found else "-"
    if seconds is None or share is None:
        return first, "-", "-"
    least = "least_s" in found
    return first, "> " * least + milliseconds(seconds), "< " * least + f"{share:.2f} x"


def peer(row: dict[str, Any], way: str) -> tuple[str, str]:
    """Milliseconds and ratio of numba or jax; an error of theirs is a refusal."""
    if is_wrong(row[way]):
        return "refused" if row[way].get("failed") else "differs", ""
    return times(row, way)[1:]


def row_text(row: dict[str, Any]) -> str:
    plain, typed = milliseconds(row["plain_s"]), milliseconds(row["typed_s"])
    first, ours, share = times(row, "ours")
    auto_first, auto, auto_share = times(row, "auto")
    autos = f"{auto_first} {auto}"
    (numba, numba_share), (jax, jax_share) = peer(row, "numba"), peer(row, "jax")
    says = [row["ours"].get("same", "")] if not is_wrong(row["ours"]) else []
    for way, title in OURS.items():
        prefix = "" if way == "ours" else f"{title} "
        wrong = is_wrong(row.get(way, {}))
        says += [f"{prefix}{wrong}"] if wrong else []
        over, over_typed = missed(row, way), missed(row, way, typed=True)
        says += [f"missed: {prefix}{b}" + " beside plain" * (b not in over_typed) for b in over]
    return (
        f"{row['name']:20}{row['size']:6}{plain:>9}{typed:>9}{first:>9}{ours:>9}{share:>9}"
        f"{autos:>18}{auto_share:>9}{numba:>9}{numba_share:>9}{jax:>9}{jax_share:>9}"
        f"  {', '.join(filter(None, says))}"
    )


def shares(rows: list[dict[str, Any]], way: str) -> str:
    """Geo-mean, median and worst of a way's ratios."""
    found = {f"{r['name']} {r['size']}": share for r in rows if (share := ratio(r, way))}
    if not found:
        return ""
    worst = min(found, key=found.__getitem__)
    return (
        f"geo-mean {statistics.geometric_mean(found.values()):.2f} x, median "
        f"{statistics.median(found.values()):.2f} x of {len(found)}, worst {found[worst]:.2f} x "
        f"({worst})"
    )


def compiling(rows: list[dict[str, Any]]) -> list[str]:
    """What the peers' first runs took, in which they compile; no other figure holds that."""
    lines = []
    for way in ("numba", "jax"):
        if found := [row[way]["first_s"] for row in rows if "first_s" in row[way]]:
            middle, most = statistics.median(found), max(found)
            lines.append(
                f"{way} compiles in its first run: median {middle:.2f} s, most {most:.2f} s"
            )
    return lines


def goals(rows: list[dict[str, Any]], way: str, typed: bool) -> list[str]:
    """Our goals over all rows, with what was reached."""
    found = [share for row in rows if (share := ratio(row, way, typed))]
    if not found:
        return []
    over = [bound for row in rows for bound in missed(row, way, typed)]
    mean, median = statistics.geometric_mean(found), statistics.median(found)
    right = sum(not is_wrong(row[way]) for row in rows)
    lines = [
        (f"right everywhere: {right} of {len(rows)}", right == len(rows)),
        (
            f"first <= {FIRST_RATIO:g} x + {FIRST_S * 1e3:g} ms: {over.count('first')} over",
            "first" not in over,
        ),
        (
            f"later <= {LATER_RATIO:g} x + {LATER_S * 1e6:g} us: {over.count('later')} over",
            "later" not in over,
        ),
        (f"geo-mean of later runs >= {GEO_MEAN:g} x: {mean:.2f} x", mean >= GEO_MEAN),
        (f"median of later runs >= {MEDIAN:g} x: {median:.2f} x", median >= MEDIAN),
    ]
    beside = "the cell as typed" if typed else "plain NumPy"
    goals_of = f"goals, {OURS[way]} beside {beside}:"
    return [goals_of, *(f"  {text}: {'met' if met else 'MISSED'}" for text, met in lines)]


def summary(rows: list[dict[str, Any]]) -> tuple[str, bool]:
    """By class, by size and over all; and whether any of our results is wrong."""
    empty = statistics.median(row["empty_s"] for row in rows)
    counts = [row["ours"].get("runs", 1) - 1 for row in rows]
    lines = [
        "",
        f"every figure is less the {empty * 1e6:.0f} us of an empty cell; later runs are the best "
        f"of {min(counts)} to {max(counts)}, median {statistics.median(counts):g}",
    ]
    groups = {title: [r for r in rows if r["class"] == kind] for kind, title in CLASSES.items()}
    groups |= {size: [r for r in rows if r["size"] == size] for size in SIZES}
    groups["all"] = rows
    for title, mine in groups.items():
        if mine:
            lines += [f"{title}:"]
            found = {way: shares(mine, way) for way in (*OURS, "numba", "jax")}
            lines += [f"  {OURS.get(way, way):12}{text}" for way, text in found.items() if text]
    lines += goals(rows, "ours", False) + goals(rows, "ours", True)
    if any("later_s" in row.get("auto", {}) for row in rows):
        lines += goals(rows, "auto", True)
    lines += compiling(rows)
    refused = {
        f"  {way} {'refused' if r[way].get('failed') else 'differs'}: {r['name']}: {text}"
        for way in ("numba", "jax")
        for r in rows
        if (text := is_wrong(r[way]).removeprefix("WRONG: "))
    }
    lines += ["peers:", *sorted(refused)] if refused else []
    wrong = [
        f"  {r['name']} {r['size']}, {title}: {text}"
        for r in rows
        for way, title in OURS.items()
        if (text := is_wrong(r.get(way, {})))
    ]
    lines += ["WRONG RESULTS", *wrong] if wrong else ["no wrong result"]
    return "\n".join(lines), bool(wrong)
