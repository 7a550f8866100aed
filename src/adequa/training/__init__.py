"""Where weights come from; nothing else of adequa imports this room."""
