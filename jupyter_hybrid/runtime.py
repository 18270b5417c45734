"""MXNet's ``runtime``: which features the library has."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from . import cuda_driver

__all__ = ["Feature", "Features", "feature_list"]

#: MXNet 1.9.1's features in its order; those that are here whatever the machine.
_NAMES = """
CUDA CUDNN NCCL CUDA_RTC TENSORRT CPU_SSE CPU_SSE2 CPU_SSE3 CPU_SSE4_1 CPU_SSE4_2 CPU_SSE4A
CPU_AVX CPU_AVX2 OPENMP SSE F16C JEMALLOC BLAS_OPEN BLAS_ATLAS BLAS_MKL BLAS_APPLE LAPACK
MKLDNN OPENCV CAFFE PROFILER DIST_KVSTORE CXX14 INT64_TENSOR_SIZE SIGNAL_HANDLER DEBUG TVM_OP
""".split()  # noqa: SIM905
_ALWAYS = {"BLAS_OPEN", "LAPACK", "PROFILER", "CXX14", "INT64_TENSOR_SIZE"}
#: Feature -> the processor's flag that it needs.
_FLAGS = {
    "CPU_SSE": "sse",
    "CPU_SSE2": "sse2",
    "CPU_SSE3": "pni",
    "CPU_SSE4_1": "sse4_1",
    "CPU_SSE4_2": "sse4_2",
    "CPU_SSE4A": "sse4a",
    "CPU_AVX": "avx",
    "CPU_AVX2": "avx2",
    "F16C": "f16c",
    "SSE": "sse",
}


@dataclass(frozen=True, repr=False)
class Feature:
    """One feature: its name, and whether it is there."""

    name: str
    enabled: bool

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


def feature_list() -> list[Feature]:
    """Every feature that MXNet 1.9.1 names."""
    flags = _processor_flags()
    there = _ALWAYS | {name for name, flag in _FLAGS.items() if flag in flags}
    if cuda_driver.is_there():
        there.add("CUDA")
    return [Feature(name, name in there) for name in _NAMES]


class Features(OrderedDict[str, Feature]):
    """The features by name; there is one object of them."""

    instance: Features | None = None

    def __new__(cls) -> Features:
        if cls.instance is None:
            cls.instance = super().__new__(cls)
            OrderedDict.__init__(cls.instance, [(f.name, f) for f in feature_list()])
        return cls.instance

    def __init__(self) -> None:
        """Nothing: the one object has its features."""

    def is_enabled(self, feature_name: str) -> bool:
        """Whether a feature is there, whatever the case of its name's letters.

        Raises:
            RuntimeError: MXNet has no feature of that name.
        """
        found = self.get(feature_name.upper())
        if found is None:
            raise RuntimeError(
                f"is_enabled: there is no feature {feature_name!r}; there are {', '.join(self)}"
            )
        return found.enabled

    def __repr__(self) -> str:
        return str(list(self.values()))


def _processor_flags() -> set[str]:
    try:
        with open("/proc/cpuinfo") as file:
            line = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return set()
    return set(line.partition(":")[2].split())
