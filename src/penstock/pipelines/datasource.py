"""format("penstock"): the data source that Spark is told of, reading and writing in one name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)

from penstock.pipelines.source.options import parse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType


class PenstockDataSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "penstock"

    def schema(self) -> str:
        from penstock.pipelines.source.columns import DDL, DDL_WITH_HEADERS  # noqa: PLC0415 - loads pyarrow

        return DDL_WITH_HEADERS if parse(self._given(), streaming=False).headers else DDL

    def reader(self, schema: StructType) -> DataSourceReader:
        from penstock.pipelines.source.batch import BatchReader  # noqa: PLC0415

        return BatchReader(parse(self._given(), streaming=False))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        from penstock.pipelines.source.stream import StreamReader  # noqa: PLC0415

        return StreamReader(parse(self._given(), streaming=True))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        from penstock.pipelines.sink.data_source_writer import BatchWriter  # noqa: PLC0415

        return BatchWriter(self._given(), overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802 - Spark's name
        from penstock.pipelines.sink.data_source_writer import StreamWriter  # noqa: PLC0415

        return StreamWriter(self._given())

    def _given(self) -> dict[str, str]:
        return dict(self.options.items())


def register(spark: SparkSession) -> None:
    """Make format("penstock") known to a session that was not made by `spark_session`."""
    spark.dataSource.register(PenstockDataSource)
