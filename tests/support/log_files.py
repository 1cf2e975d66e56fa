"""Logs of duels in every format, and the certificate that each of them should give."""

import json

import numpy as np
import polars as pl

from sparring import Duel
from sparring.certificates import Certificate

N, K = 60, 12  # twelve arms: p_10 comes after p_9, and not after p_1


def duels(players, n=N, arms=K):
    """n duels with their outcomes; probabilities with all their digits, 0 and tiny ones too."""
    rng = np.random.default_rng(7)
    found = []
    for t in range(n):
        p = rng.dirichlet(np.full(arms, 0.3), players)
        p[:, rng.integers(arms)] *= 1e-20
        p /= p.sum(axis=1, keepdims=True)
        row, col = int(rng.choice(arms, p=p[0])), int(rng.choice(arms, p=p[-1]))
        found.append((Duel(t + 1, row, col, p, "a1"), float(rng.integers(3) / 2)))
    return found


LOGGED = {players: duels(players) for players in (1, 2)}


def directly(logged, cuts=(), arms=K):
    certificate = Certificate(arms)
    for t, (duel, outcome) in enumerate(logged):
        if t in cuts:
            certificate.cut()
        certificate.add(duel, outcome)
    return certificate


def flat(duel, outcome):
    """The columns of a row of a CSV file, in order."""
    names = ("p_",) if len(duel.p) == 1 else ("p_row_", "p_col_")
    fields = {"row": duel.row, "col": duel.col, "outcome": outcome}
    for name, player in zip(names, duel.p.tolist(), strict=True):
        fields.update({f"{name}{k}": chance for k, chance in enumerate(player)})
    return fields


def csv(rows, end="\n"):
    """Text of rows that are dictionaries; repr gives every digit."""
    lines = [",".join(rows[0])]
    lines += [",".join(x if isinstance(x, str) else repr(x) for x in row.values()) for row in rows]
    return end.join([*lines, ""])


def lines(logged, end="\n", **more):
    texts = [json.dumps({**duel.to_json(), "outcome": o, **more}) for duel, o in logged]
    return end.join([*texts, ""])


def table(logged):
    fields = [{**duel.to_json(), "outcome": outcome} for duel, outcome in logged]
    return pl.DataFrame(fields, infer_schema_length=None)


def as_csv(path, logged):
    path.write_text(csv([flat(*one) for one in logged]))


def as_lines(path, logged):
    path.write_text(lines(logged))


def as_nested(path, logged):
    table(logged).write_parquet(path, row_group_size=7)


def as_lists(path, logged):
    nested = pl.col("p").list
    players = {"p_row": nested.get(0), "p_col": nested.get(-1)}
    table(logged).with_columns(**players).drop("p").write_parquet(path)


def as_columns(path, logged):
    pl.DataFrame([flat(*one) for one in logged], infer_schema_length=None).write_parquet(path)


WRITERS = {
    "csv": (as_csv, "log.csv"),
    "json lines": (as_lines, "log.jsonl"),
    "ndjson": (as_lines, "log.ndjson"),
    "parquet, p": (as_nested, "log.parquet"),
    "parquet, lists": (as_lists, "log.parquet"),
    "parquet, columns": (as_columns, "log.parquet"),
}


def written(folder, how, logged):
    write, name = WRITERS[how]
    write(folder / name, logged)
    return folder / name


SMALL = duels(2, n=20, arms=3)
ROWS = [flat(*one) for one in SMALL]
