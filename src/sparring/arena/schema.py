"""The tables of an arena's database, version by version."""

# A list of statements for each version: a database of version n needs those after the n-th.
# {number}, {bytes} and {strict} are what the two databases call differently.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE sparring_arenas (
            id {number} PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            key TEXT NOT NULL
        ){strict}""",
        """CREATE TABLE sparring_events (
            arena {number} NOT NULL REFERENCES sparring_arenas (id),
            number {number} NOT NULL,
            at {number} NOT NULL,
            kind TEXT NOT NULL,
            ticket TEXT,
            body TEXT NOT NULL,
            chain TEXT NOT NULL,
            PRIMARY KEY (arena, number)
        ){strict}""",
        """CREATE UNIQUE INDEX sparring_events_of_ticket
            ON sparring_events (arena, ticket, kind) WHERE ticket IS NOT NULL""",
        """CREATE TABLE sparring_checkpoints (
            arena {number} NOT NULL REFERENCES sparring_arenas (id),
            number {number} NOT NULL,
            state {bytes} NOT NULL,
            digest TEXT NOT NULL,
            PRIMARY KEY (arena, number)
        ){strict}""",
    ),
    (
        """CREATE INDEX sparring_events_of_verdicts
            ON sparring_events (arena, number) WHERE kind = 'judged'""",
        """CREATE TABLE sparring_keys (
            id {number} PRIMARY KEY,
            digest TEXT NOT NULL UNIQUE,
            role TEXT NOT NULL,
            label TEXT NOT NULL,
            made {number} NOT NULL,
            ended {number}
        ){strict}""",
        """CREATE TABLE sparring_hooks (
            id {number} PRIMARY KEY,
            arena {number} NOT NULL REFERENCES sparring_arenas (id),
            url TEXT NOT NULL,
            secret TEXT NOT NULL,
            kinds TEXT NOT NULL,
            made {number} NOT NULL,
            ended {number}
        ){strict}""",
    ),
    (
        "ALTER TABLE sparring_arenas ADD COLUMN duplicates {number} NOT NULL DEFAULT 0",
        """CREATE TABLE sparring_invites (
            id {number} PRIMARY KEY,
            arena {number} NOT NULL REFERENCES sparring_arenas (id),
            digest TEXT NOT NULL UNIQUE,
            label TEXT NOT NULL,
            uses {number} NOT NULL,
            expires {number},
            made {number} NOT NULL,
            ended {number}
        ){strict}""",
        """CREATE TABLE sparring_guests (
            arena {number} NOT NULL REFERENCES sparring_arenas (id),
            voter TEXT NOT NULL,
            invite {number} NOT NULL REFERENCES sparring_invites (id),
            at {number} NOT NULL,
            PRIMARY KEY (arena, voter)
        ){strict}""",
        "CREATE INDEX sparring_guests_of_invite ON sparring_guests (invite)",
    ),
)
