# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification of inertial parameters, friction and rotors from recordings of a moving robot.

::

    parameters = Parameters(model)
    motion = excitation(BaseParameters.of(parameters))      # what to play
    found = identify(parameters, ["recording.mcap"], cutoff=5.0)
    write_urdf(found.model, "robot.urdf", "identified.urdf")

Efforts are linear in base parameters (Khalil and Dombre 2002, chapter 12). The estimate is a least
squares fit of the regressor at filtered states, which also finds the delay of the recorded efforts.
The result is the nearest set of physically consistent parameters.
"""

from dyn_core.identification.actuators import Actuator, identify_actuators
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.excitation import Excitation, condition, excitation
from dyn_core.identification.friction_sweeps import (
    JointFriction,
    friction_of_sweeps,
    planned_sweeps,
)
from dyn_core.identification.identify import Identification, identify, read_samples
from dyn_core.identification.log_layout import DEGREE, Log
from dyn_core.identification.parameters import DRIVE, Parameters, with_drives
from dyn_core.identification.payload_identification import IdentifiedPayload, identify_payload
from dyn_core.identification.physical_consistency import Hull, Knowledge, consistent, hulls_of
from dyn_core.identification.prior import Prior
from dyn_core.identification.recording_files import read_recording, write_recording
from dyn_core.identification.regression import Estimate, Evidence, estimate, residual, robust
from dyn_core.identification.regularization import chosen_weight
from dyn_core.identification.result_tables import drive_table, link_table, parameter_table, plain
from dyn_core.identification.samples import Recording, Samples, prepared
from dyn_core.identification.self_collision import SelfCollision, self_collision
from dyn_core.identification.urdf_writer import write_urdf

__all__ = [
    "DEGREE",
    "DRIVE",
    "Actuator",
    "BaseParameters",
    "Estimate",
    "Evidence",
    "Excitation",
    "Hull",
    "Identification",
    "IdentifiedPayload",
    "JointFriction",
    "Knowledge",
    "Log",
    "Parameters",
    "Prior",
    "Recording",
    "Samples",
    "SelfCollision",
    "chosen_weight",
    "condition",
    "consistent",
    "drive_table",
    "estimate",
    "excitation",
    "friction_of_sweeps",
    "hulls_of",
    "identify",
    "identify_actuators",
    "identify_payload",
    "link_table",
    "parameter_table",
    "plain",
    "planned_sweeps",
    "prepared",
    "read_recording",
    "read_samples",
    "residual",
    "robust",
    "self_collision",
    "with_drives",
    "write_recording",
    "write_urdf",
]
