"""HTML read by the standard library, to see what a browser would make of it."""

from html.parser import HTMLParser

VOID_TAGS = {"input", "br", "meta", "link", "img"}


class Page(HTMLParser):
    """Collects the tags and the texts, and checks that tags close in order."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
