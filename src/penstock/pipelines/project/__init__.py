"""`penstock pipeline init`: a small project for Spark's Declarative Pipelines: a topic into Iceberg tables."""

from penstock.pipelines.project.writing import ProjectOptions, write_project

__all__ = ["ProjectOptions", "write_project"]
