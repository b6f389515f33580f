"""How to call each function of the corpus: the memory behind every pointer, and the values of its scalars.

An image is written `rows x width @ stride`, with the function's own parameter names in expressions, all counted in
elements, and `with margin n` for n rows and elements on every side that belongs to the caller's buffer.  A table or
one-dimensional array is just its length.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent
HEIGHTS = ("rows", "height")
WIDTHS = ("cols", "width")
LENGTHS = ("n", "count", "pixels")


@dataclass(frozen=True, slots=True)
class Image:
    """Memory behind a pointer; expressions over the scalar parameters."""

    rows: str
    width: str
    stride: str
    margin: int = 0

    def box(self, scalars: dict[str, int | float]) -> tuple[int, int, int]:
        """(rows, width, stride) in elements."""
        rows, width, stride = (int(eval(e, {}, dict(scalars))) for e in (self.rows, self.width, self.stride))
        return rows, width, stride


@dataclass(frozen=True, slots=True)
class Case:
    """One function: its file, its pointers, and ranges of scalars that are neither extents nor strides."""

    file: str
    pointers: dict[str, Image]
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)

    def scalars(
        self, names: list[str], width: int, height: int, pad: int, rng: random.Random
    ) -> dict[str, int | float]:
        """Values for the scalar parameters for an image of the given size, rows `pad` elements apart."""
        values: dict[str, int | float] = {}
        for n in names:
            if n in HEIGHTS:
                values[n] = height
            elif n in WIDTHS:
                values[n] = width
            elif n in LENGTHS:
                values[n] = width * height
            elif n in self.ranges:
                values[n] = rng.randint(*self.ranges[n])
        for n in names:
            if n not in values and any(i.stride == n for i in self.pointers.values()):
                widths = [int(eval(i.width, {}, dict(values))) for i in self.pointers.values() if i.stride == n]
                values[n] = max(widths) + pad
        missing = [n for n in names if n not in values]
        assert not missing, f"no value for {missing}"
        return values


def _image(text: str) -> Image:
    body, _, margin = text.partition(" with margin ")
    shape, _, stride = body.partition("@")
    rows, x, width = shape.partition(" x ")
    if not x:
        return Image("1", rows.strip(), rows.strip(), int(margin or 0))
    return Image(rows.strip(), width.strip(), stride.strip() or width.strip(), int(margin or 0))


def _case(file: str, ranges: dict[str, tuple[int, int]] | None = None, **pointers: str) -> Case:
    return Case(file, {n: _image(t) for n, t in pointers.items()}, ranges or {})


_B, _F = "blend/classic.cpp", "dexter/figures.cpp"
_S, _P, _R = "filter/stencils.cpp", "filter/pointwise.cpp", "filter/reductions.cpp"
_W = "filter/words.cpp"
_D = "filter/drivers.cpp"
_L, _X = "sse_blend/layers.cpp", "sse_blend/pixels.cpp"
_LAYER = "rows x cols @ stride"
_PLANE = "height x width @ stride"
_OPACITY = {"opacity": (0, 255)}

CASES: dict[str, Case] = {
    "BoxBlur": _case(_F, dst="rows x cols @ rowBytes", src="rows x cols @ rowBytes with margin 1"),
    "AdjustOpacity": _case(_F, _OPACITY, dst="rows x cols @ rowBytes"),
    "DissolveMask": _case(_F, msk="rows x cols", noiseData="1024"),
    "DarkenTiled": _case(_F, dst="rows x cols @ rowBytes", src="rows x cols @ rowBytes", msk="rows x cols @ rowBytes"),
    **{
        f"{name}Blend": _case(_B, _OPACITY, dst=_LAYER, src=_LAYER, mask=_LAYER)
        for name in (
            "Normal", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorBurn", "ColorDodge", "LinearBurn",
            "LinearDodge", "Difference",
        )
    },
    "DissolveBlend": _case(_B, dst=_LAYER, src=_LAYER, mask=_LAYER, noise="256"),
    "NormalBlendFloat": _case(_B, {"opacity": (0, 1)}, dst=_LAYER, src=_LAYER, mask=_LAYER),
    "MultiplyRGBA": _case(_B, dst="rows x 4*cols @ rowBytes", src="rows x 4*cols @ rowBytes"),
    "OverRGBA": _case(_B, dst="rows x 4*cols @ rowBytes", src="rows x 4*cols @ rowBytes"),
    "MaskedDarken": _case(_B, dst=_LAYER, src=_LAYER, mask=_LAYER),
    "LerpLayers": _case(_B, dst=_LAYER, a=_LAYER, b=_LAYER, w=_LAYER),
    "AddClamp": _case(_B, dst="n", a="n", b="n"),
    "Average": _case(_B, dst=_LAYER, a=_LAYER, b=_LAYER),
    "Box3x3": _case(_S, dst=_PLANE, src=_PLANE),
    "Gaussian5x5": _case(_S, dst=_PLANE, src=_PLANE),
    "Sobel": _case(_S, dst=_PLANE, src=_PLANE),
    "UnsharpMask": _case(_S, {"amount": (0, 64)}, dst=_PLANE, src=_PLANE),
    "Blur1x3": _case(_S, dst="n", src="n"),
    "SmoothRowsEdge": _case(_S, dst=_PLANE, src=_PLANE),
    "Convolve": _case(
        _S, {"radius": (0, 3)}, dst=_PLANE, src="height + 2*radius x width + 2*radius @ stride",
        kernel="(2*radius + 1) * (2*radius + 1)",
    ),
    "Downsample2x2": _case(_S, dst="height x width @ dstStride", src="2*height x 2*width @ srcStride"),
    "UpsampleNearest2x": _case(_S, dst="2*height x 2*width @ dstStride", src="height x width @ srcStride"),
    "MirrorHorizontal": _case(_S, dst=_PLANE, src=_PLANE),
    "FlipVertical": _case(_S, dst=_PLANE, src=_PLANE),
    "Transpose": _case(_S, dst="width x height", src="height x width"),
    "Laplacian16": _case(_S, dst=_PLANE, src=_PLANE),
    "BlurFloat": _case(_S, dst=_PLANE, src=_PLANE),
    "RgbToGrey": _case(_P, grey="count", rgb="3*count"),
    "RgbToYuv601": _case(
        _P, y="height x width", u="height x width", v="height x width", rgb="height x 3*width @ rgbStride"
    ),
    "YuvToRgb601": _case(_P, rgb="3*n", y="n", u="n", v="n"),
    "SwapRedBlue": _case(_P, dst="height x 4*width @ stride", src="height x 4*width @ stride"),
    "Threshold": _case(_P, {"level": (0, 255)}, dst="rows x cols @ dstStride", src="rows x cols @ srcStride"),
    "Invert": _case(_P, image=_LAYER),
    "GammaTable": _case(_P, dst=_LAYER, src=_LAYER, table="256"),
    "Posterise": _case(_P, dst="n", src="n"),
    "BrightnessContrast": _case(_P, {"brightness": (-100, 100), "contrast": (0, 255)}, dst=_LAYER, src=_LAYER),
    "ShiftLeftSaturate": _case(_P, {"shift": (0, 7)}, dst="n", src="n"),
    "Premultiply": _case(_P, dst="4*pixels", src="4*pixels"),
    "ByteToFloat": _case(_P, {"scale": (0, 3)}, dst="n", src="n"),
    "FloatToByte": _case(_P, dst="n", src="n"),
    "CopyPlane": _case(_P, dst="height x width @ dstStride", src="height x width @ srcStride"),
    "FillRect": _case(_P, {"value": (0, 1 << 31)}, dst=_PLANE),
    "AbsDifference16": _case(_P, dst="n", a="n", b="n"),
    "Interleave": _case(_P, dst="3*n", r="n", g="n", b="n"),
    "Histogram": _case(_R, hist="256", src=_PLANE),
    "EqualizeHistogram": _case(_R, dst=_PLANE, src=_PLANE),
    "RowSums": _case(_R, sums="height", src=_PLANE),
    "ColumnSums": _case(_R, sums="width", src=_PLANE),
    "SumAbsDifference": _case(_R, a=_PLANE, b=_PLANE),
    "SumSquareDifference": _case(_R, a="n", b="n"),
    "MinMax": _case(_R, lowest="1", highest="1", src=_PLANE),
    "ArgbToRgb565": _case(_W, dst="2*width", src="4*width"),
    "SwapRedBlueWords": _case(_W, dst="4*n", src="4*n"),
    "OpaqueWords": _case(_W, pixels="4*n"),
    "Nv12ToRgb": _case(_W, rgb="3*width", y="width", uv="width + 1", tables="32"),
    "RgbStructToGrey": _case(_W, grey="n", rgb="3*n"),
    "AbsDifferenceTotal": _case(_W, sum="1", a=_PLANE, b=_PLANE),
    "ScaleByFours": _case(_W, {"scale": (0, 256)}, dst="n", src="n"),
    "InvertPlane": _case(_D, dst="height x width @ dstStride", src="height x width @ srcStride"),
    "InvertOrHalve": _case(_D, {"halve": (0, 1)}, dst="n", src="n"),
    "SubtractByCallback": _case(_D, dst="n", a="n", b="n"),
    "SseMultiplyBlend": _case(_L, dst=_LAYER, src=_LAYER),
    "SseScreenBlend": _case(_L, dst="n", src="n"),
    "SseDarkenBlend": _case(_L, dst="n", a="n", b="n"),
    "SseLightenBlend": _case(_L, dst=_LAYER, src=_LAYER),
    "SseLinearDodge": _case(_L, dst=_LAYER, a=_LAYER, b=_LAYER),
    "SseDifferenceBlend": _case(_L, dst="n", src="n"),
    "SseThreshold": _case(_L, {"level": (0, 255), "low": (0, 255), "high": (0, 255)}, dst=_LAYER, src=_LAYER),
    "SseAverage": _case(_L, dst="n", a="n", b="n"),
    "SseAlphaBlend": _case(_X, dst=_LAYER, src=_LAYER, alpha=_LAYER),
    "SseCrossFade": _case(_X, {"weight": (-1, 128)}, dst="n", a="n", b="n"),
    "SsePremultiply": _case(_X, dst="4*pixels", src="4*pixels"),
    "SseBgraToGrey": _case(_X, grey="height x width @ greyStride", bgra="height x 4*width @ bgraStride"),
    "SseBgraToGrey16": _case(_X, grey="height x width @ greyStride", bgra="height x 4*width @ bgraStride"),
    "SseMaskedCopy": _case(_X, dst="n", src="n", mask="n"),
    "SseMultiplyFloat": _case(_X, {"opacity": (0, 1)}, dst="n", src="n", mask="n"),
    "SseClampFloat": _case(_X, image=_LAYER),
    "AvxMultiplyBlend": _case(_X, dst="n", a="n", b="n"),
    "SseSumAbsDifference": _case(_X, a="n", b="n"),
    "CountAbove": _case(_R, {"level": (0, 255)}, src="n"),
    "MaxFloat": _case(_R, src="n"),
    "PrefixSum": _case(_R, None, out="n", **{"in": "n"}),
}
