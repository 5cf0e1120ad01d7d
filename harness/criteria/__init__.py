"""The criteria on instruments as the harness's own law: what a report may say, and what has to be shown before it.

Controls sabotage these modules like a core; the rest of the harness imports them inside functions only.
"""
