#!/usr/bin/env -S python3 -B
"""What an editor shows of annotated code, beside what it shows of the plain code.

It drives rust-analyzer over LSP on a project that depends on the local crates. What is
asked about `annotated.rs` is asked again where its attributes are blank, so that each word
keeps its place.

    check.py PROJECT    PROJECT is a folder for the project, made anew
"""

import pathlib
import re
import shutil
import sys

from server import Server

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MANIFEST = f"""\
[package]
name = "editor"
edition = "2024"

[dependencies]
retry-runtime = {{ path = "{ROOT}/retry-runtime" }}

[workspace]
"""
WORD = re.compile(r"[A-Za-z_]\w*")
NOT_A_WORD = re.compile(r'//.*|"[^"\n]*"')

failures = []


def expect(holds: bool, what: str):
    if not holds:
        failures.append(what)
        print(f"  {what}")


# Texts


def closing(text: str, start: int) -> int:
    """Where the bracket ends that begins first."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0 and text[at] in ")]}":
            return at
    raise ValueError(f"no end in {text[start:start + 40]!r}")


def attributes(text: str) -> list[tuple[int, int]]:
    """Where the keys are: each attribute, and what `retry_block!` has around its block."""
    ranges = []
    for found in re.finditer(r"#\[retry\b", text):
        ranges.append((found.start(), closing(text, found.start() + 1) + 1))
    for found in re.finditer(r"retry_block!\(", text):
        end = closing(text, found.start())
        ranges += [(found.start(), text.index("async {", found.start())), (end, end + 1)]
    return sorted(ranges)


def plain(text: str) -> str:
    for start, end in attributes(text):
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def place(text: str, at: int) -> tuple[int, int]:
    line = text.count("\n", 0, at)
    return line, at - (text.rfind("\n", 0, at) + 1)


def words(text: str) -> list[tuple[str, int]]:
    text = NOT_A_WORD.sub(lambda found: " " * len(found[0]), text)
    return [(found[0], found.start()) for found in WORD.finditer(text)]


def named(text: str, at: int) -> str:
    line, column = place(text, at)
    return f"`{WORD.match(text, at)[0]}` at {line + 1}:{column + 1}"


# What is asked


def macros_are_expanded(server: Server, text: str):
    """Without it, every other answer would be that of the plain function."""
    for start, end in attributes(text):
        if text[start] == ")":
            continue
        at = text.index("retry", start)
        expansion = (server.at("rust-analyzer/expandMacro", place(text, at)) or {}).get("expansion", "")
        ours = "retry" if is_impl(text, end) else "__retry_call"
        expect(ours in expansion, f"no expansion of {named(text, at)}")


def told(hover: str) -> set[str]:
    """What a hover says. A name that the expansion mentions at its place is said once more,
    and one that an attempt binds anew is a `let`, as it is mutable where that is ours.

    A reference declared `mut` comes out of a tuple: rustc's lints need its end to be exactly
    at the parameter, so an editor shows that field as well."""
    hover = re.sub(r"\b(let |mut )+(?=\w+: )", "", hover)
    parts = {part.strip() for part in hover.split("\n---\n")}
    return {part for part in parts if not re.match(r"```rust\npub 0: &", part)}


def same_as_plain(server: Server, text: str):
    """Hover and definition of each word outside of the attributes."""
    keys = attributes(text)
    asked = [at for _, at in words(text) if not any(start <= at < end for start, end in keys)]
    answers = []
    for shown in (plain(text), text):
        server.show(shown)
        answers.append([(server.hover(place(text, at)), server.definitions(place(text, at))) for at in asked])
    for at, (hover, places), (hover_now, places_now) in zip(asked, *answers):
        expect(
            told(hover_now) == told(hover),
            f"hover on {named(text, at)} is not that of the plain code:\n{hover_now}\n  but\n{hover}",
        )
        # It ends the attempt, which begins with the body; some versions name the function too.
        if WORD.match(text, at)[0] == "return":
            body = max(start for start in bodies(text) if start < at)
            places_now -= places - {(server.uri, *place(text, body - 2))}
            places = {(server.uri, *place(text, body - 2))}
        expect(places_now == places, f"definition of {named(text, at)}: {places_now}, not {places}")
    hovered = sum(bool(hover) for hover, _ in answers[0])
    expect(hovered > len(asked) * 0.9, f"the plain code has {hovered} hovers for {len(asked)} words")
    print(f"{len(asked)} words outside of attributes")


def code(hover: str) -> set[str]:
    return set(re.findall(r"```rust\n(.*?)\n```", "\n---\n".join(told(hover)), re.DOTALL))


def values_of_keys(server: Server, text: str):
    """A word in a value has one definition, and the text that it has there."""
    server.show(text)
    asked = 0
    for start, end in attributes(text):
        # Each method that is marked has a `self` of its own.
        selves = text[end : closing(text, end)].count("#[retry") if is_impl(text, end) else 1
        for found in re.finditer(r"\b\w+ = ", text[start:end]):
            value = start + found.end()
            for word, offset in words(text[value : end_of_value(text, value)]):
                at = value + offset
                places = server.definitions(place(text, at))
                count = selves if word == "self" else 1
                expect(len(places) == count, f"definition of {named(text, at)}: {places}")
                shown = code(server.hover(place(text, at)))
                expect(bool(shown), f"no hover on {named(text, at)}")
                for uri, *where in places:
                    if uri == server.uri:
                        defined = code(server.hover(tuple(where)))
                        expect(shown <= defined, f"hover on {named(text, at)}: {shown}, not {defined}")
                asked += 1
    print(f"{asked} words in values")


def is_impl(text: str, end: int) -> bool:
    return re.match(r"\s*impl\b", text[end:]) is not None


def end_of_value(text: str, start: int) -> int:
    at = start
    while text[at] not in ",)":
        at = closing(text, at) + 1 if text[at] in "([{" else at + 1
    return at


def references_in_keys(server: Server, text: str):
    """So that a rename reaches them."""
    server.show(text)
    start = text.index("#[retry(policy = POLICY")
    end = closing(text, text.index("{\n", start))
    for parameter in ("limit", "request"):
        written = {place(text, start + at) for word, at in words(text[start:end]) if word == parameter}
        found = {tuple(where) for _, *where in server.references(max(written))}
        expect(found == written, f"references of `{parameter}`: {found}, not {written}")


# The keys while they are typed, up to the cursor and after it, and what has to be offered.
HALF_TYPED_KEYS = [
    ("pub async fn charge", "#[retry(budget = PA", ")]", "PAYMENTS"),
    ("pub async fn charge", "#[retry(attempts = 4, classify = Http, budget = PA", ")]", "PAYMENTS"),
    ("pub async fn charge", "#[retry(retrier = RETR", ", within = LIMIT)]", "RETRIER"),
    ("pub async fn until", "#[retry(retrier = RETRIER, cancel = st", ")]", "stop"),
    ("pub fn count", "#[retry(retrier = self.re", ", blocking)]", "retrier"),
    ("pub fn count", "#[retry(retrier = self.retrier, blocking, cancel = |delay| self.sto", ")]", "stopped"),
    ("pub async fn charge", "#[retry(attempts = 4, budget = PA", ")]", "PAYMENTS"),
    ("pub async fn charge", "#[retry(attempts = 4, budget = PA", ", classify = Http)]", "PAYMENTS"),
    ("pub async fn charge", "#[retry(attempts = 4, classify = classify_c", ")]", "classify_charge"),
    ("pub async fn charge", "#[retry(classify = |result| judge(req", ", result))]", "request"),
    ("pub async fn charge", "#[retry(schedule = Backoff::expo", ")]", "exponential"),
    ("pub async fn charge", "#[retry(retrier = RETRIER, within = LI", ")]", "LIMIT"),
    ("pub async fn charge", "#[retry(retrier = RETR", ")]", "RETRIER"),
    ("pub async fn charge", "#[retry(policy = POL", ", budget = PAYMENTS)]", "POLICY"),
    ("pub async fn charge", "#[retry(attempts = 4, budget = PAYMENTS, observe = log_", ")]", "log_event"),
    ("pub fn blocking", "#[retry(attempts = 4, budget = PA", ", blocking)]", "PAYMENTS"),
    ("pub async fn refund", "#[retry(attempts = 4, budget = self.bu", ")]", "budget"),
    ("pub async fn rename", "#[retry(retrier = self.re", ")]", "retrier"),
    ("async {", "retry_block!(retrier = self.re", ", ", "retrier"),
    ("async {", "retry_block!(attempts = 4, budget = PA", ", ", "PAYMENTS"),
    ("impl Shop", "#[retry(retrier = self.re", ")]", "retrier"),
    ("impl Shop", "#[retry(retrier = self.retrier, within = LI", ")]", "LIMIT"),
    ("pub async fn sell", "#[retry(within = LI", ")]", "LIMIT"),
]


def completion_in_keys(server: Server, text: str):
    for item, before, after, offered in HALF_TYPED_KEYS:
        start, end = next(each for each in attributes(text) if text[each[1] :].lstrip().startswith(item))
        shown = text[:start] + before + after + text[end:]
        server.show(shown)
        found = server.completions(place(shown, start + len(before)))
        expect(
            any(re.match(rf"{offered}\b", label) for label in found),
            f"`{before}|{after}` offers no `{offered}`: {len(found)} others",
        )
    print(f"{len(HALF_TYPED_KEYS)} times keys that are not complete")


def bodies(text: str) -> list[int]:
    """Where the body begins of each function and block that is retried."""
    ends = [end for start, end in attributes(text) if text[start] != ")" and not is_impl(text, end)]
    return [text.index("{\n", end) + 2 for end in ends]


STATEMENTS = ["s", "request.", "let x = ", "self."]

# An editor offers each local variable that is in scope, whatever its hygiene, and the words
# of a loop. These are what an attempt leaves for the next one; nothing else of ours may be there.
KEPT_BETWEEN_ATTEMPTS = {"__retry_call", "__retry_policy", "__retry_cancel", "__retry_end", "break", "continue"}


def completion_in_bodies(server: Server, text: str):
    """What the plain function offers."""
    for body in bodies(text):
        for statement in STATEMENTS:
            found = []
            for shown in (plain(text), text):
                shown = f"{shown[:body]}{statement}\n{shown[body:]}"
                server.show(shown)
                found.append(server.completions(place(shown, body + len(statement))))
            what = f"`{statement}|` in the body at line {place(text, body)[0]}"
            more = found[1] - found[0] - KEPT_BETWEEN_ATTEMPTS
            expect(not more, f"{what} offers {more}")
            expect(found[0] <= found[1], f"{what} lacks {found[0] - found[1]}")
    print(f"{len(bodies(text)) * len(STATEMENTS)} completions in bodies")


HALF_TYPED_BODIES = ["let x = ;", "request.", "let x = request.id + ;", "send(request, );", "|x|"]


def no_error_of_ours(server: Server, text: str):
    """A body that does not parse has the diagnostics of the plain function."""
    server.show(text)
    found = server.diagnostics()
    expect(not found, f"diagnostics of right code: {found}")
    for body in bodies(text):
        for statement in HALF_TYPED_BODIES:
            found = []
            for shown in (plain(text), text):
                server.show(f"{shown[:body]}{statement}\n{shown[body:]}")
                found.append(server.diagnostics())
            what = f"`{statement}` in the body at line {place(text, body)[0]}"
            # A body that is one closure now is none of the right type, whoever says so.
            more = {each for each in found[1] - found[0] if not each.endswith("found {closure}")}
            expect(not more, f"{what} brings {more}")
    print(f"{len(bodies(text)) * len(HALF_TYPED_BODIES)} bodies that do not parse")


CHECKS = [
    macros_are_expanded,
    no_error_of_ours,
    same_as_plain,
    values_of_keys,
    references_in_keys,
    completion_in_keys,
    completion_in_bodies,
]


def run():
    project = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(project, ignore_errors=True)
    (project / "src").mkdir(parents=True)
    (project / "Cargo.toml").write_text(MANIFEST)
    shutil.copy(ROOT / "Cargo.lock", project)
    document = project / "src" / "lib.rs"
    text = (HERE / "annotated.rs").read_text()
    document.write_text(text)
    server = Server(project, document)
    for check in CHECKS:
        check(server, text)
    server.close()
    print(f"{len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    run()
