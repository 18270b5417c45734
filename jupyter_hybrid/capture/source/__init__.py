"""The user's source: rewritten, and what rewritten code calls."""
