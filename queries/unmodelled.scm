; What the lowering cannot account for: the region becomes opaque.
(ERROR) @unmodelled
(MISSING) @unmodelled
