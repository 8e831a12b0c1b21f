"""The definitions: one algorithm per file, run on floats or traced on symbols."""
