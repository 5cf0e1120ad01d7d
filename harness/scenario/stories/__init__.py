"""Stories of a chat: what people and models say and do, from top to bottom, and what must have come of it.

A story names its `kind`; each kind (a package beside this one, listed in `kinds.py`) brings the tables that set its
scene, the entries that its `story` may have, the forms of its expectations, and the function that plays it.
"""
