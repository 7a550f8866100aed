"""Pictures as SVG text: one file a kind; `adequa.svg` has what they are made of."""
