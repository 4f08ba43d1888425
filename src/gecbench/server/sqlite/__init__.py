"""Django's SQLite backend with a queue for writers; `base.py` is where Django looks for one."""
