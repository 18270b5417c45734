# The Mandelbrot set, one point after the other with complex numbers.
# %% small
width, height, limit = 24, 16, 40
# %% large
width, height, limit = 120, 80, 60
# %% setup
import numpy as np
# %% functions
def escape_time(c, limit):
    z = 0j
    for step in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 4.0:
            return step
    return limit


def mandelbrot(width, height, limit):
    image = np.zeros((height, width), dtype=np.int32)
    for row in range(height):
        y = -1.25 + 2.5 * row / (height - 1)
        for column in range(width):
            x = -2.0 + 2.75 * column / (width - 1)
            image[row, column] = escape_time(complex(x, y), limit)
    return image
# %% cell
image = mandelbrot(width, height, limit)
result = image
