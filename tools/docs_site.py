#!/usr/bin/env python3
"""docs_site.py FOLDER: the pages and the headers as a site, every link of which leads somewhere.

Pages keep their places (docs/gpu.md becomes docs/gpu.html); headers are Doxygen's (docs/Doxyfile), other files of the
repository that a page links to are copied. Needs Debian's doxygen and python3-markdown. Exit status 1 names links that
lead nowhere.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as xml

import markdown

ROOT = pathlib.Path(__file__).resolve().parents[1]

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} · atcav</title><style>
body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1rem; color: #1c2024 }}
nav a {{ margin-right: 1rem }} a {{ color: #0a6a9c }} img {{ max-width: 100% }}
pre, code {{ background: #f1efea; border-radius: 3px; font-size: 0.9em }} pre {{ padding: 0.8rem; overflow-x: auto }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
td, th {{ border-top: 1px solid #dedbd4; padding: 0.3rem 0.8rem 0.3rem 0; text-align: left; vertical-align: top }}
</style><nav><a href="{up}README.html">atcav</a><a href="{up}docs/README.html">Documentation</a>
<a href="{up}docs/tutorials/README.html">Tutorials</a><a href="{up}api/index.html">Headers</a></nav>
{body}</html>
"""


def slug(heading, _separator):
    """As GitHub names headings, and tests/docs/links.py."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def make_api(site):
    """Doxygen's pages; which of them is a header's."""
    tags = site / "tags.xml"
    settings = (ROOT / "docs/Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {site}\nGENERATE_TAGFILE = {tags}\n"
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, check=True)
    files = xml.parse(tags).getroot().findall("compound[@kind='file']")
    tags.unlink()
    return {file.findtext("path") + file.findtext("name"): file.findtext("filename") for file in files}


def target_of(link, page, site, headers):
    """Where a page's link leads on the site."""
    if re.match(r"[a-z]+:|#", link):
        return link
    path, mark, anchor = link.partition("#")
    file = (page.parent / path).resolve()
    here = page.relative_to(ROOT).parent
    if file.suffix == ".md":
        return re.sub(r"\.md$", ".html", path) + mark + anchor
    name = str(file.relative_to(ROOT))
    for known, made in headers.items():
        if known.endswith("/" + name) or known == name:
            return os.path.relpath(f"api/{made if made.endswith('.html') else made + '.html'}", here)
    if file.is_file():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, site / name)
    elif file.is_dir() and (file / "README.md").exists():
        return os.path.join(path, "README.html")
    return link


def make_page(page, site, headers):
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^```(\w+) .*$", r"```\1", text, flags=re.M)  # what the tests read after the language
    made = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"], extension_configs={"toc": {"slugify": slug}})
    body = made.convert(text)
    body = re.sub(r'(href|src)="([^"]+)"', lambda m: f'{m[1]}="{target_of(m[2], page, site, headers)}"', body)
    place = page.relative_to(ROOT).with_suffix(".html")
    (site / place).parent.mkdir(parents=True, exist_ok=True)
    title = re.search(r"^# (.+)$", text, re.M)[1]
    (site / place).write_text(PAGE.format(title=title, up="../" * (len(place.parts) - 1), body=body), encoding="utf-8")


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found.get("id"), found.get("name")}
        self.links += [found[key] for key in ("href", "src") if found.get(key)]


def dead_links(site):
    read = {page: Reader(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    for page, reader in read.items():
        for link in reader.links:
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                yield f"{page.relative_to(site)}: {link} leads nowhere"
            elif anchor and "api" not in target.parts and anchor not in read[target].anchors:
                yield f"{page.relative_to(site)}: {link} names no heading"


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    headers = make_api(site)
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted((ROOT / "docs").rglob("*.md"))
    for page in pages:
        make_page(page, site, headers)
    (site / "index.html").write_text('<!doctype html><meta http-equiv="refresh" content="0; url=README.html">')
    dead = list(dead_links(site))
    print("\n".join(dead) if dead else f"{site}/README.html: {len(pages)} pages, {len(headers)} headers, every link leads somewhere")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
