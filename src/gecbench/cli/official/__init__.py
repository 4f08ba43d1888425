"""Commands that take the flags of ERRANT, ChERRANT and m2scorer and print what these print."""
