"""Text: vocabularies, BERT's tokenizer, Viterbi decoding, and small text data sets.

In Paddle this is `paddle.text`, its tokenizers are PaddleNLP's.
"""

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
