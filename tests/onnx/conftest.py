"""What asks PyTorch is not collected: it is not installed here."""

collect_ignore = ["capture.py", "networks"]
