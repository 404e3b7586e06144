# `make` runs what CI runs. The targets one by one: lint, test, doc, deny, book.

.PHONY: all lint test doc deny book fuzz python

all: lint test doc deny

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --features clingo,cluster,parquet --quiet -- -D warnings

test:
	cargo test --workspace --features clingo,cluster,parquet

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --features clingo,cluster,parquet --quiet

# Says so where cargo-deny is not installed.
deny:
	.ci/deny

# Every fuzz target for a minute. Needs a nightly toolchain, and cargo-fuzz: cargo install cargo-fuzz
fuzz:
	for target in $$(ls fuzz/corpus); do cargo +nightly fuzz run -s none $$target -- -max_total_time=60 -max_len=2048 || exit 1; done

# The wheel in virtual environments, against the program; `make test` does it too. Says so where Python is missing.
python:
	cargo build -p oled-cli
	OLED_PROGRAM="$$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/debug/oled" .ci/python

# Needs mdbook: cargo install mdbook
book:
	mdbook build book
