"""Texts as examples and as targets: what a tokenizer makes of them."""
import numpy


def texts_of(batch):
    """The texts of a batch, or of a batch (texts, labels); None where it holds none."""
    if isinstance(batch, numpy.ndarray):
        return batch.tolist() if batch.dtype.kind in "UO" and batch.ndim == 1 and isinstance(batch.flat[0], str) else None
    if not isinstance(batch, (list, tuple)) or not batch:
        return None
    return list(batch) if all(isinstance(one, str) for one in batch) else \
        texts_of(batch[0]) if isinstance(batch[0], (list, tuple, numpy.ndarray)) else None


def tokens_of(tokenizer, texts: list):
    """What the model takes: keywords of a tokenizer of Hugging Face, or what any function of the texts gives."""
    if not hasattr(tokenizer, "pad_token"):
        return tokenizer(texts)
    if tokenizer.pad_token is not None:
        return tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    import torch
    # GPT-2's has no token to pad with; what stands behind the mask does not count.
    ids = [torch.tensor(one) for one in tokenizer(texts, truncation=True)["input_ids"]]
    left = getattr(tokenizer, "padding_side", "right") == "left"
    def padded(rows, value):
        length = max(map(len, rows))
        return torch.stack([torch.nn.functional.pad(row, (length - len(row), 0) if left else (0, length - len(row)), value=value)
                            for row in rows])
    return {"input_ids": padded(ids, getattr(tokenizer, "eos_token_id", None) or 0),
            "attention_mask": padded([torch.ones_like(row) for row in ids], 0)}


def token_of(tokenizer, where: str, text: str) -> int:
    """The number of the one token that a text is."""
    if tokenizer is None:
        raise TypeError(f"{where} has target {text!r}, must be the index of a logit; tokenizer= turns texts into indices")
    if not hasattr(tokenizer, "pad_token"):
        raise TypeError(f"{where} has target {text!r}, must be the index of a logit: a tokenizer that is a plain function is "
                        "not asked for single tokens")
    ids = list(tokenizer(text, add_special_tokens=False)["input_ids"])
    if len(ids) != 1:
        pieces = tokenizer.convert_ids_to_tokens(ids)
        raise ValueError(f"{where} has target {text!r}, which is {len(ids)} tokens, {pieces}, must be one; a word within a "
                         f"sentence often begins with its space: {' ' + text!r}")
    return int(ids[0])
