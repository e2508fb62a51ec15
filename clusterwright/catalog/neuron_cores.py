"""NeuronCores of a chip, by the name of the accelerator.

AWS Neuron documentation, Trn1 architecture and Trainium2 architecture.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

CORES_OF_CHIP: Final = MappingProxyType({"Trn1": 2, "Trn2": 8})
