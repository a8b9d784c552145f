"""Every relative link in the documentation leads to a file, and to a heading where it names one."""
import re
import sys

from markdown import ROOT, links, pages


def anchors(page) -> set[str]:
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problems():
    for page in pages():
        for link in links(page):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                yield f"{page.relative_to(ROOT)}: {link} leads nowhere"
            elif anchor and anchor not in anchors(target):
                yield f"{page.relative_to(ROOT)}: {link} names no heading of {target.name}"


if __name__ == "__main__":
    found = list(problems())
    print("\n".join(found) if found else f"links: {len(pages())} pages, clean")
    sys.exit(1 if found else 0)
