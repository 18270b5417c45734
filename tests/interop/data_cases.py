"""Programs on data that run under MXNet and here: what they give has to be the same.

    python tests/interop/data_cases.py FILE

under MXNet's interpreter writes the results to FILE (tests/data/mxnet/data.npz).
"""

from __future__ import annotations

import os
import random
import struct
import sys
import tempfile
import warnings
import zlib
from pathlib import Path

import image_cases
import numpy as np


def flat(batches):
    """Batches as one list of numbers, each array before by its size and dtype's letter."""
    found = []
    for batch in batches:
        for array in batch if isinstance(batch, (list, tuple)) else [batch]:
            values = array.asnumpy() if hasattr(array, "asnumpy") else np.asarray(array)
            found += [values.size, ord(values.dtype.char), *values.ravel().tolist()]
    return np.array(found, np.float64)


def loaders(mx):
    data = mx.gluon.data
    x = np.arange(22, dtype=np.float32).reshape(11, 2)
    sets = {
        "arrays": data.ArrayDataset(mx.nd.array(x), np.arange(11, dtype=np.int32)),
        "vectors": data.ArrayDataset(mx.nd.arange(11), list(range(11)), [i / 2 for i in range(11)]),
        "single": data.SimpleDataset(list(range(11))),
        "matrix": mx.nd.array(x),
        "numpy": x.astype(np.float16),
    }
    results = {}
    for name, dataset in sets.items():
        for last in ("keep", "discard", "rollover"):
            loader = data.DataLoader(dataset, 4, last_batch=last)
            results[f"{name} {last}"] = flat([*loader, *loader])
    np.random.seed(3)
    loader = data.DataLoader(sets["arrays"], 3, shuffle=True)
    results["shuffled"] = flat([*loader, *loader])
    sampler = data.BatchSampler(data.SequentialSampler(5, 2), 2, "keep")
    results["batch sampler"] = flat(data.DataLoader(sets["arrays"], batch_sampler=sampler))
    for n, step, on in ((13, 3, True), (13, 3, False), (4, 4, True), (5, 1, False)):
        sampler = mx.gluon.contrib.data.IntervalSampler(n, step, on)
        results[f"interval {n} {step} {on}"] = np.array([len(sampler), *sampler])
    own = data.DataLoader(sets["single"], 3, sampler=[4, 4, 2, 0], batchify_fn=np.array)
    results["own batchify"] = flat(own)
    return results


def datasets(mx):
    data = mx.gluon.data
    pairs = data.ArrayDataset(list(range(11)), [i * i for i in range(11)])
    single = data.SimpleDataset(list(range(11)))
    made = {
        "filter": pairs.filter(lambda pair: pair[0] % 3),
        "take": pairs.take(4),
        "take all": pairs.take(None),
        "take more": single.take(99),
        "sample": single.sample(data.SequentialSampler(3, 5)),
        "transform": pairs.transform(lambda a, b: a + b),
        "transform eager": pairs.transform(lambda a, b: (b, a), lazy=False),
        "transform first": pairs.transform_first(lambda a: -a),
        "transform first of one": single.transform_first(lambda a: -a, lazy=False),
    } | {f"shard {i}": pairs.shard(3, i) for i in range(3)}
    return {name: flat(dataset[i] for i in range(len(dataset))) for name, dataset in made.items()}


MAGIC = (0xCED7230A).to_bytes(4, "little")
RECORDS = [
    b"", b"a", b"abcd", b"abcdefgh" * 33, MAGIC, b"ab" + MAGIC, MAGIC * 3, b"abcd" + MAGIC,
    b"abcd" + MAGIC + b"xyz", MAGIC + b"abcd" + MAGIC + MAGIC + b"q" + MAGIC, MAGIC[:3], MAGIC[1:],
    bytes(range(256)) * 5,
]  # fmt: skip


def as_bytes(*pieces):
    """Texts and bytes as numbers."""
    joined = b"|".join(p if isinstance(p, bytes) else str(p).encode() for p in pieces)
    return np.frombuffer(joined, np.uint8)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def records(mx):
    with tempfile.TemporaryDirectory() as folder:
        path, index = os.path.join(folder, "a.rec"), os.path.join(folder, "a.idx")
        writer = mx.recordio.MXRecordIO(path, "w")
        for record in RECORDS:
            writer.write(record)
        writer.close()
        results = {"file": as_bytes(content(path))}
        reader = mx.recordio.MXRecordIO(path, "r")
        read = [reader.read() for _ in range(len(RECORDS) + 2)]
        reader.reset()
        results["read"] = as_bytes(*map(repr, read), repr(reader.read()))
        writer = mx.recordio.MXIndexedRecordIO(index, path, "w")
        told = []
        for i, record in enumerate(RECORDS):
            told.append(writer.tell())
            writer.write_idx(i * 3, record)
        writer.close()
        results["index"] = as_bytes(content(index), content(path), told)
        reader = mx.recordio.MXIndexedRecordIO(index, path, "r")
        found = [reader.read_idx(key) for key in reader.keys[::-1]]
        results["indexed"] = as_bytes(reader.keys, sorted(reader.idx.items()), *map(repr, found))
        rows = mx.gluon.data.RecordFileDataset(path)
        results["dataset"] = as_bytes(len(rows), repr(rows[3]), repr(rows[5]))
    header = mx.recordio.IRHeader
    for name, made in {
        "number": header(7, 4, 2574, 0),
        "float": header(0, 2.5, 1, 2**63),
        "list": header(0, [1, 2, 3.5], 3, 4),
        "array": header(9, np.array([0.5], np.float64), 3, 4),
        "none": header(3, [], 3, 4),
    }.items():
        packed = mx.recordio.pack(made, b"content")
        again, rest = mx.recordio.unpack(packed)
        label = np.asarray(again.label, np.float32).tolist()
        results[f"pack {name}"] = as_bytes(packed, rest, again.flag, label, again.id, again.id2)
    return results


def picture(height=13, width=17, channels=3):
    """A smooth image with an edge, uint8."""
    y, x, c = np.mgrid[:height, :width, :channels]
    smooth = 128 + 90 * np.sin(x / 3 + c) * np.cos(y / 4) + 30 * (x > 9)
    return np.clip(smooth, 0, 255).astype(np.uint8)


def png(image):
    """An 8-bit PNG file of an image (red, green, blue), or of a grey one."""
    height, width, channels = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    made = b"\x89PNG\r\n\x1a\n"
    for kind, body in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
        made += struct.pack(">I", len(body)) + kind + body
        made += struct.pack(">I", zlib.crc32(kind + body))
    return made


def shaped(array):
    """Shape, dtype's letter and values as one list."""
    values = array.asnumpy() if hasattr(array, "asnumpy") else np.asarray(array)
    head = [*values.shape, ord(values.dtype.char)]
    return np.array([*head, *values.ravel().tolist()], np.float64)


JPEG = Path(__file__).resolve().parents[1] / "data" / "mxnet" / "picture.jpg"


def images(mx):
    image, results = mx.image, {}
    colour, grey = picture(), picture(channels=1)
    for flag in (0, 1):
        for rgb in (0, 1):
            results[f"png {flag} {rgb}"] = shaped(image.imdecode(png(colour), flag, rgb))
        results[f"jpeg {flag}"] = shaped(image.imread(str(JPEG), flag=flag))
        results[f"grey png {flag}"] = shaped(image.imdecode(png(grey), flag=flag))
    results["array"] = shaped(image.imdecode(np.frombuffer(png(colour), np.uint8)))
    src = mx.nd.array(colour, dtype="uint8")
    for interp in range(5):
        for w, h in ((9, 7), (40, 31), (17, 5), (1, 1), (17, 13)):
            results[f"resize {interp} {w} {h}"] = shaped(image.imresize(src, w, h, interp))
    results["resize grey"] = shaped(image.imresize(mx.nd.array(grey, dtype="uint8"), 8, 8))
    for kind in range(5):
        results[f"border {kind}"] = shaped(image.copyMakeBorder(src, 1, 2, 3, 4, kind))
    for values in ((5, 6, 7), (9,)):
        made = image.copyMakeBorder(src, 1, 0, 2, 0, values=values)
        results[f"border {values}"] = shaped(made)
    for source, size in (((640, 480), (720, 120)), ((10, 20), (5, 40)), ((9, 9), (3, 3))):
        results[f"scale down {source} {size}"] = np.array(image.scale_down(source, size))
    for size, interp in ((5, 2), (30, 1), (13, 9), (8, 9)):
        results[f"resize short {size} {interp}"] = shaped(image.resize_short(src, size, interp))
    results["fixed crop"] = shaped(image.fixed_crop(src, 2, 3, 9, 7))
    results["resize fixed crop"] = shaped(image.fixed_crop(src, 2, 3, 9, 7, (18, 21), 1))
    results["crop beyond"] = shaped(image.fixed_crop(src, 12, 9, 9, 7))
    for name, crop in {
        "center": lambda size: image.center_crop(src, size),
        "random": lambda size: image.random_crop(src, size),
        "random size": lambda size: image.random_size_crop(src, size, (0.1, 0.9), (0.5, 2)),
        "random least": lambda size: image.random_size_crop(src, size, 0.5, (0.9, 1.1), 9),
    }.items():
        for size in ((6, 5), (30, 10), (17, 13)):
            random.seed(sum(size))
            made, place = crop(size)
            results[f"resize {name} crop {size}"] = np.r_[shaped(made), place]
    mean, std = mx.nd.array([1, 2, 3]), mx.nd.array([2, 3, 4])
    normal = image.color_normalize(src.astype("float32"), mean, std)
    results["normalize"] = shaped(normal)
    results["mean"] = shaped(image.color_normalize(src.astype("float32"), mean))
    return results


def image_sets(mx):
    vision, results = mx.gluon.data.vision, {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        writer = mx.recordio.MXIndexedRecordIO(str(root / "a.idx"), str(root / "a.rec"), "w")
        for i, name in enumerate(("dog/b.png", "cat/a.PNG", "cat/c.png", "empty/x.txt")):
            path = root / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(png(picture(5 + i, 6)))
            label = float(i) if i % 2 else [1.5, i]
            writer.write_idx(i, mx.recordio.pack((0, label, i, 0), png(picture(5 + i, 6))))
        writer.close()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = vision.ImageFolderDataset(str(root / "tree"))
            halved = vision.ImageFolderDataset(
                str(root / "tree"), 0, lambda data, label: (data / 2, label + 1)
            )
        names = [(os.path.relpath(file, root), label) for file, label in tree.items]
        results["folders"] = as_bytes(tree.synsets, names)
        for i in range(3):
            results[f"folder {i}"] = np.r_[shaped(tree[i][0]), tree[i][1]]
            results[f"halved {i}"] = np.r_[shaped(halved[i][0]), halved[i][1]]
        rows = vision.ImageRecordDataset(str(root / "a.rec"))
        plain = vision.ImageRecordDataset(str(root / "a.rec"), 0, lambda data, label: (data, 7))
        for i in range(len(rows)):
            results[f"record {i}"] = np.r_[shaped(rows[i][0]), rows[i][1]]
            results[f"grey record {i}"] = np.r_[shaped(plain[i][0]), plain[i][1]]
    return results


def transforms(mx):
    """``repr`` of the arguments -> the result, of one image and of a batch."""
    made, image, results = mx.gluon.data.vision.transforms, mx.nd.image, {}
    one = mx.nd.array(picture(9, 12), dtype="uint8")
    batch = mx.nd.stack(one, 255 - one)
    tensor = mx.nd.array(picture(3, 5, 4).astype("float32") / 7)
    for name, x in (("image", one), ("batch", batch)):
        results[f"to tensor {name}"] = shaped(image.to_tensor(x))
        results[f"to tensor float {name}"] = shaped(image.to_tensor(x.astype("float32")))
        results[f"crop {name}"] = shaped(image.crop(x, 2, 3, 5, 4))
        for kind, arguments in {
            "ToTensor": (), "Cast": ("float64",), "Resize": ((7, 5),), "Resize 1": (20,),
            "Resize 2": (5, True), "Resize 3": (30, True, 0),
        }.items():  # fmt: skip
            block = getattr(made, kind.split()[0])(*arguments)
            results[f"{kind} {name}"] = shaped(block(x))
        composed = made.Compose([made.Resize(6), made.ToTensor(), made.Normalize(0.3, 0.2)])
        results[f"composed {name}"] = shaped(composed(x))
    even = one[:8]  # MXNet leaves the middle row of odd sizes unwritten
    results["flip"] = shaped(image.flip_left_right(even))
    results["upside down"] = shaped(image.flip_top_bottom(even))
    for mean, std in ((0.5, 2.0), ((1, 2, 3), (2, 3, 4)), ((0.1,), (0.2, 0.3, 0.4))):
        x = tensor.swapaxes(0, 2)[:3]
        results[f"normalize {mean} {std}"] = shaped(image.normalize(x, mean, std))
        results[f"Normalize {mean} {std}"] = shaped(made.Normalize(mean, std)(x.expand_dims(0)))
    x.attach_grad()
    with mx.autograd.record():
        y = image.normalize(x, (1, 2, 3), (2, 3, 4))
    y.backward(y)
    results["gradient of normalize"] = shaped(x.grad)
    results["CenterCrop"] = shaped(made.CenterCrop((5, 6))(one))
    results["CenterCrop 20"] = shaped(made.CenterCrop(20)(one))
    results["RandomResizedCrop"] = shaped(made.RandomResizedCrop((5, 6))(one))
    results["RandomApply"] = shaped(made.RandomApply(made.ToTensor(), 1.1)(one))
    return results


def augmenters(mx):
    image, results = mx.image, {}
    noise = (np.array([55.46, 4.794, 1.148]), np.arange(9).reshape(3, 3) / 10)
    jitters = [image.BrightnessJitterAug(0.3), image.CastAug(), image.RandomGrayAug(0.9)]
    for name, augmenter in {
        "resize": image.ResizeAug(9, 1), "force": image.ForceResizeAug((8, 11), 9),
        "random crop": image.RandomCropAug((7, 6)), "center": image.CenterCropAug((5, 9), 1),
        "sized": image.RandomSizedCropAug((6, 7), (0.3, 0.8), (0.8, 1.2), 1),
        "brightness": image.BrightnessJitterAug(0.4), "contrast": image.ContrastJitterAug(0.4),
        "saturation": image.SaturationJitterAug(0.4), "hue": image.HueJitterAug(0.4),
        "jitter": image.ColorJitterAug(0.1, 0.2, 0.3), "light": image.LightingAug(0.1, *noise),
        "normal": image.ColorNormalizeAug(np.array([1, 2, 3.0]), np.array([4.0, 5, 6])),
        "mean": image.ColorNormalizeAug(mx.nd.array([3.0]), None),
        "grey": image.RandomGrayAug(1.1), "not grey": image.RandomGrayAug(0),
        "mirror": image.HorizontalFlipAug(0.6), "cast": image.CastAug("float64"),
        "sequence": image.SequentialAug(list(jitters)),
        "order": image.RandomOrderAug(list(jitters)),
    }.items():  # fmt: skip
        results[f"{name} told"] = as_bytes(augmenter.dumps())
        for seed in range(3):
            random.seed(seed)
            np.random.seed(seed)
            src = mx.nd.array(picture()).astype("float32")
            results[f"{name} {seed}"] = shaped(augmenter(src))
    full = {
        "resize": 15, "rand_crop": True, "rand_resize": True, "rand_mirror": True, "mean": True,
        "std": np.array([2.0, 3, 4]), "brightness": 0.1, "contrast": 0.2, "saturation": 0.3,
        "hue": 0.1, "pca_noise": 0.1, "rand_gray": 0.5, "inter_method": 1,
    }  # fmt: skip
    for name, made in {
        "plain": image.CreateAugmenter((3, 8, 9)),
        "crop": image.CreateAugmenter((3, 8, 9), rand_crop=True, std=True, inter_method=0),
        "full": image.CreateAugmenter((3, 8, 9), **full),
    }.items():
        results[f"create {name} told"] = as_bytes(*(a.dumps() for a in made))
        src = mx.nd.array(picture(), dtype="uint8")
        random.seed(4)
        np.random.seed(4)
        for augmenter in made:
            src = augmenter(src)
        results[f"create {name}"] = shaped(src)
    return results


def iterators(mx):
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        writer = mx.recordio.MXIndexedRecordIO(str(root / "a.idx"), str(root / "a.rec"), "w")
        lines, rows = [], []
        for i in range(7):
            content = png(picture(6 + i, 9))
            (root / f"{i}.png").write_bytes(content)
            writer.write_idx(i, mx.recordio.pack((0, float(i), i, 0), content))
            lines.append(f"{i}\t{i * 2}\t{i * 3}\t{i}.png\n")
            rows.append([[i, i + 0.5], f"{i}.png"])
        writer.close()
        (root / "a.lst").write_text("".join(lines))
        record = {"path_imgrec": str(root / "a.rec")}
        indexed = record | {"path_imgidx": str(root / "a.idx")}
        listed = {"path_imglist": str(root / "a.lst"), "path_root": folder, "label_width": 2}
        given = {"imglist": rows, "path_root": folder, "label_width": 2}
        single = {"imglist": [[i, name] for (i, _), name in rows], "path_root": folder}
        sources = {
            "record": record, "indexed": indexed, "listed": listed, "given": given,
            "single": single, "shuffled": indexed | {"shuffle": True, "rand_mirror": True},
            "part": indexed | {"num_parts": 2, "part_index": 1},
            "typed": listed | {"dtype": "int32"},
        }  # fmt: skip
        for name, arguments in sources.items():
            for last in ("pad", "discard", "roll_over"):
                random.seed(3)
                made = mx.image.ImageIter(2, (3, 5, 4), last_batch_handle=last, **arguments)
                found = [as_bytes(made.provide_data, made.provide_label)]
                for _ in range(3):
                    for batch in made:
                        found += [shaped(batch.data[0]), shaped(batch.label[0]), [batch.pad]]
                    made.reset()
                made.hard_reset()
                found.append(shaped(made.next().label[0]))
                results[f"{name} {last}"] = np.concatenate(found)[::3]
    described = mx.io.DataDesc("x", (2, 3))
    results["description"] = as_bytes(
        described.name, described.shape, described.layout, described.get_batch_axis("TNC"),
        described.get_batch_axis(None), tuple(described),
        [d.shape for d in mx.io.DataDesc.get_list([("a", (1,))], None)],
        str(mx.io.DataBatch([mx.nd.ones((2, 3))], [mx.nd.ones(2)], 1)),
    )  # fmt: skip
    return results


BOXES = np.array([[0, 0.1, 0.2, 0.5, 0.8, 7], [1, 0.4, 0.4, 0.9, 0.95, 8]], np.float32)


def boxes(mx):
    image, results = mx.image, {}
    crop, pad = image.DetRandomCropAug, image.DetRandomPadAug
    for name, augmenter in {
        "crop": crop(), "crop much": crop(0.5, (0.9, 1.1), (0.3, 0.9), 0.4, 20),
        "crop fixed": crop(0.1, 1.0, 0.5), "pad": pad(),
        "pad far": pad((0.8, 1.2), (2, 4), 9, (1, 2, 3)),
        "mirror": image.DetHorizontalFlipAug(0.6), "none": image.DetRandomSelectAug([]),
        "borrow": image.DetBorrowAug(image.BrightnessJitterAug(0.3)),
        "several": image.CreateMultiRandCropAugmenter([0.1, 0.5], area_range=[(0.1, 1), (0.4, 1)]),
        "select": image.DetRandomSelectAug([crop(), pad()], 0.2),
    }.items():  # fmt: skip
        results[f"{name} told"] = as_bytes(augmenter.dumps())
        for seed in range(4):
            random.seed(seed)
            src, label = augmenter(mx.nd.array(picture(40, 50)), BOXES.copy())
            results[f"{name} {seed}"] = np.r_[shaped(src)[::7], shaped(label)]
    full = {
        "resize": 30, "rand_crop": 0.7, "rand_pad": 0.6, "rand_gray": 0.2, "rand_mirror": True,
        "mean": True, "std": np.array([2.0, 3, 4]), "brightness": 0.1, "contrast": 0.1,
        "saturation": 0.1, "hue": 0.1, "pca_noise": 0.1, "inter_method": 1,
    }  # fmt: skip
    for name, arguments in {"plain": {"inter_method": 1}, "full": full}.items():
        made = image.CreateDetAugmenter((3, 11, 12), **arguments)
        results[f"create {name} told"] = as_bytes(*(a.dumps() for a in made))
        for seed in range(4):
            random.seed(seed)
            np.random.seed(seed)
            src, label = mx.nd.array(picture(40, 50), dtype="uint8"), BOXES.copy()
            for augmenter in made:
                src, label = augmenter(src, label)
            results[f"create {name} {seed}"] = np.r_[shaped(src)[::7], shaped(label)]
    return results


def box_iterators(mx):
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for i in range(5):
            Path(folder, f"{i}.png").write_bytes(png(picture(20 + i, 25)))
            objects = [[i + j, 0.1 * j, 0.2, 0.5 + 0.1 * j, 0.9] for j in range(1 + i % 3)]
            rows.append([[2, 5, *np.ravel(objects).tolist()], f"{i}.png"])
        common = {"imglist": rows, "path_root": folder, "inter_method": 1}
        for last in ("pad", "discard", "roll_over"):
            random.seed(3)
            made = mx.image.ImageDetIter(
                2, (3, 8, 9), last_batch_handle=last, shuffle=last == "pad", rand_crop=0.5,
                rand_mirror=True, rand_pad=0.5, **common,
            )  # fmt: skip
            made.reshape(label_shape=(4, 5))
            found = [as_bytes(made.provide_data, made.provide_label, made.label_shape)]
            for _ in range(2):
                for batch in made:
                    found += [shaped(batch.data[0])[::5], shaped(batch.label[0]), [batch.pad]]
                made.reset()
            results[last] = np.concatenate(found)
        few = mx.image.ImageDetIter(1, (3, 8, 9), **(common | {"imglist": rows[:1]}))
        many = mx.image.ImageDetIter(1, (3, 8, 9), **common)
        results["shapes"] = np.array([few.label_shape, many.label_shape])
        many.sync_label_shape(few)
        results["synchronized"] = np.array([few.label_shape, many.label_shape])
    return results


GROUPS = [
    box_iterators, boxes, loaders, datasets, records, images, image_sets, transforms, augmenters,
    iterators, *image_cases.GROUPS,
]  # fmt: skip


def cases(mx):
    """The results of all groups by name; they start from fixed seeds."""
    found = {}
    for group in GROUPS:
        random.seed(1)
        np.random.seed(2)
        found.update({f"{group.__name__}: {name}": v for name, v in group(mx).items()})
    return found


if __name__ == "__main__":
    import mxnet

    np.savez_compressed(sys.argv[1], **cases(mxnet))
