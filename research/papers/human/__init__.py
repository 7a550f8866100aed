"""Paper 004: human evaluation of WebNLG 2017."""
