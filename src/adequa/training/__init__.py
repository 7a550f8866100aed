"""Where weights come from: the only room that imports torch, when a training is started."""
