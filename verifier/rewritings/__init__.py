"""Whether a rewriting of a path is right, by proof: what `lifter/ir/effect_edits` says that it has done is not trusted.

Each iteration of a new effect is one of an old effect (`iterations`), stores the same value if what it reads is the
same (`values`), and reads what that one reads: the store that was the last one to an element before a read is the last
one after the rewriting too, and so is the last one of all to an element of the caller's (`order`, `storage`).  Then
everything is the same, by induction over the new sequence.  Arrays of parameters may be the same memory, unless the
path says that they are `apart`."""

from verifier.rewritings.proof import NotProved, is_proved, prove_rewriting

__all__ = ["NotProved", "is_proved", "prove_rewriting"]
