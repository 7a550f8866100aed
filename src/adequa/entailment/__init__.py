"""What a text states of its data, and what the data supports of the text: evidence and judgment."""
