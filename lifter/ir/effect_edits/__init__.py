"""The four edits of paths, by which alone a transform changes one: of domains (`reindex`), of storage (`remap`), of
order (`retime`) and of values (`restate`).  Each gives an `Edit`, on which the next one may be made."""

from lifter.ir.effect_edits.edit import Edit, Origin
from lifter.ir.effect_edits.forms import left_to_original, timeless
from lifter.ir.effect_edits.reindex import (
    Domain,
    at,
    in_domain,
    only_addresses,
    reindex,
    renamed,
    renamed_loops,
    widen,
)
from lifter.ir.effect_edits.remap import remap, rename
from lifter.ir.effect_edits.restate import (
    joined,
    noted,
    recounted,
    restate,
    with_arrays,
    with_values,
    without_arrays,
    without_notes,
)
from lifter.ir.effect_edits.retime import opened, retime, spaced
from lifter.ir.effect_edits.sites import Site, Unknown, reads_changed

__all__ = [
    "Domain",
    "Edit",
    "Origin",
    "Site",
    "Unknown",
    "at",
    "in_domain",
    "joined",
    "left_to_original",
    "noted",
    "only_addresses",
    "opened",
    "reads_changed",
    "recounted",
    "reindex",
    "remap",
    "rename",
    "renamed",
    "renamed_loops",
    "restate",
    "retime",
    "spaced",
    "timeless",
    "widen",
    "with_arrays",
    "with_values",
    "without_arrays",
    "without_notes",
]
