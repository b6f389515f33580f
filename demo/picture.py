"""Images side by side, each with a caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

GAP, TITLE, CAPTION = 16, 52, 40
PAPER, INK = (250, 250, 248), (30, 30, 34)


@dataclass(frozen=True, slots=True)
class Panel:
    """An RGB image, rows x columns x 3, and what it shows."""

    caption: str
    image: np.ndarray[Any, np.dtype[np.uint8]]


def save_panels(path: Path, title: str, panels: Sequence[Panel]) -> None:
    """Writes the panels as one PNG, from left to right."""
    height = max(p.image.shape[0] for p in panels)
    width = sum(p.image.shape[1] + GAP for p in panels) + GAP
    sheet = Image.new("RGB", (width, TITLE + height + CAPTION + GAP), PAPER)
    draw = ImageDraw.Draw(sheet)
    draw.text((GAP, TITLE // 2), title, fill=INK, font=ImageFont.load_default(26), anchor="lm")
    left = GAP
    for p in panels:
        sheet.paste(Image.fromarray(p.image), (left, TITLE))
        caption = (left, TITLE + p.image.shape[0] + CAPTION // 2 + 4)
        draw.text(caption, p.caption, fill=INK, font=ImageFont.load_default(20), anchor="lm")
        left += p.image.shape[1] + GAP
    sheet.save(path)
