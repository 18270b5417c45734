"""What is told about a recorded cell: the report, its names, why it was compiled."""
