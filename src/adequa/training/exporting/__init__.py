"""From a checkpoint of training to the files a package ships; `training.export` is its door."""
