"""Pure rules of annotation: texts, consistency, states, differences, options; no Django."""
