"""Does this text say all and only what its data says?"""
