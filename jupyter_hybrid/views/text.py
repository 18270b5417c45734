"""The text form of a spec: stages, programs and the plan, for terminals and tests."""

from __future__ import annotations

from .schema import Spec, Unit
from .visible import visible_code


def text(spec: Spec) -> str:
    """Every stage's program and changes, then the memory plan."""
    lines = [spec["title"]]
    for stage in spec["stages"]:
        lines.append(
            f"\n# {stage['label']}" + (f": {stage['summary']}" if stage["summary"] else "")
        )
        lines += [f"    {row}" for row in stage["program"].splitlines()]
    for skipped in spec["skipped"]:
        lines.append(f"# {skipped['label']}: skipped, {skipped['why']}")
    for unit in spec.get("units", ()):
        lines.append(f"\n# unit: {unit['title']}: {unit['text']}")
        lines += _unit(unit)
    memory = spec["memory"]
    if memory:
        lines.append(
            f"\nmemory: {memory['planned']:,} bytes planned, {memory['imperative']:,} "
            f"imperative, lower bound {memory['lower_bound']:,}"
        )
        lines += [
            f"    {d['device']}: {d['planned_bytes']:,} bytes planned, arena {d['arena_bytes']:,}"
            for d in memory.get("devices", ())
        ]
    if spec["names"]:
        lines.append("\n# names: what keeping each one costs")
        lines += [f"    {n['name']}: {n['state']}, {n['price']}" for n in spec["names"]]
    return visible_code("\n".join(lines))


def _unit(unit: Unit) -> list[str]:
    """The body of a unit, each line of the cell with its instructions."""
    lines = []
    for row in unit["rows"]:
        mark = f"  <- {row['refused']}" if row["refused"] else ""
        lines.append(f"    {row['line']:>4}  {row['code']}{mark}")
        for version in row["versions"]:
            lines += [f"            [{version['kinds']}]"] if version["kinds"] else []
            lines += [f"            {text}" for text in version["instructions"]]
    if unit["variables"]:
        found = "; ".join(f"{name}: {kinds}" for name, kinds in unit["variables"])
        lines.append(f"    variables: {found}")
    return lines + [f"    checked when it begins: {'; '.join(unit['guards'])}"] * bool(
        unit["guards"]
    )
