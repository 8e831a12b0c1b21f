# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parts of a Markdown page, between comments that name them."""

from __future__ import annotations

import re


def with_part(page: str, name: str, text: str) -> str:
    """``page`` with the part called ``name`` replaced, or added at the end."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    part = f"{begin}\n{text.strip()}\n\n{end}"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    if re.search(pattern, page, re.DOTALL):
        return re.sub(pattern, lambda _: part, page, flags=re.DOTALL)
    return f"{page.rstrip()}\n\n{part}"


def part_of(page: str, name: str) -> str:
    """What stands below the heading of the part called ``name``; empty if there is none."""
    found = re.search(f"<!-- {name} -->\n\n##[^\n]*\n(.*?)<!-- end of {name} -->", page, re.DOTALL)
    return found[1].strip() if found else ""


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
