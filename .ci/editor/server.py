"""A client of rust-analyzer: one document of one project, over stdin and stdout."""

import json
import pathlib
import queue
import re
import subprocess
import threading

# What no answer takes on a slow machine; the first one waits for a build.
PATIENCE = 600

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-8"]},
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "completion": {"completionItem": {"snippetSupport": False}},
        "diagnostic": {},
    },
    "window": {"workDoneProgress": True},
    "experimental": {"serverStatusNotification": True},
}
OPTIONS = {
    "checkOnSave": False,
    "cargo": {"buildScripts": {"enable": True}},
    "procMacro": {"enable": True},
}


class Server:
    def __init__(self, project: pathlib.Path, document: pathlib.Path):
        self.process = subprocess.Popen(
            ["rust-analyzer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.messages = queue.Queue()
        self.last_id = 0
        self.version = 0
        self.uri = document.as_uri()
        threading.Thread(target=self._read, daemon=True).start()
        self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": project.as_uri(),
                "capabilities": CAPABILITIES,
                "initializationOptions": OPTIONS,
            },
        )
        self._notify("initialized", {})
        item = {"uri": self.uri, "languageId": "rust", "version": 0, "text": document.read_text()}
        self._notify("textDocument/didOpen", {"textDocument": item})
        self._wait_until_quiescent()

    def show(self, text: str):
        """What the user has in the editor now; never saved."""
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        self._notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def at(self, method: str, place: tuple[int, int], **more):
        """The answer about a place, which is a line and a column."""
        position = {"line": place[0], "character": place[1]}
        return self.request(method, {"textDocument": {"uri": self.uri}, "position": position, **more})

    def hover(self, place) -> str:
        answer = self.at("textDocument/hover", place)
        return answer["contents"]["value"] if answer else ""

    def definitions(self, place) -> set:
        return self._places(self.at("textDocument/definition", place))

    def references(self, place) -> set:
        return self._places(self.at("textDocument/references", place, context={"includeDeclaration": True}))

    def _places(self, answer) -> set:
        """Each a document, a line and a column."""
        starts = [(each["uri"], each["range"]["start"]) for each in answer or []]
        return {(uri, start["line"], start["character"]) for uri, start in starts}

    def completions(self, place) -> set[str]:
        answer = self.at("textDocument/completion", place) or []
        items = answer if isinstance(answer, list) else answer["items"]
        return {item["label"] for item in items}

    def diagnostics(self) -> set[str]:
        """Each with its line. The numbers of closures are left out: they are those of this text."""
        answer = self.request("textDocument/diagnostic", {"textDocument": {"uri": self.uri}})
        messages = [(each["range"]["start"]["line"] + 1, each["message"]) for each in answer["items"]]
        return {f"{line}: {re.sub(r'closure#[0-9]+', 'closure', text)}" for line, text in messages}

    def request(self, method: str, params):
        self.last_id += 1
        self._write({"id": self.last_id, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") != self.last_id or "method" in message:
                continue
            if "error" not in message:
                return message["result"]
            # An answer about a text that changed meanwhile is asked for again.
            if message["error"]["code"] not in (-32801, -32802):
                raise RuntimeError(f"{method}: {message['error']}")
            return self.request(method, params)

    def close(self):
        self.request("shutdown", None)
        self._notify("exit", None)
        self.process.wait(timeout=PATIENCE)

    def _notify(self, method: str, params):
        self._write({"method": method, "params": params})

    def _wait_until_quiescent(self):
        while True:
            message = self._next()
            if message.get("method") != "experimental/serverStatus":
                continue
            status = message["params"]
            if status["health"] == "error":
                raise RuntimeError(f"the project is not loaded: {status.get('message')}")
            if status["quiescent"]:
                return

    def _next(self) -> dict:
        message = self.messages.get(timeout=PATIENCE)
        if message is None:
            raise RuntimeError("rust-analyzer ended")
        # A request of the server's: every setting keeps its default.
        if "id" in message and "method" in message:
            count = len((message.get("params") or {}).get("items", []))
            is_settings = message["method"] == "workspace/configuration"
            self._write({"id": message["id"], "result": [None] * count if is_settings else None})
        return message

    def _write(self, message: dict):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _read(self):
        stream = self.process.stdout
        while line := stream.readline():
            length = 0
            while line.strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                line = stream.readline()
            self.messages.put(json.loads(stream.read(length)))
        self.messages.put(None)
