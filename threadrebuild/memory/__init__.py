"""Remembering a customer who comes back: six hops over one store, and the history that a device reads for them."""
