"""The pipelines people run: a file or a package each, made of options, a plan and a run."""
