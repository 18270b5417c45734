"""nd.image, turned images and io's iterators: groups of data_cases.py."""

from __future__ import annotations

import os
import tempfile

import numpy as np


def shaped(array):
    """The shape, the dtype's letter and the values, as one array."""
    values = array.asnumpy() if hasattr(array, "asnumpy") else np.asarray(array)
    return np.array([values.ndim, *values.shape, ord(values.dtype.char), *values.ravel().tolist()])


def _pictures(mx, *shapes):
    """(name, array): of bytes and of floats."""
    numbers = np.random.RandomState(5)
    for shape in shapes:
        for dtype in ("uint8", "float32"):
            values = numbers.randint(0, 256, shape)
            yield f"{dtype} {shape}", mx.nd.array(values, dtype=dtype)


def resized(mx):
    image, results = mx.nd.image, {}
    for name, x in _pictures(mx, (5, 7, 3), (2, 6, 8, 1), (1, 1, 4)):
        for interp in range(5):
            for size in ((3, 4), (9, 5), (4, 3), 1):
                results[f"{name} {size} by {interp}"] = shaped(image.resize(x, size, interp=interp))
        results[f"{name} short"] = shaped(image.resize(x, 3, keep_ratio=True))
        if x.shape[-1] != 4:  # MXNet crops images of one and three channels
            cut = mx.gluon.data.vision.transforms.CropResize(1, 2, 3, 2, (2, 3), 0)
            results[f"{name} cut"] = shaped(cut(x))
    return results


def coloured(mx):
    """Random factors are numbers here: both limits are the same."""
    image, results = mx.nd.image, {}
    for name, x in _pictures(mx, (5, 7, 3), (4, 6, 1)):
        for by in (0.0, 0.4, 1.0, 1.7):
            for kind in ("brightness", "contrast", "hue"):
                if kind != "hue" or x.shape[-1] == 3:  # MXNet leaves that of grey images unwritten
                    made = getattr(image, f"random_{kind}")(x, by, by)
                    results[f"{name} {kind} {by}"] = shaped(made)
        if x.shape[-1] == 3:
            results[f"{name} light"] = shaped(image.adjust_lighting(x, (0.1, -0.2, 0.3)))
            results[f"{name} no light"] = shaped(image.random_lighting(x, 0.0))
    # Greys: MXNet takes their blue part for all of their grey, which is the same without others.
    blue = mx.nd.array(np.arange(60).reshape(4, 5, 3) * np.array([0, 0, 1]), dtype="float32")
    for by in (0.0, 0.4, 1.7):
        results[f"saturation {by}"] = shaped(image.random_saturation(blue, by, by))
    return results


def turned(mx):
    made, results = mx.gluon.data.vision.transforms, {}
    x = mx.nd.array(np.random.RandomState(6).rand(2, 3, 5, 8))
    for angle in (0, 30, -100.5, 180):
        for zoom in ((False, False), (True, False), (False, True)):
            results[f"{angle} {zoom}"] = shaped(mx.image.imrotate(x, angle, *zoom))
            results[f"one {angle} {zoom}"] = shaped(made.Rotate(angle, *zoom)(x[0]))
    results["each"] = shaped(mx.image.imrotate(x, mx.nd.array([10.0, 80.0]), False, True))
    np.random.seed(3)
    results["random"] = shaped(mx.image.random_rotate(x, (-30, 60)))
    results["random one"] = shaped(made.RandomRotation((10, 20), True)(x[0]))
    results["never"] = shaped(made.RandomRotation((10, 20), rotate_with_proba=0)(x[0]))
    return results


def _batches(iterator):
    found = []
    for batch in iterator:
        arrays = [*batch.data, *(batch.label or [])]
        found += [-1, batch.pad, *(v for a in arrays for v in shaped(a).tolist())]
    return found


def batched(mx):
    io, results = mx.io, {}
    for n, size in ((10, 3), (3, 5), (10, 5), (2, 7), (1, 1)):
        for handle in ("pad", "discard", "roll_over"):
            if handle == "roll_over" and size > n:  # MXNet fails in the second or third epoch
                continue
            x, y = np.arange(2 * n).reshape(n, 2), np.arange(n)
            made = io.NDArrayIter({"b": x, "a": x + 0.5}, y, size, last_batch_handle=handle)
            described = [*made.provide_data, *made.provide_label]
            found = [
                len("".join(d.name for d in described)),
                *(v for d in described for v in d.shape),
            ]
            for _ in range(3):
                found += _batches(made)
                made.reset()
            results[f"arrays {n} {size} {handle}"] = np.array(found)
    np.random.seed(4)
    shuffled = io.NDArrayIter(np.arange(7), np.arange(7), 3, True, "roll_over")
    results["shuffled"] = np.array([*_batches(shuffled), *(shuffled.reset() or _batches(shuffled))])
    inner = io.NDArrayIter(np.arange(6), batch_size=4)
    results["resized"] = np.array(_batches(io.ResizeIter(inner, 5)))
    ahead = io.PrefetchingIter([io.NDArrayIter(np.arange(6), np.arange(6), 4) for _ in range(2)])
    results["ahead"] = np.array([*_batches(ahead), *(ahead.reset() or _batches(ahead))])
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, width in (("data", 4), ("label", 1)):
            files[f"{name}_csv"] = path = os.path.join(folder, name)
            np.savetxt(path, np.arange(5 * width).reshape(5, width), "%d", ",")
        for size, rounds, dtype in ((2, True, None), (2, False, "int32"), (3, True, "int64")):
            made = io.CSVIter(
                data_shape=(2, 2), label_shape=(1,), batch_size=size, round_batch=rounds, **files,
                **({} if dtype is None else {"dtype": dtype}),
            )  # fmt: skip
            found = []
            for _ in range(3):
                found += _batches(made)
                made.reset()
            results[f"lines {size} {rounds} {dtype}"] = np.array(found)
            del made
    return results


GROUPS = (resized, coloured, turned, batched)
