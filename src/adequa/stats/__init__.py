"""Pure functions on arrays: means, intervals, resampling, corrections. They know no metric."""
