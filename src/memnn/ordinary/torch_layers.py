"""The layers of a reader in PyTorch, by the names and shapes of `parameters.shapes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from memnn.kernels.arrays import Floats
from memnn.ordinary.growing import grow
from memnn.ordinary.parameters import (
    ACROSS,
    AGAIN,
    FAR,
    WINDOWS,
    WITHOUT_BIAS,
    ReaderSize,
    shapes,
)  # fmt: skip
from memnn.ordinary.relations import ALIKE_AT, CODED

HALF: bool = torch.ops.mkldnn._is_mkldnn_bf16_supported()
"""Whether the largest products are done in half precision while learning: where the processor has
instructions for it, they take less than half the time."""
LARGEST = frozenset({
    *(f"{name}_{part}" for name in (*ACROSS, *AGAIN) for part in ("look", "seen", "more", "less")),
    *WINDOWS, "told", "told_aligned", "whole", "say", "judge", "cover", "cover_told", "cover_asked",
    "again",
})  # fmt: skip

NOTHING_AT_FIRST = ("_related", "_seen", "_less", "again_say", "again_inside", "again_judge")
LEFT_OUT = [4.0, 1.0, 0.0]
"""How much a word is left out, added or taken away before anything was learnt."""


class TorchLayers(nn.Module):
    """Parameters, and what a layer does with them."""

    def __init__(self, literals: int, dim: int, said: int, drop: float, noise: float) -> None:
        super().__init__()
        self.size = ReaderSize()
        self.p = nn.ParameterDict()
        for name, shape in shapes(literals, dim, said, self.size).items():
            self.p[key_of(name)] = nn.Parameter(_started(name, shape, dim))
        self.drop: nn.Module = nn.Dropout(drop) if drop else nn.Identity()
        self.noise = noise
        self.coded = torch.from_numpy(CODED)

    def numbers(self) -> dict[str, Floats]:
        """The parameters by name."""
        names = {key_of(name): name for name in shapes(1, 1, 1)}
        return {names[key]: value.detach().numpy().copy() for key, value in self.p.items()}

    def take(self, numbers: Mapping[str, Floats]) -> None:
        """Parameters that were learnt before; what they lack says nothing at first."""
        for name, value in grow(numbers, self.numbers()).items():
            # Into the memory that is there: sums depend on where numbers begin.
            self.p[key_of(name)].data.copy_(torch.from_numpy(value))

    def layer(self, x: Tensor, name: str) -> Tensor:
        found = self.times(x, name)
        return found if name in WITHOUT_BIAS else found + self.p[key_of(f"{name}.b")]

    def times(self, x: Tensor, name: str) -> Tensor:
        """The product with a matrix alone."""
        found: Tensor
        if self.training and HALF and name in LARGEST:
            found = (x.bfloat16() @ self.p[name].bfloat16()).float()
        else:
            found = x @ self.p[name]
        return found

    def window(self, y: Tensor, name: str, there: Tensor, apart: int = 1) -> Tensor:
        """y: what each word says as the left one, the middle, the right; 0 where there is none."""
        left, middle, right = y.chunk(3, -1)
        if apart < y.shape[-2]:
            nothing = torch.zeros_like(left[..., :apart, :])
            middle = middle + torch.cat([nothing, left[..., :-apart, :]], -2)
            middle = middle + torch.cat([right[..., apart:, :], nothing], -2)
        found = F.relu(middle + self.p[key_of(f"{name}.b")]) * there.unsqueeze(-1)
        return self.dropped(found)

    def dropped(self, x: Tensor) -> Tensor:
        """Hidden units are left out of a whole text at once: that is quicker and as good."""
        if not self.training:
            return x
        kept: Tensor = self.drop(torch.ones(*x.shape[:-2], 1, x.shape[-1]))
        return x * kept

    def look(
        self, y: Tensor, layers: Sequence[str], codes: Tensor, alike: Tensor, there: Tensor
    ) -> Tensor:
        """Words look at each other, layer by layer."""
        b, t, d = y.shape
        heads, each_head = self.size.heads, d // self.size.heads
        for name, bias in zip(layers, self._related(layers, codes, alike, there), strict=True):
            q, key, v = (
                each.view(b, t, heads, each_head).transpose(1, 2).reshape(b * heads, t, each_head)
                for each in self.layer(_normal(y), f"{name}_look").chunk(3, -1)
            )
            fit = torch.baddbmm(bias, q * each_head**-0.5, key.mT)
            seen = (torch.softmax(fit, -1) @ v).view(b, heads, t, each_head).transpose(1, 2)
            y = y + self.dropped(self.layer(seen.reshape(b, t, d), f"{name}_seen"))
            more = self.dropped(F.relu(self.layer(_normal(y), f"{name}_more")))
            y = y + self.layer(more, f"{name}_less")
        return F.relu(y) * there.unsqueeze(-1)

    def _related(
        self, layers: Sequence[str], codes: Tensor, alike: Tensor, there: Tensor
    ) -> Iterator[Tensor]:
        """What relations count in each layer: (b * heads, t, t)."""
        t = codes.shape[1]
        away = (~there).view(-1, 1, 1, t) * FAR
        weights = torch.stack([self.p[f"{name}_related"] for name in layers])
        by_code = (self.coded @ weights).transpose(1, 2).contiguous()  # (layers, heads, codes)
        flat = codes.flatten()
        for table, counts in zip(by_code, weights[:, ALIKE_AT], strict=True):
            found = table.index_select(1, flat).view(self.size.heads, len(codes), t, t)
            found = found.transpose(0, 1) + alike.unsqueeze(1) * counts.view(1, -1, 1, 1) + away
            yield found.reshape(-1, t, t)


def _normal(x: Tensor) -> Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5)


def key_of(name: str) -> str:
    return name.replace(".", "_bias_")


def _started(name: str, size: tuple[int, ...], dim: int) -> Tensor:
    """As PyTorch starts its layers: uniform within 1/sqrt(inputs). Looking at others adds nothing
    at first."""
    if name == "alike":
        return nn.init.orthogonal_(torch.empty(size))
    if name == "aligned":
        return torch.tensor([3.0, 3.0, 0.0])
    if name.removesuffix(".b").endswith(NOTHING_AT_FIRST):
        return torch.zeros(size)
    if name == "again_signs.b":
        return torch.tensor(LEFT_OUT)
    if name in ("literal", "shape"):
        return 0.1 * torch.randn(size)
    layer = name.removesuffix(".b")
    inputs = shapes(1, dim, 2)[layer][0] * (3 if layer in WINDOWS else 1)
    return torch.empty(size).uniform_(-(inputs**-0.5), inputs**-0.5)
