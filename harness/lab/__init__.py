"""The real Claude Code CLI, offline: what it writes is read and rebuilt, and what it makes of that is compared.

Fakes prove logic; they do not prove the fake. Nothing here reaches a network once a version is installed.
"""
