"""NeuronCores of a chip, by the name of the accelerator.

AWS Neuron documentation, Trn1 architecture and Trainium2 architecture; of logical cores,
NCCOM-TEST User Guide, NEURON_LOGICAL_NC_CONFIG.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

CORES_OF_CHIP: Final = MappingProxyType({"Trn1": 2, "Trn2": 8})

LOGICAL_CORES_OF_CHIP: Final = MappingProxyType({"Trn1": 2, "Trn2": 4})
"""What a rank runs on: by default two cores of Trainium2 are one."""
