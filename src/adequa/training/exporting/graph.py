"""A notebook for an ONNX graph: operations and constants are named as they come."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adequa.__about__ import __version__
from adequa.errors import MissingExtra
from adequa.training.exporting.checkpoint import Array

__all__ = ["FUSED", "Graph", "load_onnx"]

FUSED = "com.microsoft"
"""The domain of onnxruntime's own operations, each of which does the work of several."""
_OPSET, _FUSED_OPSET, _FORMAT = 17, 1, 8
"""The oldest that hold all that is used, so that older runtimes read the files too."""


def load_onnx() -> Any:
    """The package that writes ONNX files; running them does not need it."""
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise MissingExtra("train", "onnx") from None


class Graph:
    """Collects operations; each is named by its first output, which the next ones refer to."""

    def __init__(self) -> None:
        self._onnx = load_onnx()
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self._numbers = 0

    def constant(self, name: str, value: Array | np.generic) -> str:
        """An array of the graph, stored once however often it is named."""
        if name not in self._constants:
            array = np.asarray(value, order="C")
            self._constants[name] = self._onnx.numpy_helper.from_array(array, name)
        return name

    def integers(self, *values: int) -> str:
        """A constant list of whole numbers, as shapes and axes are."""
        return self.constant(f"integers:{values}", np.asarray(values, dtype=np.int64))

    def floats(self, value: float) -> str:
        """A constant number."""
        return self.constant(f"float:{value}", np.float32(value))

    def add(
        self,
        operation: str,
        *inputs: str,
        outputs: int = 1,
        domain: str = "",
        name: str | None = None,
        **attributes: Any,
    ) -> str:
        """Append an operation, and say under which name its (first) output is found."""
        self._numbers += 1
        own = name or f"{operation}:{self._numbers}"
        names = [own, *(f"{own}:{number}" for number in range(1, outputs))]
        node = self._onnx.helper.make_node(
            operation, list(inputs), names, name=own, domain=domain, **attributes
        )
        self._nodes.append(node)
        return own

    def cast(self, value: str, kind: str) -> str:
        """A value as another type, by ONNX's name for it."""
        return self.add("Cast", value, to=getattr(self._onnx.TensorProto, kind))

    def finish(
        self,
        name: str,
        inputs: Mapping[str, tuple[str, Sequence[str | int]]],
        outputs: Mapping[str, Sequence[str | int]],
    ) -> bytes:
        """The file: inputs by name with type and shape, outputs (all floats) with their shape."""
        helper, types = self._onnx.helper, self._onnx.TensorProto
        graph = helper.make_graph(
            self._nodes,
            name,
            [
                helper.make_tensor_value_info(one, getattr(types, kind), list(shape))
                for one, (kind, shape) in inputs.items()
            ],
            [
                helper.make_tensor_value_info(one, types.FLOAT, list(shape))
                for one, shape in outputs.items()
            ],
            list(self._constants.values()),
        )
        model = helper.make_model(
            graph,
            opset_imports=[
                helper.make_opsetid("", _OPSET),
                helper.make_opsetid(FUSED, _FUSED_OPSET),
            ],
            ir_version=_FORMAT,
            producer_name="adequa",
            producer_version=__version__,
        )
        return bytes(model.SerializeToString(deterministic=True))
