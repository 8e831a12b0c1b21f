# Written by `make docs` from the declarations of the quantities.

import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from dyn_core.model.frame import FrameType
from dyn_core.model.model import FloatArray
from dyn_core.model.model import Model as _Model
from dyn_core.model.tree_joint import Bound
from dyn_core.spatial import SE3, Inertia
from dyn_core import serialize
from dyn_core.algorithms import QUANTITIES
from dyn_core.algorithms.contact import Contact
from dyn_core.configuration import (
    distance,
    interpolate,
    is_normalized,
    is_same_configuration,
    neutral,
    normalize,
    random_configuration,
    transport,
)
from dyn_core.editing import ModelGraph
from dyn_core.errors import ModelError
from dyn_core.execution import Data, Kernel, compile
from dyn_core.model import Coupling, Loop, ModelBuilder
from dyn_core.quantities import Output, Quantity, Request
from dyn_core.quantities.optional_inputs import payload, wrench
from dyn_core.quantities.options import LOCAL, LOCAL_WORLD_ALIGNED, WORLD, Reference
from dyn_core.quantities.quantity import quantity
from dyn_core.version import __version__


class Model(_Model):
    @staticmethod
    def from_urdf(source: str | os.PathLike[str], root_joint: str | None = None, mimic: bool = True, massless: bool = False, xacro_args: Mapping[str, str] | None = None, keep: Collection[str] = (), ignore: Collection[str] = ()) -> Model: ...
    @staticmethod
    def from_mjcf(source: str | os.PathLike[str], mimic: bool = True, massless: bool = False, ignore: Collection[str] = ()) -> Model: ...
    def with_srdf(model: Model, source: str | os.PathLike[str], rotors: bool = True) -> Model: ...
    def reduced(model: Model, lock: Iterable[str], q: FloatArray) -> Model: ...
    def append(model: Model, other: Model, frame: str, placement: SE3 | None = None) -> Model: ...
    def with_inertia(model: Model, body: str, inertia: Inertia | None = None, *, mass: float | None = None, com: Sequence[float] | None = None, at_com: Sequence[Sequence[float]] | None = None) -> Model: ...
    def with_placement(model: Model, joint: str, placement: SE3) -> Model: ...
    def with_limits(model: Model, joint: str, *, lower: Bound | None = None, upper: Bound | None = None, velocity: Bound | None = None, effort: Bound | None = None, acceleration: Bound | None = None, jerk: Bound | None = None) -> Model: ...
    def with_friction(model: Model, joint: str, *, damping: Bound | None = None, friction: Bound | None = None, stiction: Bound | None = None, stribeck_velocity: Bound | None = None) -> Model: ...
    def with_spring(model: Model, joint: str, stiffness: Bound | None = None, rest: Bound | None = None) -> Model: ...
    def with_payload(model: Model, frame: str, mass: float, com: Sequence[float] = (0.0, 0.0, 0.0), inertia: Sequence[Sequence[float]] | None = None) -> Model: ...
    def with_frame(model: Model, name: str, frame: str, placement: SE3, kind: FrameType = FrameType.OPERATIONAL) -> Model: ...
    def with_loop(model: Model, frame1: str, frame2: str, kind: int = 6, kp: float = 0.0, kd: float = 0.0) -> Model: ...
    def with_coupling(model: Model, coupling: Coupling) -> Model: ...
    def with_gravity(model: Model, gravity: Sequence[float]) -> Model: ...
    def with_rotor(model: Model, joint: str, inertia: float, gear_ratio: float = 1.0) -> Model: ...
    def create_data(model: Model) -> Data: ...

aba: Quantity
aba_derivatives: Quantity
articulated_inertias: Quantity
body_inertias: Quantity
body_momenta: Quantity
center_of_mass: Quantity
center_of_mass_acceleration: Quantity
center_of_mass_jacobian: Quantity
center_of_mass_velocity: Quantity
centroidal_dynamics_derivatives: Quantity
centroidal_inertia: Quantity
centroidal_map: Quantity
centroidal_map_time_variation: Quantity
centroidal_momentum: Quantity
centroidal_momentum_rate: Quantity
cholesky: Quantity
cholesky_product: Quantity
cholesky_solve: Quantity
constrained_dynamics_derivatives: Quantity
constrained_forward_dynamics: Quantity
constraint_acceleration: Quantity
constraint_error: Quantity
constraint_jacobian: Quantity
constraint_residual: Quantity
coriolis_matrix: Quantity
crba: Quantity
d_difference: Quantity
d_integrate: Quantity
delassus: Quantity
delassus_factorization: Quantity
delassus_inverse: Quantity
derivative: Quantity
difference: Quantity
explicit_step: Quantity
felt_accelerations: Quantity
fluid_efforts: Quantity
forward_kinematics: Quantity
frame_acceleration: Quantity
frame_acceleration_derivatives: Quantity
frame_body_regressor: Quantity
frame_jacobian: Quantity
frame_jacobian_time_variation: Quantity
frame_kinematic_hessian: Quantity
frame_kinematic_regressor: Quantity
frame_placement: Quantity
frame_placements: Quantity
frame_velocity: Quantity
frame_velocity_derivatives: Quantity
friction_efforts: Quantity
generalized_gravity: Quantity
generalized_gravity_derivatives: Quantity
gravity_compensation: Quantity
impulse_dynamics: Quantity
integrate: Quantity
inverse_operational_space_inertia: Quantity
joint_accelerations: Quantity
joint_body_regressor: Quantity
joint_forces: Quantity
joint_jacobian: Quantity
joint_jacobian_time_variation: Quantity
joint_jacobians: Quantity
joint_jacobians_time_variation: Quantity
joint_kinematic_hessian: Quantity
joint_kinematic_hessians: Quantity
joint_kinematic_regressor: Quantity
joint_torque_regressor: Quantity
joint_velocities: Quantity
kinetic_energy: Quantity
kinetic_energy_regressor: Quantity
mechanical_energy: Quantity
minverse: Quantity
net_forward_dynamics: Quantity
nonlinear_effects: Quantity
operational_space_inertia: Quantity
passive_efforts: Quantity
potential_energy: Quantity
potential_energy_regressor: Quantity
relative_placements: Quantity
rnea: Quantity
rnea_derivatives: Quantity
rnea_second_derivatives: Quantity
spring_efforts: Quantity
spring_energy: Quantity
static_regressor: Quantity
static_torque: Quantity
static_torque_derivatives: Quantity
subtree_center_of_mass_accelerations: Quantity
subtree_center_of_mass_velocities: Quantity
subtree_centers_of_mass: Quantity
subtree_inertia_rates: Quantity
subtree_inertias: Quantity
subtree_masses: Quantity
tangent_map: Quantity
tendon_efforts: Quantity
tendon_energy: Quantity
tracking_efforts: Quantity

__all__ = [
    "LOCAL",
    "LOCAL_WORLD_ALIGNED",
    "QUANTITIES",
    "WORLD",
    "Contact",
    "Coupling",
    "Data",
    "Kernel",
    "Loop",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ModelGraph",
    "Output",
    "Quantity",
    "Reference",
    "Request",
    "__version__",
    "compile",
    "distance",
    "interpolate",
    "is_normalized",
    "is_same_configuration",
    "neutral",
    "normalize",
    "payload",
    "quantity",
    "random_configuration",
    "serialize",
    "transport",
    "wrench",
    "aba",
    "aba_derivatives",
    "articulated_inertias",
    "body_inertias",
    "body_momenta",
    "center_of_mass",
    "center_of_mass_acceleration",
    "center_of_mass_jacobian",
    "center_of_mass_velocity",
    "centroidal_dynamics_derivatives",
    "centroidal_inertia",
    "centroidal_map",
    "centroidal_map_time_variation",
    "centroidal_momentum",
    "centroidal_momentum_rate",
    "cholesky",
    "cholesky_product",
    "cholesky_solve",
    "constrained_dynamics_derivatives",
    "constrained_forward_dynamics",
    "constraint_acceleration",
    "constraint_error",
    "constraint_jacobian",
    "constraint_residual",
    "coriolis_matrix",
    "crba",
    "d_difference",
    "d_integrate",
    "delassus",
    "delassus_factorization",
    "delassus_inverse",
    "derivative",
    "difference",
    "explicit_step",
    "felt_accelerations",
    "fluid_efforts",
    "forward_kinematics",
    "frame_acceleration",
    "frame_acceleration_derivatives",
    "frame_body_regressor",
    "frame_jacobian",
    "frame_jacobian_time_variation",
    "frame_kinematic_hessian",
    "frame_kinematic_regressor",
    "frame_placement",
    "frame_placements",
    "frame_velocity",
    "frame_velocity_derivatives",
    "friction_efforts",
    "generalized_gravity",
    "generalized_gravity_derivatives",
    "gravity_compensation",
    "impulse_dynamics",
    "integrate",
    "inverse_operational_space_inertia",
    "joint_accelerations",
    "joint_body_regressor",
    "joint_forces",
    "joint_jacobian",
    "joint_jacobian_time_variation",
    "joint_jacobians",
    "joint_jacobians_time_variation",
    "joint_kinematic_hessian",
    "joint_kinematic_hessians",
    "joint_kinematic_regressor",
    "joint_torque_regressor",
    "joint_velocities",
    "kinetic_energy",
    "kinetic_energy_regressor",
    "mechanical_energy",
    "minverse",
    "net_forward_dynamics",
    "nonlinear_effects",
    "operational_space_inertia",
    "passive_efforts",
    "potential_energy",
    "potential_energy_regressor",
    "relative_placements",
    "rnea",
    "rnea_derivatives",
    "rnea_second_derivatives",
    "spring_efforts",
    "spring_energy",
    "static_regressor",
    "static_torque",
    "static_torque_derivatives",
    "subtree_center_of_mass_accelerations",
    "subtree_center_of_mass_velocities",
    "subtree_centers_of_mass",
    "subtree_inertia_rates",
    "subtree_inertias",
    "subtree_masses",
    "tangent_map",
    "tendon_efforts",
    "tendon_energy",
    "tracking_efforts",
]
