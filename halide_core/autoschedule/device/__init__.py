"""The default schedule for a device: point-wise stages and stencils tiled over blocks and threads, reductions in two
steps or by atomic updates, scans by a thread for each row or column."""
