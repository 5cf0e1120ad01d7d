"""Which model runs a step of the application that is none of a Bot's hops: the user's choice for that step, if any."""

from threadrebuild.collab.change import Change
from threadrebuild.collab.events import ModelChosen
from threadrebuild.database import Database


def choose(change: Change, event: ModelChosen) -> None:
    """Keep the model chosen for a step; without one the step goes back to what it runs on by itself."""
    change.db.write("DELETE FROM step_models WHERE step = ?", event.step)
    if event.model is not None:
        change.db.write("INSERT INTO step_models (step, model) VALUES (?, ?)", event.step, event.model)


def model(db: Database, step: str) -> str | None:
    """The model chosen for a step."""
    chosen: str | None = db.value("SELECT model FROM step_models WHERE step = ?", step)
    return chosen
