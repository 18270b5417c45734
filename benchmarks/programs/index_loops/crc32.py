# CRC-32 of a message, with a table of the 256 remainders.
# %% small
n = 2_000
# %% large
n = 200_000
# %% setup
import numpy as np

message = np.random.default_rng(15).integers(0, 256, n).astype(np.uint8)
# %% functions
def make_table():
    table = np.zeros(256, dtype=np.int64)
    for byte in range(256):
        remainder = byte
        for _ in range(8):
            if remainder & 1:
                remainder = (remainder >> 1) ^ 0xEDB88320
            else:
                remainder >>= 1
        table[byte] = remainder
    return table


def crc32(data, table):
    crc = 0xFFFFFFFF
    for i in range(len(data)):
        crc = (crc >> 8) ^ table[(crc ^ int(data[i])) & 0xFF]
    return crc ^ 0xFFFFFFFF
# %% cell
table = make_table()
checksum = crc32(message, table)
result = int(checksum)
