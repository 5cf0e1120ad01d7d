"""The collaboration core: a user and several Bots, their plans, work items, turns and words, over one SQLite store.

Events come in, effects go out (`engine.py`); each other module is one concept of the glossary.
"""

# Concepts know each other; with the engine first they are always loaded in the same order.
import threadrebuild.collab.engine  # noqa: F401
