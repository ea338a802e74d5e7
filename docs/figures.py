"""Figures of the gallery: a table of what its notebooks printed when they last ran."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from teachgraph.course.notebook import Notebook
from teachgraph.course.table import Language

__all__ = ["FIGURES", "Figure", "figure_table", "figures_of", "printed"]

APART = " · "
HEADS: dict[Language, tuple[str, str, str]] = {
    "en": ("Notebook", "Figure", "In this run"),
    "zh": ("笔记本", "数字", "这次运行"),
}
TITLES: dict[Language, str] = {
    "en": "## Figures of these runs\n\nTaken from what the notebooks printed. Times are"
    " of the machine that built these pages, where two notebooks ran at once.",
    "zh": "## 这些运行的数字\n\n取自各笔记本打印的内容。"
    "时间是在生成这些页面的机器上测的，当时有两个笔记本同时运行。",
}


@dataclass(frozen=True)
class Figure:
    """A figure that a notebook prints.

    Attributes:
        en: Its name in English.
        zh: Its name in Chinese.
        pattern: Where it stands in what is printed; its groups, of all matches in
            order, are the value.
        part: The part of it to search, where a table is printed more than once.
    """

    en: str
    zh: str
    pattern: str
    part: str = ".*"

    def name(self, language: Language) -> str:
        """Its name in a language."""
        return {"en": self.en, "zh": self.zh}[language]

    def value(self, text: str) -> str:
        """The figure as a notebook printed it.

        Raises:
            ValueError: It is not there.
        """
        part = re.search(self.part, text, re.DOTALL)
        matches = re.finditer(self.pattern, part[0] if part else "", re.MULTILINE)
        values = [group for match in matches for group in match.groups()]
        if not values:
            raise ValueError(f"{self.en!r} is not printed: no {self.pattern!r}")
        return APART.join(values)


SIX = "ResNet50 · MobileNetV2 · LSTM · Transformer · BERT · MLP"
ROW_OF_SIX = r"^  (?:ResNet50|MobileNetV2|LSTM|Transformer|BERT|policy)"
FIGURES: dict[str, tuple[Figure, ...]] = {
    "bert_four_ways": (
        Figure("reviews read right", "读对的评论", r"accuracy ([\d.]+%)"),
        Figure(
            "a thousand reviews: op by op · `to_static` · loaded · ONNX Runtime",
            "一千条评论：逐个算子 · `to_static` · 加载的模型 · ONNX Runtime",
            r" ([\d.]+ s) +[\d.]+ ms",
        ),
    ),
    "cartpole_policy": (
        Figure("games until it is solved", "解决之前玩的局数", r"solved: (\d+)"),
        Figure(
            "mean steps of the last 100 games",
            "最后 100 局的平均步数",
            r"last 100: ([\d.]+)",
        ),
        Figure("steps of the game shown", "画出的那一局的步数", r"stood for (\d+)"),
    ),
    "digits_lenet": (
        Figure("accuracy by epoch", "每轮的准确率", r"accuracy ([\d.]+%)"),
    ),
    "digits_py_func": (
        Figure(
            "test accuracy by epoch, `py_func`",
            "每轮的测试准确率，`py_func`",
            r"accuracy ([\d.]+%)",
            "your relu.*the built-in",
        ),
        Figure(
            "test accuracy by epoch, the native op",
            "每轮的测试准确率，内置算子",
            r"accuracy ([\d.]+%)",
            "the built-in.*",
        ),
        Figure(
            "time of `py_func` over the native op: a step · the operator alone",
            "`py_func` 与内置算子的用时之比：一步 · 单个算子",
            r"ms +[\d.]+ ms +([\d.]+)$",
        ),
    ),
    "dynamic_or_static": (
        Figure(
            f"a training step, time op by op over the executor's: {SIX}",
            f"训练步，动态图与执行器的用时之比：{SIX}",
            ROW_OF_SIX + r".* ([\d.]+)$",
            "a training step.*an answer",
        ),
        Figure(
            f"an answer, time op by op over the executor's: {SIX}",
            f"推理，动态图与执行器的用时之比：{SIX}",
            ROW_OF_SIX + r".* ([\d.]+)$",
            "an answer.*",
        ),
        Figure(
            f"memory shared over each its own: {SIX}",
            f"共用的内存与各自的内存之比：{SIX}",
            r" (\d+%)$",
        ),
    ),
    "four_lines": (
        Figure("the loss falls at a step by", "损失每步下降", r"falls by ([\d.]+),"),
    ),
    "good_enough": (
        Figure(
            "right when sure of 0.90 · when all are asked",
            "有 0.90 把握就停时的准确率 · 三个都问时",
            r"^ +(?:0\.90|1\.01) +([\d.]+%)",
        ),
        Figure("multiplications of asking all", "占全问时乘法的", r"needs (\d+%)"),
    ),
    "gradient_penalty": (
        Figure(
            "points in the clouds: with the penalty · without",
            "落在点团里的点：有惩罚 · 没有惩罚",
            r"^with(?:out)? +(\d+%)",
        ),
        Figure("clouds found of six", "六团里找到的", r"(\d) clouds of 6"),
    ),
    "parameter_server": (
        Figure(
            "loss: first step · last", "损失：第一步 · 最后一步", r"loss (\S+) -> (\S+)"
        ),
        Figure(
            "difference from one process · after the server was killed",
            "与单个进程之差 · 服务器被杀之后",
            r"difference from (?:one process|the threads): (\S+)",
        ),
    ),
    "static_while_rnn": (
        Figure(
            "operators: loop · unrolled", "算子：循环 · 展开", r": +(\d+) operators"
        ),
        Figure(
            "planned memory, kB: loop · unrolled · recomputed",
            "规划的内存（kB）：循环 · 展开 · 重算",
            r"^(?:loop|unrolled|recomputed) .* ([\d.]+)$",
        ),
    ),
    "translation": (
        Figure(
            "numbers never seen, translated right, by 100 steps",
            "没见过的数翻译正确，每 100 步",
            r"accuracy ([\d.]+%)",
        ),
    ),
    "why_it_does_not_learn": (
        Figure(
            "accuracy: as it was · mended",
            "准确率：原来 · 修好之后",
            r"accuracy ([\d.]+%)",
        ),
    ),
}
"""What of each notebook stands in the table, in the order of rows."""


def printed(notebook: Notebook) -> str:
    """What the cells of a notebook printed."""
    outputs = [o for cell in notebook["cells"] for o in cell.get("outputs", ())]
    return "".join(o["text"] for o in outputs if o.get("name") == "stdout")


def figures_of(name: str, notebook: Notebook, language: Language) -> dict[str, str]:
    """The figures of an executed notebook, by their names.

    Raises:
        ValueError: One is not printed.
    """
    text = printed(notebook)
    return {figure.name(language): figure.value(text) for figure in FIGURES[name]}


def figure_table(
    runs: Mapping[str, Notebook], titles: Mapping[str, str], language: Language
) -> str:
    """The section of the gallery's page that holds the figures of all notebooks.

    Args:
        runs: The executed notebooks by the names of their cases.
        titles: Their titles in the language of the page.
        language: That of the page.
    """
    heads = HEADS[language]
    rows = [heads, ("---",) * len(heads)]
    for name, notebook in runs.items():
        # The first row of a notebook names it.
        title = titles[name]
        for figure, value in figures_of(name, notebook, language).items():
            rows.append((title, figure, value))
            title = ""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([TITLES[language], "", *lines, ""])
