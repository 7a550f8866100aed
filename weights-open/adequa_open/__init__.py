"""The weights `open` of adequa: the files of this package are a folder of `adequa export`."""
