"""What can be said of systems and metrics beyond a score; handed objects, never names."""
