"""TreeSearch: beam search over schedule trees (An Autoscheduler for Halide, whose trees are those of chapter 7 of
Ragan-Kelley's thesis).  docs/autoscheduling.md says where it leaves its page."""
