# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium with software WebGL; tests without a browser are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
SOFTWARE = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
SEEN_TIMEOUT = 120_000  # ms; software WebGL beside other work, and a first compilation
BARS, STATUS = ".dyn-bars", ".dyn-status"


class Page:
    """An open page, and what went wrong on it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._heard)
        page.set_default_timeout(SEEN_TIMEOUT)

    def open(self, url: str) -> None:
        """Load the page and wait until a robot is on it."""
        self.page.goto(url)
        self.page.wait_for_selector(BARS)

    def text(self, selector: str) -> str:
        """What stands in an element."""
        return self.page.inner_text(selector)

    def wait_for_text(self, selector: str, text: str) -> None:
        """Wait until an element holds a text."""
        self.page.wait_for_function(
            "([s, t]) => [...document.querySelectorAll(s)].some(e => e.innerText.includes(t))",
            arg=[selector, text],
        )

    def width(self) -> int:
        """How wide the page is; wider than the window, it would have to be scrolled."""
        return self.page.evaluate("document.documentElement.scrollWidth")

    def robot(self) -> bytes:
        """A picture of the middle of the scene."""
        size = self.page.viewport_size
        clip = {"x": 0, "width": size["width"] // 2, "y": size["height"] // 4, "height": 100}
        return self.page.screenshot(clip=clip)

    def wait_for_another(self, picture: bytes) -> bytes:
        """Another picture of the scene than this one, once there is one."""
        for _ in range(SEEN_TIMEOUT // 200):
            new = self.robot()
            if new != picture:
                return new
            self.page.wait_for_timeout(200)
        raise AssertionError("the scene did not change")

    def set_number(self, label: str, value: float) -> None:
        """Type a number into the field beside a slider."""
        box = self.page.locator(f"label:has-text('{label}')").locator("xpath=../../..")
        field = box.locator("input").last
        field.fill(str(value))
        field.press("Enter")

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)


@contextmanager
def opened(width: int = 1600, height: int = 900) -> Iterator[Page]:
    """A page in a browser of its own."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"needs a browser: one of {', '.join(NAMES)}")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=found, args=list(SOFTWARE))
        page = Page(browser.new_page(viewport={"width": width, "height": height}))
        try:
            yield page
        finally:
            browser.close()
        assert page.errors == []
