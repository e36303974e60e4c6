"""Makes a corpus of a folder of Markdown pages: each section is an answer, and its title is the question.

    python3 Examples/Conversation/Training/sections.py docs > docs.jsonl

Tables and code are left out of the answers, because they are read aloud."""

import argparse
import json
import pathlib
import re


def anchor(title):
    """The part of the address of a section after #, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def plain(text):
    """The paragraphs of Markdown, each on a line, without marks."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^\|.*$", "", text, flags=re.M)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=[-*] )", text))
    return "\n".join(re.sub(r"[*`]|^[-#>] ", "", part) for part in paragraphs if part)


def sections(path, root):
    """The sections of a page, with a title of its own for each."""
    page, parts = "", re.split(r"^(#{1,3}) (.+)$", path.read_text(), flags=re.M)
    for level, title, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        title = re.sub(r"[*`]", "", title)
        page = title if level == "#" else page
        answer = plain(text)
        if answer:
            name = path.relative_to(root)
            yield {"id": f"{name}#{anchor(title)}", "question": title if title == page else f"{page}: {title}", "answer": answer,
                   "focus": title, "synonyms": [] if title == page else [page], "source": str(name), "url": f"{name}#{anchor(title)}"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    for path in sorted(folder.rglob("*.md")):
        for section in sections(path, folder):
            print(json.dumps(section, ensure_ascii=False))


if __name__ == "__main__":
    main()
