"""Gluon's ``contrib.cnn``: convolutions that learn where they look."""

from __future__ import annotations

from .deformable import DeformableConvolution, ModulatedDeformableConvolution

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]
