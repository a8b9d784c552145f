"""Several processes at one run: torch.distributed as what connects them (atcav/ranks.h)."""
import atexit
import os
import re

import torch
import torch.distributed as dist

_PIECE = 1 << 28  # bytes that travel at once
_gloo = {}  # for groups of another backend, which has no bytes


class TorchRanks:
    """The members of a process group. Calls must come in the same order in all of them."""

    def __init__(self, group=None):
        self._group = _with_bytes(group)
        self.rank, self.size = dist.get_rank(self._group), dist.get_world_size(self._group)
        self.local_rank = int(os.environ.get("LOCAL_RANK", 0))

    def broadcast(self, view, source: int) -> None:
        values = torch.frombuffer(view, dtype=torch.uint8)
        world = source if self._group is None else dist.get_process_group_ranks(self._group)[source] \
            if hasattr(dist, "get_process_group_ranks") else dist.distributed_c10d.get_global_rank(self._group, source)
        for first in range(0, len(values), _PIECE):
            try:
                dist.broadcast(values[first:first + _PIECE], world, group=self._group)
            except RuntimeError as error:
                text = re.sub(r"^\[[^]]*\] ", "", str(error).split("\n")[0])
                raise RuntimeError(f"[run] process {self.rank} of {self.size}: another one is lost ({text})") from None


def _with_bytes(group):
    if "gloo" in str(dist.get_backend(group)):
        return group
    key = None if group is None else id(group)
    if key not in _gloo:
        ranks = None if group is None else dist.get_process_group_ranks(group)
        _gloo[key] = dist.new_group(ranks, backend="gloo")
    return _gloo[key]


def open_ranks(processes):
    """None where there is one process. `processes`: True, or a process group."""
    if processes is None or processes is False:
        return None
    if not dist.is_available():
        raise RuntimeError("processes: this PyTorch was built without torch.distributed")
    if not dist.is_initialized():
        if "WORLD_SIZE" not in os.environ:  # not started by torchrun
            return None
        dist.init_process_group("gloo")
        atexit.register(dist.destroy_process_group)  # whose threads would outlive the interpreter
    ranks = TorchRanks(None if processes is True else processes)
    return ranks if ranks.size > 1 else None


class Nothing:
    """What all processes but the first have of a shared run: scripts go on, and nothing is printed or written twice."""

    def json(self):
        return '{"results": [], "options": {}, "entanglement": []}'

    def timings_json(self):
        return '{"examples_run": 0}'

    def table(self):
        return ""

    def cavs_file(self):
        return b""

    def none(self):
        return []

    report_files = figures = warnings = cav_parts = none
