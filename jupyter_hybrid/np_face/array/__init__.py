"""The traced array: what an ndarray does, recorded."""
