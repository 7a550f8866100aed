"""Thresholds on a run, for a pipeline that must stop when texts get worse."""
