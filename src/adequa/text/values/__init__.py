"""Values in data and in text: dates, numbers, units, and how a person would write them."""
