"""The streaming pass in PyTorch, where a network leaves its activations (pass::PassBackend in C++, which says what each
function means). Products are float32 without TF32, added up in double over blocks of columns, in a fixed order."""
import contextlib
import typing

import numpy
import torch

PILOT_ROWS = 64
PIECE_COLUMNS = 2048  # whose products are added up in float32 before they go to double
PRODUCTS = 1 << 26  # that exist at once: few launches of many pieces keep a device busy
WAITING_BYTES = 1 << 26  # rows that wait for more: launches are dear, memory is cheap
GROUP_BYTES = 1 << 30  # of rows that are worked on at once
STAGED_BYTES = 1 << 25  # that cross between memory and a device at once
SMALL_BYTES = 1 << 20  # that are not worth it
GRAM_TILE = 2048


@contextlib.contextmanager
def full_floats():
    """TF32 is for networks. The switch belongs to the process and is as it was afterwards."""
    try:
        before = torch.get_float32_matmul_precision()
        change = torch.set_float32_matmul_precision
        change("highest")
    except RuntimeError:  # set by the newer names, which do not go with the older
        before = torch.backends.cuda.matmul.fp32_precision

        def change(precision):
            torch.backends.cuda.matmul.fp32_precision = precision
        change("ieee")
    try:
        with torch.inference_mode(False), torch.no_grad(), torch.autocast("cuda", enabled=False):
            yield
    finally:
        change(before)


def row_products(a, b):
    """a bᵀ in double."""
    columns, total = a.shape[1], None
    whole = columns // PIECE_COLUMNS
    some = max(1, PRODUCTS // (len(a) * len(b)))
    for piece in range(0, whole, some):
        count = min(some, whole - piece)
        left, right = (rows.narrow(1, piece * PIECE_COLUMNS, count * PIECE_COLUMNS)
                       .view(len(rows), count, PIECE_COLUMNS).transpose(0, 1) for rows in (a, b))
        part = torch.bmm(left, right.transpose(1, 2)).sum(0, dtype=torch.float64)
        total = part if total is None else total.add_(part)
    if columns > whole * PIECE_COLUMNS:
        part = (a[:, whole * PIECE_COLUMNS:] @ b[:, whole * PIECE_COLUMNS:].T).double()
        total = part if total is None else total.add_(part)
    return total


def _staged(rows):
    """Pieces of rows, and memory of each that a device reads and writes by itself, two in turn."""
    step = max(1, STAGED_BYTES // max(1, rows[0].numel() * rows.element_size())) if len(rows) > 0 else 1
    room = [torch.empty((min(step, len(rows)), *rows.shape[1:]), dtype=rows.dtype, pin_memory=True) for _ in range(2)]
    done = [torch.cuda.Event(), torch.cuda.Event()]
    for turn, first in enumerate(range(0, len(rows), step)):
        done[turn % 2].synchronize()
        part = slice(first, min(first + step, len(rows)))
        yield part, room[turn % 2][:part.stop - part.start], done[turn % 2]


_LANES = {}


def _lane(way):
    """The current device's stream on which memory is copied that way, beside what the device has in hand."""
    return _LANES.setdefault((torch.cuda.current_device(), way), torch.cuda.Stream())


def to_device(rows, device):
    """A copy of rows in memory. A plain copy of memory that is not pinned goes at a fifth of the speed, and waits for
    everything that the device has in hand."""
    small = rows.numel() * rows.element_size() < SMALL_BYTES
    if device.type != "cuda" or rows.device.type != "cpu" or small or not rows.is_contiguous():
        return rows.to(device, copy=True)
    with torch.cuda.device(device):
        user, lane = torch.cuda.current_stream(), _lane("to")
        with torch.cuda.stream(lane):
            there = torch.empty(rows.shape, dtype=rows.dtype, device=device)
            for part, room, done in _staged(rows):
                there[part].copy_(room.copy_(rows[part]), non_blocking=True)
                done.record()
        user.wait_stream(lane)
        there.record_stream(user)
    return there


def to_host(rows, into) -> None:
    """Copies rows on a device into an array."""
    here = torch.from_numpy(into)
    if rows.device.type != "cuda" or rows.numel() * rows.element_size() < SMALL_BYTES:
        here.copy_(rows)
        return
    with torch.cuda.device(rows.device):
        lane = _lane("from")
        lane.wait_stream(torch.cuda.current_stream())  # what is computed until now
        with torch.cuda.stream(lane):
            waiting = None
            for part, room, done in _staged(rows):
                room.copy_(rows[part], non_blocking=True)
                done.record()
                if waiting is not None:
                    _arrive(here, *waiting)
                waiting = part, room, done
            if waiting is not None:
                _arrive(here, *waiting)


def in_memory(rows):
    """An array of rows on a device."""
    here = numpy.empty(tuple(rows.shape), numpy.float32)
    to_host(rows, here)
    return here


def _arrive(here, part, room, done) -> None:
    done.synchronize()
    here[part].copy_(room)


def moved(rows, coefficients, directions):
    """Rows on a device, moved by steps from memory (model::Steps in C++)."""
    with full_floats():
        count = coefficients.shape[1]
        coefficients = torch.tensor(coefficients, device=rows.device)
        blocks = torch.tensor(directions, device=rows.device).view(count, -1, rows.shape[1])
        step = coefficients[:, :1] * blocks[0]
        for i in range(1, count):
            step = step + coefficients[:, i:i + 1] * blocks[i]
        return rows + step


def sum_of(rows):
    """The sum over rows in double: one row."""
    with full_floats():
        return rows.sum(0, keepdim=True, dtype=torch.float64).cpu().numpy()


class Held:
    """Directions on a device that rows there are multiplied with (model::HeldDirections in C++)."""

    def __init__(self, directions, device):
        with full_floats():
            self._columns = to_device(torch.from_numpy(directions), device).T

    def products(self, rows):
        with full_floats():
            parts = rows.split(max(1, GROUP_BYTES // (8 * rows.shape[1])))
            return torch.cat([part.double() @ self._columns for part in parts]).cpu().numpy()


class _Set:
    def __init__(self, first: int, rows: int, scored, columns: int, groups: int, device):
        self.first, self.rows, self.scored = first, rows, scored
        self.scored_there = torch.from_numpy(scored).to(device)
        self.next = 0  # the row that comes next
        self.scored_rows = torch.empty(len(scored), columns, device=device)
        self.sums = torch.zeros(groups, columns, dtype=torch.float64, device=device)
        self.group_rows = numpy.zeros(groups)
        self.projections: typing.List[torch.Tensor] = []
        self.squares: typing.List[typing.Tuple[int, torch.Tensor]] = []  # from a row on


class TorchPass:
    def __init__(self, first, *, gradients, sets, folds: int, groups: int, gram: bool, centre, input_groups=()):
        self._device, self._columns = first.device, first.shape[1]
        self._folds, self._groups = folds, groups
        self._waiting, self._waiting_set = [], 0
        with full_floats():
            self._centre = first[:PILOT_ROWS].mean(0, dtype=torch.float64).float() if centre is None else \
                torch.tensor(centre.ravel(), device=self._device)
            self._sets, total = [], 0
            for rows, scored in sets:
                self._sets.append(_Set(total, rows, scored, self._columns, groups, self._device))
                total += rows
            self._gradients = self._placed(gradients)
            self._gradient_products = [self._products_of(first, last) for first, last in input_groups]
            # All rows, for K: on the device if half of what is free holds them.
            self._rows = None
            if gram:
                there = self._device if 4 * total * self._columns < self._free() / 2 else "cpu"
                self._rows = torch.empty(total, self._columns, device=there)

    def _free(self) -> float:
        return torch.cuda.mem_get_info(self._device)[0] if self._device.type == "cuda" else float("inf")

    def _placed(self, gradients) -> list:
        """Groups of rows: on the device as far as half of what is free goes, else where they are."""
        some = max(1, GROUP_BYTES // (4 * self._columns))
        if isinstance(gradients, list):  # of tensors that are there already
            return list((gradients[0] if len(gradients) == 1 else torch.cat(gradients)).split(some))
        here, room = torch.from_numpy(gradients), self._free() / 2
        groups = []
        for group in here.split(some):
            room -= 4 * group.numel()
            groups.append(to_device(group, self._device) if room > 0 else group)
        return groups

    def _products_of(self, first: int, last: int):
        """Of gradients first … last with each other."""
        rows, start = [], 0
        for group in self._gradients:
            begin, end = max(first - start, 0), min(last - start, len(group))
            if begin < end:
                rows.append(group[begin:end].to(self._device))
            start += len(group)
        rows = torch.cat(rows) if len(rows) > 1 else rows[0]
        return row_products(rows, rows)

    def gradient_products(self) -> list:
        return [products.cpu().numpy() for products in self._gradient_products]

    def add(self, index: int, rows) -> None:
        if isinstance(rows, numpy.ndarray):  # whose memory is gone after this call
            rows = torch.tensor(rows, device=self._device)
        if index != self._waiting_set:
            self._multiply()
        self._waiting_set = index
        self._waiting.append(rows)
        if sum(part.shape[0] for part in self._waiting) * self._columns * 4 >= WAITING_BYTES:
            self._multiply()

    def continue_at(self, index: int, row: int) -> None:
        self._multiply()
        self._sets[index].next = row

    def _multiply(self) -> None:
        if not self._waiting:
            return
        rows = torch.cat(self._waiting) if len(self._waiting) > 1 else self._waiting[0]
        self._waiting = []
        with full_floats():
            for part in rows.split(max(1, GROUP_BYTES // (4 * self._columns))):
                self._multiply_part(self._sets[self._waiting_set], part)

    def _multiply_part(self, own: _Set, rows) -> None:
        centred = rows - self._centre
        own.projections.append(torch.cat([row_products(group.to(self._device), centred) for group in self._gradients]))
        own.squares.append((own.next, centred.square_().sum(1, dtype=torch.float64)))
        count = len(rows)
        self._add_to_groups(own, rows)
        first, last = numpy.searchsorted(own.scored, [own.next, own.next + count])
        if first < last:
            own.scored_rows[first:last] = rows.index_select(0, own.scored_there[first:last] - own.next)
        if self._rows is not None:
            self._rows[own.first + own.next:own.first + own.next + count].copy_(rows)
        own.next += count

    def _add_to_groups(self, own: _Set, rows) -> None:
        """Row i of a set is in group i mod G: rows up to the first of group 0, all rounds at once, the rest."""
        count, groups = len(rows), self._groups
        begun = min(count, -own.next % groups)
        rounds = (count - begun) // groups
        end = begun + rounds * groups
        if rounds > 0:
            own.sums.add_(rows[begun:end].reshape(rounds, groups, -1).sum(0, dtype=torch.float64))
        own.group_rows += rounds
        for some, group in (rows[:begun], own.next % groups), (rows[end:], 0):
            own.sums[group:group + len(some)].add_(some)
            own.group_rows[group:group + len(some)] += 1

    def centre(self):
        return self._centre.cpu().numpy()

    def take_projections(self, index: int):
        parts, self._sets[index].projections = self._sets[index].projections, []
        return torch.cat(parts, 1).cpu().numpy() if parts else None

    def take_group_sums(self, index: int):
        own = self._sets[index]
        counts, found = torch.from_numpy(own.group_rows).to(self._device), numpy.empty(own.sums.shape)
        to_host(own.sums.addcmul_(counts[:, None], self._centre.double(), value=-1), found)
        return found

    def take_squares(self, index: int):
        own = self._sets[index]
        squares, parts, own.squares = numpy.zeros(own.rows), own.squares, []
        for first, part in parts:
            squares[first:first + len(part)] = part.cpu().numpy()
        return squares

    def end(self) -> None:
        self._gradients = []

    def scored_products(self, index: int, directions):
        own, step = self._sets[index], max(1, GROUP_BYTES // (8 * self._columns))
        found = numpy.empty(len(own.scored))
        with full_floats():
            along, centre = torch.tensor(directions, device=self._device), self._centre.double()
            for fold in range(self._folds):
                mine = own.scored_rows[fold::self._folds]  # they come in whole groups of neighbours
                parts = [((block.double() - centre) * along[fold]).sum(1) for block in mine.split(step) if len(block) > 0]
                if parts:
                    found[fold::self._folds] = torch.cat(parts).cpu().numpy()
        return found

    def gram(self):
        """Half of the tiles; the others are their mirror images. Few rows are one tile, of as many columns as fit."""
        count = len(self._rows) + 1
        found = torch.zeros(count, count, dtype=torch.float64, device=self._device)
        pieces = max(1, GROUP_BYTES // (4 * count * PIECE_COLUMNS)) if count <= GRAM_TILE else 1
        with full_floats():
            for column in range(0, self._columns, pieces * PIECE_COLUMNS):
                rows = self._rows[:, column:column + pieces * PIECE_COLUMNS].to(self._device)
                centre = self._centre[column:column + pieces * PIECE_COLUMNS]
                piece = torch.cat([rows - centre, centre[None]])
                for top in range(0, count, GRAM_TILE):
                    end = min(top + GRAM_TILE, count)
                    found[top:end, :end].add_(row_products(piece[top:end], piece[:end]))
            return (found.tril() + found.tril(-1).T).cpu().numpy()

    def read_rows(self, index: int, first: int, into) -> None:
        start = self._sets[index].first + first
        torch.from_numpy(into).copy_(self._rows[start:start + len(into)])
