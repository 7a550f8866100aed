"""What a metric can and cannot see, on texts and data changed in known ways."""
