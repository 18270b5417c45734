"""nd.image. Random factors whose limits are equal are numbers."""

from __future__ import annotations

from case import Call, Family
from drawn import FLOATS, real, whole

f = Family("images")
CASES = f.cases
PLAIN = Call(gradient=False)


def picture(*shape: int, dtype: str = "float32") -> object:
    return whole(*shape, below=256, dtype=dtype)


for dtype in ("uint8", "float32", "float64"):
    x = picture(5, 8, 3, dtype=dtype)
    for interp in range(5):
        for size in ((3, 4), (11, 7), (4, 3)):
            f.add("image.resize", x, size, interp=interp, call=PLAIN, times=30)
    f.add("image.resize", x, 3, call=PLAIN)
    f.add("image.resize", x, size=(3,), keep_ratio=True, call=PLAIN)
    f.add("image.resize", picture(2, 6, 4, 1, dtype=dtype), (5, 2), call=PLAIN)
    f.add("image.resize", picture(1, 1, 5, dtype=dtype), (2, 3), call=PLAIN)
f.add("image.resize", picture(5, 8, 3), (0, 2), raises=True, call=PLAIN)
f.add("image.resize", picture(5, 8, 3), (1, 2, 3), raises=True, call=PLAIN)
f.add("image.resize", picture(5, 8), 3, raises=True, call=PLAIN)
for dtype in (*FLOATS, "uint8", "int8", "int32", "int64"):
    x = (
        picture(4, 6, 3, dtype=dtype)
        if dtype != "int8"
        else whole(4, 6, 3, below=100, dtype="int8")
    )
    f.add("image.crop", x, 1, 2, 3, 2, call=PLAIN)
    f.add("image.flip_left_right", x, call=PLAIN)
    f.add("image.flip_top_bottom", x, call=PLAIN)
    f.add("image.to_tensor", x, call=PLAIN, times=20 if dtype == "float16" else 1)
    f.add("image.random_brightness", x, 0.75, 0.75, call=PLAIN)
    f.add("image.adjust_lighting", x, (0.0, 0.0, 0.0), call=PLAIN)
for dtype in FLOATS:
    f.add("image.normalize", real(3, 4, 5, dtype=dtype), (1, 2, 3), (4, 5, 6))
    f.add("image.normalize", real(2, 1, 4, 5, dtype=dtype), mean=0.5, std=(2,))
f.add("image.normalize", real(3, 4, 5), (1, 2), raises=True, call=PLAIN)
f.add("image.normalize", real(3, 4), 1.0, raises=True, call=PLAIN)
f.add("image.crop", real(5, 6, 3), 1, 2, 3, 2)
f.add("image.crop", real(2, 5, 6, 1), x=0, y=4, width=6, height=1)
f.add("image.crop", real(5, 6, 3), 4, 0, 3, 2, raises=True, call=PLAIN)
f.add("image.crop", real(5, 6, 3), 0, 0, 0, 2, raises=True, call=PLAIN)
f.add("image.to_tensor", picture(2, 4, 3, 1, dtype="uint8"), call=PLAIN)
f.add("image.to_tensor", picture(4, 3), raises=True, call=PLAIN)
f.add("image.flip_left_right", real(4, 6), raises=True, call=PLAIN)
f.add("image.flip_top_bottom", real(4, 6), raises=True, call=PLAIN)
for dtype in ("uint8", "float32"):
    for x in (picture(5, 7, 3, dtype=dtype), picture(4, 6, 1, dtype=dtype)):
        for by in (0.0, 0.4, 1.0, 1.7):
            f.add("image.random_brightness", x, by, by, call=PLAIN)
            f.add("image.random_contrast", x, by, max_factor=by, call=PLAIN, times=10)
            if x.shape[-1] == 3:
                f.add("image.random_hue", x, by, by, call=PLAIN, times=10)
    for alpha in ((0.1, -0.2, 0.3), (1.0, 0.0, 0.0)):
        f.add("image.adjust_lighting", picture(5, 7, 3, dtype=dtype), alpha, call=PLAIN, times=10)
    f.add("image.random_lighting", picture(5, 7, 3, dtype=dtype), alpha_std=0.0, call=PLAIN)
    f.add("image.random_saturation", picture(5, 7, 3, dtype=dtype), 1.0, 1.0, call=PLAIN)
    f.add("image.random_saturation", picture(5, 7, 1, dtype=dtype), 0.4, 0.4, call=PLAIN)
x = real(4, 6, 3)
for kind in ("brightness", "contrast", "saturation", "hue"):
    f.add(f"image.random_{kind}", x, 0.5, 1.5, values=False, call=PLAIN)
    f.add(f"image.random_{kind}", x, -0.5, 1.5, raises=True, call=PLAIN)
    f.add(f"image.random_{kind}", real(4, 6, 2), 0.5, 1.5, raises=True, call=PLAIN)
    f.add(f"image.random_{kind}", real(4, 6), 0.5, 1.5, raises=True, call=PLAIN)
f.add("image.random_color_jitter", x, 0.1, 0.2, 0.3, 0.4, values=False, call=PLAIN)
f.add("image.random_color_jitter", x, brightness=0.1, contrast=0, saturation=0, hue=0,
      values=False, call=PLAIN)  # fmt: skip
f.add("image.random_color_jitter", real(4, 6, 2), 0.1, 0, 0, 0, raises=True, call=PLAIN)
f.add("image.random_lighting", x, values=False, call=PLAIN)
f.add("image.random_lighting", x, 0.3, values=False, call=PLAIN)
f.add("image.adjust_lighting", x, (1, 2), raises=True, call=PLAIN)
f.add("image.random_flip_left_right", x, values=False, call=PLAIN)
f.add("image.random_flip_top_bottom", x, values=False, call=PLAIN)
# Gradients that are the identity in MXNet, which is right of light alone.
f.add("image.adjust_lighting", x, (0.1, -0.2, 0.3))
f.add("image.flip_left_right", x)
f.add("image.flip_top_bottom", x)
f.add("image.random_brightness", x, min_factor=0.5, max_factor=0.5)
f.add("image.random_contrast", x, min_factor=0.5, max_factor=0.5, times=10)
f.add("image.random_color_jitter", x, 0.4, 0.2, 0.3, 0.1, values=False, call=PLAIN)
f.add("image.random_saturation", picture(5, 7, 3), 0.4, 0.4, call=PLAIN)
