"""Write: what was said is stored first, then what follows from it is worked out and stored once."""
