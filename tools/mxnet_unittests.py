"""Runs MXNet 1.x's own unit tests here and, beside it, with genuine MXNet; prints passed/total.

    python tools/mxnet_unittests.py FOLDER [--genuine PYTHON] [--ours PYTHON] [--files test_a ...]
                                    [--tests NAME ...] [--limit 60] [--results FOLDER] [--seed 17]
                                    [--path-genuine FOLDER] [--path-ours FOLDER]

FOLDER is ``tests/python/unittest`` of a checkout of MXNet's release. A file's tests run in a
process of their own, started again behind a test that ends it or takes longer than the limit
(seconds). ``--results`` keeps a JSON line a test there (``ours-test_a.jsonl``), with the error; a
side that is not run again is read from what is kept. ``--path-...`` are folders of packages that
the tests import and the interpreter lacks (SciPy, OpenCV). Tests are seeded.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WORKER = Path(__file__).with_name("mxnet_unittest_file.py")
SIDES = ("genuine", "ours")
#: What the dense 1.x interface is tested by; other files need --files.
DENSE = """
attr autograd base contrib_autograd contrib_control_flow contrib_krprod contrib_operator
contrib_optimizer contrib_text dlpack dynamic_shape engine executor gluon gluon_contrib
gluon_data gluon_data_vision gluon_model_zoo gluon_rnn gluon_save gluon_trainer gluon_utils
higher_order_grad image infer_shape infer_type init kvstore loss metric ndarray operator
optimizer random recordio rnn runtime symbol test_utils thread_local exc_handling
gluon_estimator gluon_event_handler gluon_batch_processor contrib_stes_op contrib_hawkesll
metric_perf multi_device_exec model_parallel engine_import
""".split()  # noqa: SIM905
Results = dict[str, dict[str, Any]]


def run_file(side: str, file: Path, options: argparse.Namespace) -> Results:
    """Test -> its record, for one side."""
    found: Results = {}
    while True:
        last = _run_on(side, file, options, found)
        if last is None:
            return found
        found[last].setdefault("error", "the process ended")


def _run_on(side: str, file: Path, options: argparse.Namespace, found: Results) -> str | None:
    """Runs the tests without a record; the one that ended the process, or None at the end."""
    python = os.path.abspath(options.genuine if side == "genuine" else options.ours)
    paths = [options.path_genuine] if side == "genuine" else [str(ROOT), options.path_ours]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in paths if p)}
    env |= {"MXNET_TEST_SEED": str(options.seed), "MXNET_MODULE_SEED": str(options.seed)}
    env |= {"MXNET_MKLDNN_ENABLED": "0", "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"}
    done = [test for test in found if test != "(import)"]
    command = [python, str(WORKER), side, str(file), ",".join(options.tests or ()), *done]
    process = subprocess.Popen(
        command, env=env, cwd=file.parent, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    last: str | None = "(import)"
    waiting = selectors.DefaultSelector()
    waiting.register(process.stdout, selectors.EVENT_READ)
    rest = b""
    while True:
        if not waiting.select(options.limit):
            found.setdefault(str(last), {})["error"] = f"longer than {options.limit} s"
            break
        part = os.read(process.stdout.fileno(), 1 << 16)
        if not part:
            break
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            record = json.loads(line)
            if record.get("end"):
                last = None
            elif record.get("imported"):
                found.pop("(import)", None)
            elif "passed" in record:
                found[record["test"]] = record
            else:
                last = record["test"]
                found[record["test"]] = {"test": last, "passed": False}
    os.killpg(process.pid, 9) if process.poll() is None else None
    process.wait()
    if last == "(import)":  # nothing runs
        found[last].setdefault("error", "the process ended")
        return None
    return last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--genuine", default="")
    parser.add_argument("--ours", default="")
    parser.add_argument("--files", nargs="*")
    parser.add_argument("--tests", nargs="*")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--path-genuine", default="")
    parser.add_argument("--path-ours", default="")
    options = parser.parse_args()
    totals = dict.fromkeys((*SIDES, "both", "number"), 0)
    for name in options.files or [f"test_{name}" for name in DENSE]:
        file = options.folder / f"{name}.py"
        results = {side: _of_side(side, file, options) for side in SIDES}
        good = {s: {t for t, r in of.items() if r.get("passed")} for s, of in results.items()}
        both = len(good["genuine"] & good["ours"])
        number = len(results["genuine"] or results["ours"])
        print(f"{name:32} genuine {len(good['genuine']):4}/{number:<4} ours {len(good['ours']):4}"
              f"   of genuine's {both:4}", flush=True)  # fmt: skip
        for key, count in zip(totals, (*(len(good[s]) for s in SIDES), both, number)):
            totals[key] += count
        if not options.results:
            for test in sorted(results["ours"].keys() - good["ours"]):
                print(f"    {test}: {results['ours'][test].get('error', '')[:300]}")
    print(totals)


def _of_side(side: str, file: Path, options: argparse.Namespace) -> Results:
    kept = options.results / f"{side}-{file.stem}.jsonl" if options.results else None
    if getattr(options, side):
        found = run_file(side, file.resolve(), options)
        if kept and not options.tests:
            kept.write_text("".join(json.dumps(r) + "\n" for r in found.values()))
        return found
    if kept and kept.exists():
        return {r["test"]: r for r in map(json.loads, kept.read_text().splitlines())}
    return {}


if __name__ == "__main__":
    sys.exit(main())
