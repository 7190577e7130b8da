"""Topics as DataFrames: format("penstock") for spark.read and spark.readStream."""
