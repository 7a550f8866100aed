"""One library of faults: texts and graphs changed in known ways, for the doctor and training."""
