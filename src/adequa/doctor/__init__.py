"""What a metric can and cannot see: faults made in one's own items, and who notices them."""
