# Sourced by every script here, which then runs in the root of the repository.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

heading() { printf '\n== %s\n' "$1"; }

is_ci() { [[ ${CI-} == true ]]; }

# The one rule for a tool that is not here: what needs it is skipped with a message, and
# is an error where the variable CI is "true".
absent() { # what is skipped, and why
    if is_ci; then
        printf 'error: %s\n' "$1" >&2
        exit 1
    fi
    printf 'skipped: %s\n' "$1" >&2
}

# A package of the distribution, as root. What it would start as a service is not started.
install_package() { # package
    [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    apt-get install -qq -y --no-install-recommends "$1" >&2 ||
        { apt-get update -qq >&2 && apt-get install -qq -y --no-install-recommends "$1" >&2; }
}

# A program, installed if it can be.
has_program() { # program, package
    command -v "$1" >/dev/null || { install_package "$2" && command -v "$1" >/dev/null; }
}

# One of rustup's toolchains.
has_toolchain() { cargo "+$1" --version >/dev/null 2>&1; }

# A component of the toolchain, which rustup fetches if it is missing.
has_component() { # component, the subcommand of cargo that it brings
    cargo "$2" --version >/dev/null 2>&1 || rustup component add "$1" >/dev/null 2>&1
}

# The packages that are published, each with a manifest that does not say otherwise.
published() {
    grep -L '^publish = false' retry-*/Cargo.toml integrations/*/Cargo.toml | xargs -n 1 dirname |
        xargs -n 1 basename
}
