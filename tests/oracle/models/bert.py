"""Small BERT and ERNIE of Hugging Face's `transformers`, and what they give.

    python -m venv hf
    hf/bin/pip install transformers torch==2.13.0 safetensors
    hf/bin/python -m tests.oracle.models.bert

Run it at the root of the repository. It writes beside it a file of weights for each
model (`bert.safetensors`, ...), as they begin, and `bert.json` with the inputs, the
hidden states and the logits.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import save_file

from tests.oracle.steady import before, steady

FOLDER = Path(__file__).parent

SIZES = {
    "vocab_size": 30,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 12,
    "initializer_range": 0.5,
}

INPUTS = {
    "input_ids": [[2, 17, 5, 29, 3, 0, 0], [2, 8, 3, 11, 23, 14, 3]],
    "token_type_ids": [[0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1]],
    "attention_mask": [[1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1, 1]],
}

TASK = {"task_type_ids": [[2] * 7, [1] * 7]}


def listed(tensor: Any) -> Any:
    return [float(f"{x:.8g}") for x in tensor.ravel().tolist()]


def shaken(net: Any) -> Any:
    """Biases and scales other than 0 and 1, so that none goes unnoticed."""
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return net.eval()


def tensors(given: dict[str, Any]) -> dict[str, Any]:
    return {name: torch.tensor(values) for name, values in given.items()}


def stored(net: Any, name: str) -> None:
    state = {k: v.clone() for k, v in net.state_dict().items() if "decoder" not in k}
    save_file(state, FOLDER / f"{name}.safetensors")


def body(net: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What a body gives with all inputs, and with words alone."""
    told = net(**tensors(given), output_hidden_states=True)
    alone = net(torch.tensor(given["input_ids"]))
    return {
        "config": net.config.to_dict(),
        "inputs": given,
        "hidden": [listed(state) for state in told.hidden_states],
        "pooled": listed(told.pooler_output),
        "alone": listed(alone.last_hidden_state),
    }


def main() -> None:
    torch.manual_seed(0)
    config = transformers.BertConfig(**SIZES, num_labels=3)
    ernie = transformers.ErnieConfig(
        **SIZES, hidden_act="relu", layer_norm_eps=1e-5, use_task_id=True
    )
    nets = {
        "bert": shaken(transformers.BertForSequenceClassification(config)),
        "bert_masked_lm": shaken(transformers.BertForMaskedLM(config)),
        "ernie": shaken(transformers.ErnieModel(ernie)),
    }
    answers = {"transformers": transformers.__version__, "torch": torch.__version__}
    with torch.no_grad():
        answers["bert"] = body(nets["bert"].bert, INPUTS)
        answers["ernie"] = body(nets["ernie"], {**INPUTS, **TASK})
        for name in ("bert", "bert_masked_lm"):
            logits = nets[name](**tensors(INPUTS)).logits
            answers[name] = {**answers.get(name, {}), "logits": listed(logits)}
    for name, net in nets.items():
        stored(net, name)
    file = FOLDER / "bert.json"
    # float32 through attention: machines and numbers of threads differ by 4e-6
    answers = steady(answers, before(file), rtol=1e-5, atol=5e-6)
    lines = (f"{json.dumps(key)}: {json.dumps(told)}" for key, told in answers.items())
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
