# Every task by name; `make help` lists them.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements/penstock.lock requirements/dev.lock

.DEFAULT_GOAL := help
.PHONY: help compiled up test suites nightly mutants spark check lint types contracts unit sim scenarios coverage setup integration chaos fuzz test-kernel-tls test-outside conformance share-kills schedule-kills kafka-suites pipelines pipelines-kills bench bench-micro bench-instructions bench-growth bench-failover bench-scale bench-pipelines format reference messages lock clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(VENV)/.made:
	@tools/make-venv $(PYTHON) $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made requirements/penstock.lock pyproject.toml
	@echo "installing the locked dependencies into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/penstock.lock
	@$(BIN)/python -m pip uninstall -qq --yes --disable-pip-version-check penstock  # PyPI's, which would hide ours
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# A broker whose modules must be compiled first starts half a second later. An installed package is compiled; a tree is
# not where PYTHONDONTWRITEBYTECODE is set.
compiled: $(VENV)/.run
	@$(BIN)/python -m compileall -q src

$(VENV)/.dev: $(VENV)/.run requirements/dev.lock
	@echo "installing what tests and checks need into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

up: compiled ## run one broker on 127.0.0.1:9092 with its data in ./penstock-data; ARGS="--port 19092" for more
	@exec $(BIN)/penstock up --data ./penstock-data $(ARGS)

test: check suites ## everything that CI runs; installs what it needs

suites: $(VENV)/.dev setup compiled spark ## integration, conformance and pipelines; what failed runs once more at the end, alone
	$(BIN)/python tools/suites.py integration conformance pipelines

# In this order: the sooner it can fail, the sooner it runs.
nightly: ## what is too long for CI, one after the other, for some hours: seeds, mutants, chaos, Kafka's own tests, kills, Apache Kafka's topics, failover
	$(MAKE) sim SEEDS=5000
	$(MAKE) mutants
	$(MAKE) fuzz EACH=600
	$(MAKE) chaos MINUTES=60
	$(MAKE) chaos MINUTES=20 SECURED=1
	$(MAKE) test-outside
	$(MAKE) test-kernel-tls
	$(MAKE) share-kills
	$(MAKE) schedule-kills
	$(MAKE) kafka-suites
	$(MAKE) pipelines QUEUES=penstock,kafka
	$(MAKE) pipelines-kills
	$(MAKE) bench-failover

check: lint types contracts unit ## the quick half: format, lint, types, contracts, unit and property tests

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml --severity-level medium src/penstock

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

unit: $(VENV)/.dev compiled ## unit, property and architecture tests, scenarios, and 200 seeds of the simulated cluster
	$(BIN)/pytest -q --durations=10 -n 2 tests/unit tests/properties tests/architecture tests/scenarios tests/simulation

coverage: $(VENV)/.dev compiled ## branch coverage of the unit, property and scenario tests, packages and thinnest files; once a release
	@mkdir -p .cache/coverage && rm -f .cache/coverage/*
	$(BIN)/coverage run -m pytest -q -n 2 --ignore=tests/unit/broker/test_start_imports.py tests/unit tests/properties tests/scenarios
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage json -q -o - | $(BIN)/python tools/coverage_table.py

SEEDS ?= 1000
sim: $(VENV)/.dev ## thousands of seeds of the simulated cluster, and each planted bug; SEEDS=5000, or SEED=137 for the story of one
	@$(BIN)/python -m tools.simulate $(if $(SEED),--seed $(SEED) $(if $(BUG),--bug $(BUG)),--seeds $(SEEDS))

mutants: $(VENV)/.dev ## one-line mutants of the code that decides: does a test fail for each? COUNT=80
	@$(BIN)/python -m tools.mutants --count $(or $(COUNT),80)

scenarios: $(VENV)/.dev ## write the machines' answers in tests/scenarios anew; look at the diff
	@$(BIN)/python -m tools.scenarios

setup: ## what the suites need beside Python: kcat, etcd, Java, Apache Kafka's jars
	@tools/test-setup

integration: $(VENV)/.dev setup compiled ## real clients and tools against a real broker
	$(BIN)/python tools/suites.py integration

fuzz: $(VENV)/.dev ## decoders fed by atheris, each for EACH=60 seconds
	$(BIN)/python -m tools.fuzz --seconds $(or $(EACH),60)

chaos: $(VENV)/.dev setup compiled ## stock clients against three brokers that are hurt for MINUTES=10; SEED=n repeats a run, SECURED=1 with TLS, logins, rules, quotas, audit
	CHAOS_MINUTES=$(or $(MINUTES),10) CHAOS_SEED=$(SEED) CHAOS_SECURED=$(SECURED) $(BIN)/pytest -q tests/integration/test_chaos.py

test-kernel-tls: $(VENV)/.dev ## TLS in the kernel (kTLS), in user-mode Linux; docs/operate/security/tls.md
	tools/kernel-tls-test $(BIN)/python

test-outside: $(VENV)/.dev ## judges that CI has no time for: sslyze, franz-go, Keycloak, 5,000 idle TLS connections
	$(BIN)/pytest -q -n0 tests/outside
	IDLE_CONNECTIONS=5000 $(BIN)/pytest -q -n0 tests/integration/test_tls_clients.py -k idle

share-kills: $(VENV)/.dev setup compiled ## KILLS=30 of brokers while a share group works: leaders of its partitions, its state, its membership and its dead letters
	PENSTOCK_SHARE_KILLS=$(or $(KILLS),30) $(BIN)/pytest -q -n0 tests/integration/test_share_failover.py
	PENSTOCK_DEAD_LETTER_KILLS=$(or $(KILLS),30) $(BIN)/pytest -q -n0 tests/integration/test_dead_letters_failover.py

schedule-kills: $(VENV)/.dev setup compiled ## KILLS=30 of brokers while records wait, are tried again, and duplicates are left out
	PENSTOCK_SCHEDULE_KILLS=$(or $(KILLS),30) $(BIN)/pytest -q -n0 tests/integration/test_schedules_failover.py tests/integration/test_retries_failover.py
	PENSTOCK_DEDUP_KILLS=$(or $(KILLS),30) $(BIN)/pytest -q -n0 tests/integration/test_dedup.py -k kill

conformance: $(VENV)/.dev setup compiled ## the same requests to Apache Kafka and to Penstock, answers compared
	$(BIN)/python tools/suites.py conformance

kafka-suites: $(VENV)/.dev setup compiled ## Apache Kafka's own published integration tests against Penstock brokers; CLASSES="ClientRebootstrapTest ..." for some, TIMES=8
	$(BIN)/python -m tools.kafka_suites --times $(or $(TIMES),1) $(CLASSES)

export PENSTOCK_SPARK_JARS ?= $(CURDIR)/.cache/spark-jars
KILL_TESTS := tests/pipelines/sink/test_attempt_kills.py tests/pipelines/sink/test_sink_kills.py tests/pipelines/lake/test_kills.py
LARGE_TESTS := tests/pipelines/lake/test_memory.py

spark: $(VENV)/.dev setup compiled
	@$(BIN)/penstock pipeline setup
	@$(MAKE) --no-print-directory .cache/spark-classes.jsa

# Remade with another Spark; one that does not fit is left alone by Java.
.cache/spark-classes.jsa: $(VENV)/.dev
	@echo "laying out Spark's classes for the tests (once)"
	@$(BIN)/python -m tools.spark_classes $@

pipelines: $(VENV)/.dev setup compiled spark ## Spark jobs with real topics and Iceberg tables; QUEUES=penstock,kafka for Apache Kafka's topics too
	$(if $(QUEUES),PENSTOCK_TESTS_QUEUES=$(QUEUES)) $(BIN)/python tools/suites.py pipelines

pipelines-kills: $(VENV)/.dev setup compiled spark ## KILLS=30 of drivers, executors and workers of sink and lake, brokers away for a minute, a million records of 1 KB; SEED=n repeats
	PENSTOCK_KILLS=$(or $(KILLS),30) PENSTOCK_KILLS_SEED=$(or $(SEED),0) $(BIN)/pytest -q -s $(KILL_TESTS)
	$(BIN)/pytest -q $(LARGE_TESTS)
	PENSTOCK_TESTS_AWAY_S=60 $(BIN)/pytest -q -s tests/pipelines -k "away and not stays"

bench: $(VENV)/.dev compiled ## Penstock beside Apache Kafka in one run; QUICK=1 for two minutes, PART=secure for TLS, logins and access rules alone, PART=queue for queue work beside other queues
	@benchmarks/setup $(PART)
	$(BIN)/python -m $(if $(filter queue,$(PART)),benchmarks.queue,benchmarks $(addprefix --part ,$(PART)))

bench-micro: $(VENV)/.dev ## CPU time of codec, append, fetch assembly and dispatch, beside the last run
	@$(BIN)/python -m benchmarks.micro

bench-instructions: $(VENV)/.dev compiled ## instructions of codec, append, dispatch, fetch assembly and a woken fetch, beside the last run
	@benchmarks/setup
	@$(BIN)/python -m benchmarks.instructions

bench-growth: $(VENV)/.dev compiled ## cost over growing numbers of partitions, connections, groups and more, with plots
	@benchmarks/setup
	$(BIN)/python -m benchmarks.growth

bench-failover: $(VENV)/.dev ## how long three brokers take no writes when one fails, beside Kafka; QUICK=1 for six minutes
	@benchmarks/setup
	$(BIN)/python -m benchmarks.failover

bench-scale: $(VENV)/.dev setup ## the scale model: 100,000 partitions of 100 brokers on a real etcd (docs/scale.md)
	$(BIN)/python -m benchmarks.scale

bench-pipelines: $(VENV)/.dev setup compiled ## source, sink and lake beside Spark's own connector, ten minutes; QUICK=1 for a tenth of the records, PUBLISH=1 into its page
	@$(BIN)/penstock pipeline setup
	$(BIN)/python -m benchmarks.pipelines $(if $(QUICK),--scale 0.1) $(if $(PUBLISH),--publish)

format: $(VENV)/.dev ## format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

reference: $(VENV)/.dev ## write docs/reference anew from the tables
	$(BIN)/python tools/reference.py

messages: $(VENV)/.dev ## generate the wire codecs anew from tools/wire/facts.json
	$(BIN)/python -m tools.generate_messages generate

lock: $(VENV)/.dev ## resolve the dependencies anew
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.11 pyproject.toml --extra web --group build -o requirements/penstock.lock --upgrade
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --no-annotate --python-version 3.11 pyproject.toml --extra spark --extra web --group dev -c requirements/penstock.lock -o requirements/dev.lock --upgrade

clean: ## remove what the build made (not ./penstock-data)
	rm -rf $(VENV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
