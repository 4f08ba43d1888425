"""What all metrics share: cases, the Metric protocol, the choice of the reference."""
