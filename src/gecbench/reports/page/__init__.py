"""The report page: one HTML file with everything, that opens offline."""
