"""Fixtures: each robot in turn, and a cache folder of the tests' own."""

from __future__ import annotations

import os

import pytest
from robots import ROBOT_FILES, Robot, load


@pytest.fixture(params=ROBOT_FILES)
def robot(request: pytest.FixtureRequest) -> Robot:
    """Each robot in turn."""
    return load(request.param)


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory):
    """Compiled code of the tests goes to a folder that ends with them, unless one is given."""
    with pytest.MonkeyPatch.context() as patch:
        if "DYN_CORE_CACHE" not in os.environ:
            patch.setenv("DYN_CORE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
