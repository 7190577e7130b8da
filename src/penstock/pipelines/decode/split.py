"""Good rows and bad rows apart; every row is in exactly one of the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def split(decoded: DataFrame) -> tuple[DataFrame, DataFrame]:
    """The rows without an error (`data` as it is, no `error` column), and those with one (no `data` column).

    Both read their input: a caller who uses both and does not want it computed twice persists `decoded`.
    """
    return decoded.where(fn.col("error").isNull()).drop("error"), decoded.where(fn.col("error").isNotNull()).drop(
        "data"
    )
