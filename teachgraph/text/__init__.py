"""Text: vocabularies, BERT's tokenizer, Viterbi decoding, and small text data sets.

In Paddle this is `paddle.text`, its tokenizers are PaddleNLP's.
"""

from typing import TYPE_CHECKING

from teachgraph.ops.left_out import absent
from teachgraph.text import datasets
from teachgraph.text.bert import BertTokenizer
from teachgraph.text.viterbi import ViterbiDecoder, viterbi_decode
from teachgraph.text.vocab import Vocab
from teachgraph.text.wordpiece import learn_pieces

__all__ = [
    "BertTokenizer",
    "ViterbiDecoder",
    "Vocab",
    "datasets",
    "learn_pieces",
    "viterbi_decode",
]

if not TYPE_CHECKING:
    __getattr__ = absent("text")
