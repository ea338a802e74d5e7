"""Write the event log's schema in TypeScript: `src/events.ts` out of `events.py`.

`python -m teachgraph_widgets.typescript` writes the file; a test holds it to the
schema. Besides the types it carries a table of every field's type, so that the page can
check a log at run time before it draws it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

__all__ = ["TARGET", "generate", "main"]

SOURCE = Path(__file__).with_name("events.py")
TARGET = Path(__file__).parents[1] / "src" / "events.ts"

HEADER = """\
// Generated from events.py by `python -m teachgraph_widgets.typescript`; never edited.
"""

TABLE_COMMENT = """\
/**
 * Every structure's fields and their types, for checking a log at run time. An event,
 * which stands under its kind, has those of `Event` too.
 *
 * `?` after a name: may be absent; after a type: may be null; `[]`: a list; `{}`: a
 * mapping from strings; `=a|b`: one of these words; `count`: an integer from 0.
 */"""

SCALARS = {"int": "number", "float": "number", "str": "string", "bool": "boolean"}


def generate(source: str) -> str:
    """Return the TypeScript for the schema written in the Python text `source`.

    Raises:
        TypeError: an annotation has a form that the event log does not use.
    """
    module = ast.parse(source)
    structs = {n.name: n for n in module.body if isinstance(n, ast.ClassDef)}
    aliases = {name: value for name, value in _assignments(module) if name[0].isupper()}
    version = ast.unparse(aliases.pop("VERSION"))
    parts = [f"{HEADER}export const VERSION = {version};\n"]
    parts += [_alias(name, value) for name, value in aliases.items()]
    parts += [_interface(struct) for struct in structs.values()]
    parts.append('export type Kind = AnyEvent["kind"];\n')
    parts.append(_table(structs, aliases))
    return "\n".join(parts)


def _assignments(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                yield target.id, statement.value


def _alias(name: str, value: ast.expr) -> str:
    text = f"export type {name} = {_type(value)};"
    if len(text) > 88:
        choices = "".join(f"\n  | {choice}" for choice in _type(value).split(" | "))
        text = f"export type {name} ={choices};"
    return text + "\n"


def _interface(struct: ast.ClassDef) -> str:
    bases = [ast.unparse(b) for b in struct.bases if ast.unparse(b) != "TypedDict"]
    extends = f" extends {', '.join(bases)}" if bases else ""
    lines = [*_comment(struct), f"export interface {struct.name}{extends} {{"]
    for name, annotation, required in _fields(struct):
        mark = "" if required else "?"
        lines.append(f"  {name}{mark}: {_type(annotation)};")
    return "\n".join([*lines, "}", ""])


def _comment(struct: ast.ClassDef) -> list[str]:
    doc = ast.get_docstring(struct)
    if doc is None:
        return []
    if "\n" not in doc:
        return [f"/** {doc} */"]
    return ["/**", *(f" * {line}".rstrip() for line in doc.splitlines()), " */"]


def _fields(struct: ast.ClassDef) -> Iterator[tuple[str, ast.expr, bool]]:
    """Yield each field's name, its type, and True if it is required."""
    for statement in struct.body:
        if isinstance(statement, ast.AnnAssign):
            name, annotation = ast.unparse(statement.target), statement.annotation
            if _head(annotation) == "NotRequired":
                yield name, _arguments(annotation)[0], False
            else:
                yield name, annotation, True


def _head(annotation: ast.expr) -> str:
    """Return `list` for `list[int]`, nothing for a plain name."""
    if isinstance(annotation, ast.Subscript):
        return ast.unparse(annotation.value)
    return ""


def _arguments(annotation: ast.expr) -> list[ast.expr]:
    assert isinstance(annotation, ast.Subscript)
    inside = annotation.slice
    return inside.elts if isinstance(inside, ast.Tuple) else [inside]


def _type(annotation: ast.expr) -> str:
    """Return the TypeScript type of an annotation."""
    head = _head(annotation)
    if isinstance(annotation, ast.Name):
        return SCALARS.get(annotation.id, annotation.id)
    if isinstance(annotation, ast.Constant) and annotation.value is None:
        return "null"
    if isinstance(annotation, ast.BinOp):
        return f"{_type(annotation.left)} | {_type(annotation.right)}"
    if head == "Literal":
        return " | ".join(f'"{word}"' for word in _words(annotation))
    if head == "Union":
        return " | ".join(_type(part) for part in _arguments(annotation))
    if head == "Annotated":
        return _type(_arguments(annotation)[0])
    if head == "list":
        inner = _type(_arguments(annotation)[0])
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if head == "dict":
        return f"Record<string, {_type(_arguments(annotation)[1])}>"
    raise TypeError(f"no TypeScript for {ast.unparse(annotation)!r}")


def _words(annotation: ast.expr) -> list[str]:
    return [str(ast.literal_eval(word)) for word in _arguments(annotation)]


def _table(structs: dict[str, ast.ClassDef], aliases: dict[str, ast.expr]) -> str:
    lines = [TABLE_COMMENT, "export const FIELDS: Record<string, string> = {"]
    for name, struct in structs.items():
        if name != "Log":
            fields = [
                f"{field}{'' if required else '?'}:{_code(annotation, aliases)}"
                for field, annotation, required in _fields(struct)
                if field != "kind"
            ]
            fields += ["kind:str"] * (name == "Event")
            lines.append(f'  {_kind(struct) or name}: "{" ".join(fields)}",')
    return "\n".join([*lines, "};", ""])


def _kind(struct: ast.ClassDef) -> str | None:
    for name, annotation, _ in _fields(struct):
        if name == "kind":
            return _words(annotation)[0]
    return None


def _code(annotation: ast.expr, aliases: dict[str, ast.expr]) -> str:
    """Return the table's short word for a type."""
    head = _head(annotation)
    if isinstance(annotation, ast.Name):
        alias = aliases.get(annotation.id)
        return annotation.id if alias is None else _code(alias, aliases)
    if isinstance(annotation, ast.BinOp):
        return _code(annotation.left, aliases) + "?"
    if head == "Literal":
        return "=" + "|".join(_words(annotation))
    if head == "Annotated":
        return "count"
    if head == "list":
        return _code(_arguments(annotation)[0], aliases) + "[]"
    if head == "dict":
        return _code(_arguments(annotation)[1], aliases) + "{}"
    raise TypeError(f"no run-time check for {ast.unparse(annotation)!r}")


def main() -> None:
    """Write `src/events.ts`."""
    TARGET.write_text(generate(SOURCE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
