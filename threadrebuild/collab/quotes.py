"""The user's words, kept verbatim apart from the transcript, and filed where their line is."""

from threadrebuild.collab.change import Change

LONGEST = 2000  # QUOT-07
KEPT_AT_EACH_END = 1000


def keep(change: Change, source: str, text: str, *, session: int | None = None, message: int | None = None) -> int:
    """Store words of the user, in the same step as what they were said in."""
    return change.db.write(
        "INSERT INTO quotes (session, message, source, text, seq, at) VALUES (?, ?, ?, ?, ?, ?)",
        session,
        message,
        source,
        shortened(text),
        change.event,
        change.at,
    )


def shortened(text: str) -> str:
    """Words of more than 2000 code points keep their beginning and end, and say in between how many are left out."""
    if len(text) <= LONGEST:
        return text
    left_out = len(text) - 2 * KEPT_AT_EACH_END
    return f"{text[:KEPT_AT_EACH_END]}[… {left_out} …]{text[-KEPT_AT_EACH_END:]}"


def follow(change: Change, message: int) -> None:
    """File the quotes of a message where the message is filed."""
    change.db.write("DELETE FROM quote_filings WHERE quote IN (SELECT id FROM quotes WHERE message = ?)", message)
    change.db.write(
        "INSERT OR IGNORE INTO quote_filings (quote, plan, ticket)"
        " SELECT q.id, f.plan, f.ticket FROM quotes q JOIN message_filings f ON f.message = q.message"
        " WHERE q.message = ? AND q.source = 'said' ORDER BY q.id, f.ord",
        message,
    )
