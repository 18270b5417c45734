"""Image files: judged by their headers, decoded and encoded; below ``nd``, which uses it, too."""
