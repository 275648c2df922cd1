"""Check that all that the built pages point to within the site is there; list what is outside.

Run: python docs/check_links.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page points to, and what in it can be pointed to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        """Note links and anchors."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def check(root):
    """What is missing, as lines, and all addresses outside."""
    found = (path for path in sorted(root.rglob("*.html")) if path.parent != root / "_static")
    pages = {path: Page(path) for path in found}
    missing, outside = [], set()
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                outside.add(link)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file():
                missing.append(f"{path.relative_to(root)}: no file {link}")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                missing.append(f"{path.relative_to(root)}: no anchor {link}")
    return missing, sorted(outside)


def main():
    """Print the findings; fail where something is missing."""
    root = Path(sys.argv[1]).resolve()
    missing, outside = check(root)
    for title, lines in (
        ("Links outside, not checked", outside),
        ("Links within that lead nowhere", missing),
    ):
        print(f"{title}: {len(lines) or 'none'}", *lines, sep="\n  ")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
