"""The seat of each piece of a round's inputs. Rounds of older databases have one seat, the
first.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_KEY = ("session", "position", "run", "attempt", "tick")


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.add_column(
            "round_inputs", sa.Column("seat", sa.Integer, nullable=False, server_default="0")
        )
        op.drop_constraint("pk_round_inputs", "round_inputs", type_="primary")
        op.create_primary_key("pk_round_inputs", "round_inputs", [*_KEY, "seat"])
        return
    # SQLite cannot change a primary key
    op.create_table(
        "round_inputs_0010",
        sa.Column("session", sa.String(32), nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in _KEY[1:]),
        sa.Column("seat", sa.Integer, nullable=False, server_default="0"),
        sa.Column("inputs", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint(*_KEY, "seat", name="pk_round_inputs"),
        sa.ForeignKeyConstraint(["session"], ["sessions.id"], name="fk_round_inputs_session"),
        sqlite_with_rowid=False,
    )
    columns = ", ".join(f'"{name}"' for name in (*_KEY, "inputs"))
    op.execute(f"INSERT INTO round_inputs_0010 ({columns}) SELECT {columns} FROM round_inputs")
    op.drop_table("round_inputs")
    op.rename_table("round_inputs_0010", "round_inputs")
