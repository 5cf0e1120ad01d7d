"""Carries the dialogue of a long Claude Code session, byte for byte, into a clean one."""

__version__ = "0.1.0"
