# `make` runs what CI runs. The targets one by one: lint, test, doc, book.

.PHONY: all lint test doc book

all: lint test doc

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --features clingo --quiet -- -D warnings

test:
	cargo test --workspace --features clingo

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --features clingo --quiet

# Needs mdbook: cargo install mdbook
book:
	mdbook build book
