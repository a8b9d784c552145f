"""What the tests need to know of Markdown: pages, fenced blocks and links."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Block:
    page: pathlib.Path
    line: int
    words: list[str]  # after the fence: language first
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def values(self, key: str) -> list[str]:
        """VALUE of every word KEY=VALUE."""
        return [word.split("=", 1)[1] for word in self.words if word.startswith(key + "=")]


def pages() -> list[pathlib.Path]:
    tops = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return tops + sorted((ROOT / "docs").rglob("*.md"))


def blocks(page: pathlib.Path) -> list[Block]:
    found, current = [], None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```") and current is None:
            current = Block(page, number, line[3:].split(), "")
        elif line.startswith("```"):
            found.append(current)
            current = None
        elif current is not None:
            current.text += line + "\n"
    if current is not None:
        raise SystemExit(f"{current.place}: block without an end")
    return found


def links(page: pathlib.Path) -> list[str]:
    prose, fenced = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            prose.append(line)
    return re.findall(r"\]\(([^)\s]+)\)", "\n".join(prose))
