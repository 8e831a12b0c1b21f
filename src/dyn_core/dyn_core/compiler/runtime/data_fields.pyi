# Written by `make docs` from the declarations of the quantities.

from typing import Final

import numpy as np
from numpy.typing import NDArray

class Fields:
    """The fields of a Data: the arrays of quantities without options."""

    Ag: Final[NDArray[np.float64]]
    """Centroidal momentum matrix, kg, kg m, kg m^2 (world, about the centre of mass frame)."""
    C: Final[NDArray[np.float64]]
    """Coriolis matrix, kg m^2/s, kg m/s, kg/s (joint frame)."""
    D: Final[NDArray[np.float64]]
    """Diagonal factor of M = U D U', kg m^2, kg (joint frame)."""
    Dinv: Final[NDArray[np.float64]]
    """Inverse of D, 1/(kg m^2), 1/kg (joint frame)."""
    Ig: Final[NDArray[np.float64]]
    """Centroidal composite inertia, linear rows first, kg, kg m, kg m^2 (world, about the centre of mass frame)."""
    J: Final[NDArray[np.float64]]
    """Motion subspaces of all joints side by side, m, 1 (world frame)."""
    Jc: Final[NDArray[np.float64]]
    """Jacobian of the constraints, m, 1 (of the constraints frame)."""
    Jcom: Final[NDArray[np.float64]]
    """Jacobian of the centre of mass of the robot or of a subtree, m, 1 (world frame)."""
    M: Final[NDArray[np.float64]]
    """Joint-space mass matrix, both triangles, kg m^2, kg m, kg (joint frame)."""
    Minv: Final[NDArray[np.float64]]
    """Inverse of the joint-space mass matrix, 1/(kg m^2), 1/(kg m), 1/kg (joint frame)."""
    U: Final[NDArray[np.float64]]
    """Unit upper triangular factor of M = U D U', 1, m, 1/m (joint frame)."""
    Yaba: Final[NDArray[np.float64]]
    """Articulated-body inertias, the universe's (zero) first, kg, kg m, kg m^2 (requested frame)."""
    Ycrb: Final[NDArray[np.float64]]
    """Composite inertias of the subtrees, the whole robot's first, kg, kg m, kg m^2 (requested frame)."""
    a: Final[NDArray[np.float64]]
    """Spatial accelerations of the joint frames, the universe's first, m/s^2, rad/s^2 (requested frame)."""
    a_gf: Final[NDArray[np.float64]]
    """Spatial accelerations of the joint frames minus gravity, the universe's first, m/s^2, rad/s^2 (requested frame)."""
    acom: Final[NDArray[np.float64]]
    """Accelerations of the centres of mass of the subtrees, each in the axes of its joint's frame; the whole robot's first, in the world's, m/s^2 (joint frame)."""
    body_inertias: Final[NDArray[np.float64]]
    """Spatial inertias of the bodies; of the universe, zero, kg, kg m, kg m^2 (requested frame)."""
    center_of_mass: Final[NDArray[np.float64]]
    """Centre of mass of the whole robot, m (world frame)."""
    center_of_mass_acceleration: Final[NDArray[np.float64]]
    """Acceleration of the centre of mass of the whole robot, m/s^2 (world frame)."""
    center_of_mass_velocity: Final[NDArray[np.float64]]
    """Velocity of the centre of mass of the whole robot, m/s (world frame)."""
    com: Final[NDArray[np.float64]]
    """Centres of mass of the subtrees, each in its joint's frame; the whole robot's first, in the world's, m (joint frame)."""
    constraint_acceleration: Final[NDArray[np.float64]]
    """Accelerations of the constraints, m/s^2, rad/s^2 (of the constraints frame)."""
    constraint_error: Final[NDArray[np.float64]]
    """Position errors of the constraints, m, rad (of the constraints frame)."""
    constraint_residual: Final[NDArray[np.float64]]
    """Difference of the accelerations of the constraints from their desired values, m/s^2, rad/s^2 (of the constraints frame)."""
    d2tau_dadq: Final[NDArray[np.float64]]
    """[i, j, k]: derivative of M_ij by q_k, kg m^2 (joint frame)."""
    d2tau_dqdq: Final[NDArray[np.float64]]
    """[i, j, k]: derivative of tau_i by q_j, and of that by q_k, N m (joint frame)."""
    d2tau_dqdv: Final[NDArray[np.float64]]
    """[i, j, k]: derivative of tau_i by q_j and v_k, N m s (joint frame)."""
    d2tau_dvdv: Final[NDArray[np.float64]]
    """[i, j, k]: derivative of tau_i by v_j and v_k, N m s^2 (joint frame)."""
    dAg: Final[NDArray[np.float64]]
    """Rate of the centroidal momentum matrix, kg/s, kg m/s, kg m^2/s (world, about the centre of mass frame)."""
    dJ: Final[NDArray[np.float64]]
    """Rates of the motion subspaces of all joints side by side, m/s, 1/s (world frame)."""
    ddq: Final[NDArray[np.float64]]
    """Acceleration, rad/s^2, m/s^2 (joint frame)."""
    ddq_c: Final[NDArray[np.float64]]
    """Acceleration under constraints, rad/s^2, m/s^2 (joint frame)."""
    ddq_c_dq: Final[NDArray[np.float64]]
    """Derivative of ddq_c by q, 1/s^2, m/s^2 (joint frame)."""
    ddq_c_dtau: Final[NDArray[np.float64]]
    """Derivative of ddq_c by tau, 1/kg (joint frame)."""
    ddq_c_dv: Final[NDArray[np.float64]]
    """Derivative of ddq_c by v, 1/s, m/s (joint frame)."""
    ddq_dq: Final[NDArray[np.float64]]
    """Derivative of forward dynamics by q, 1/s^2 (joint frame)."""
    ddq_dtau: Final[NDArray[np.float64]]
    """Derivative of forward dynamics by tau, 1/(kg m^2), 1/(kg m), 1/kg (joint frame)."""
    ddq_dv: Final[NDArray[np.float64]]
    """Derivative of forward dynamics by v, 1/s (joint frame)."""
    ddq_hybrid: Final[NDArray[np.float64]]
    """Acceleration: given or computed, rad/s^2, m/s^2 (joint frame)."""
    ddq_net: Final[NDArray[np.float64]]
    """Acceleration under tau and the efforts that depend on the state, rad/s^2, m/s^2 (joint frame)."""
    ddv_dq0: Final[NDArray[np.float64]]
    """Jacobian of dv by q0, rad, m, 1 (joint frame)."""
    ddv_dq1: Final[NDArray[np.float64]]
    """Jacobian of dv by q1, rad, m, 1 (joint frame)."""
    delassus: Final[NDArray[np.float64]]
    """Delassus matrix of the constraints, J M^-1 J', 1/kg, 1/(kg m), 1/(kg m^2) (of the constraints frame)."""
    delassus_D: Final[NDArray[np.float64]]
    """Diagonal factor of the Delassus matrix, 1/kg, 1/(kg m), 1/(kg m^2) (joint frame)."""
    delassus_L: Final[NDArray[np.float64]]
    """Unit lower triangular factor of the Delassus matrix, 1 (joint frame)."""
    delassus_inverse: Final[NDArray[np.float64]]
    """Inverse of the damped Delassus matrix: operational-space inertia of the constraints, kg, kg m, kg m^2 (of the constraints frame)."""
    dg_dq: Final[NDArray[np.float64]]
    """Derivative of generalized gravity by q, N m/rad, N m/m, N/rad, N/m (joint frame)."""
    dh_dq: Final[NDArray[np.float64]]
    """Derivative of the centroidal momentum by q, kg/s, kg m/s (world, about the centre of mass frame)."""
    dhdot_da: Final[NDArray[np.float64]]
    """Derivative of its rate by a, kg, kg m, kg m^2 (world, about the centre of mass frame)."""
    dhdot_dq: Final[NDArray[np.float64]]
    """Derivative of its rate by q, N/m, N (world, about the centre of mass frame)."""
    dhdot_dv: Final[NDArray[np.float64]]
    """Derivative of its rate by v, kg/s, kg m/s (world, about the centre of mass frame)."""
    dhg: Final[NDArray[np.float64]]
    """Rate of the centroidal momentum, linear part first, N, N m (world, about the centre of mass frame)."""
    dlambda_dq: Final[NDArray[np.float64]]
    """Derivative of lambda_c by q, N, N m (of the constraints frame)."""
    dlambda_dtau: Final[NDArray[np.float64]]
    """Derivative of lambda_c by tau, 1, 1/m, m (of the constraints frame)."""
    dlambda_dv: Final[NDArray[np.float64]]
    """Derivative of lambda_c by v, N s, N m s (of the constraints frame)."""
    doYcrb: Final[NDArray[np.float64]]
    """Rates of the composite inertias of the subtrees, the whole robot's first, kg m/s, kg m^2/s (world frame)."""
    dp: Final[NDArray[np.float64]]
    """Rate of the generalized momentum under known efforts, N m, N (joint frame)."""
    dq_after: Final[NDArray[np.float64]]
    """Velocity after an impact, rad/s, m/s (joint frame)."""
    dq_next_dq: Final[NDArray[np.float64]]
    """Jacobian of q_next by q, rad, m, 1 (joint frame)."""
    dq_next_dv: Final[NDArray[np.float64]]
    """Jacobian of q_next by dv, rad, m, 1 (joint frame)."""
    dtau_da: Final[NDArray[np.float64]]
    """Derivative of inverse dynamics by a, kg m^2, kg m, kg (joint frame)."""
    dtau_dq: Final[NDArray[np.float64]]
    """Derivative of inverse dynamics by q, N m/rad, N m/m, N/rad, N/m (joint frame)."""
    dtau_dv: Final[NDArray[np.float64]]
    """Derivative of inverse dynamics by v, N m s/rad, N m s/m, N s/rad, N s/m (joint frame)."""
    dtau_static_dq: Final[NDArray[np.float64]]
    """Derivative of the static efforts by q, N m/rad, N m/m, N/rad, N/m (joint frame)."""
    dv: Final[NDArray[np.float64]]
    """Difference of configurations, rad, m (joint frame)."""
    dv_base: Final[NDArray[np.float64]]
    """Accelerations of floating bases by their Coriolis forces, with the opposite sign, rad/s^2, m/s^2 (joint frame)."""
    f: Final[NDArray[np.float64]]
    """Forces that joints transmit to the bodies they move; first the force of the robot's base, N, N m (requested frame)."""
    fluid: Final[NDArray[np.float64]]
    """Efforts of the fluid on moving bodies, N m, N (joint frame)."""
    friction: Final[NDArray[np.float64]]
    """Friction efforts of the joints, opposing their motion, N m, N (joint frame)."""
    g: Final[NDArray[np.float64]]
    """Generalized gravity, N m, N (joint frame)."""
    gravity_compensation: Final[NDArray[np.float64]]
    """Efforts of devices that carry the weights of bodies, N m, N (joint frame)."""
    h: Final[NDArray[np.float64]]
    """Momenta of the bodies, the universe's first, kg m/s, kg m^2/s (requested frame)."""
    hg: Final[NDArray[np.float64]]
    """Centroidal momentum, linear part first, kg m/s, kg m^2/s (world, about the centre of mass frame)."""
    impulse_c: Final[NDArray[np.float64]]
    """Impulses of the constraints, N s, N m s (of the constraints frame)."""
    jointTorqueRegressor: Final[NDArray[np.float64]]
    """Regressor of the efforts of inverse dynamics, ten columns for each body, N m, N per unit of each parameter (joint frame)."""
    kinematic_hessians: Final[NDArray[np.float64]]
    """Derivatives of the motion subspaces of all joints: (:, j, k) is that of column j by q_k, m, 1 (world frame)."""
    kineticEnergyRegressor: Final[NDArray[np.float64]]
    """Regressor of the kinetic energy, ten entries for each body, J per unit of each parameter (any frame)."""
    kinetic_energy: Final[NDArray[np.float64]]
    """Kinetic energy, J (world frame)."""
    lambda_c: Final[NDArray[np.float64]]
    """Forces of the constraints, N, N m (of the constraints frame)."""
    liMi: Final[NDArray[np.float64]]
    """Placements of the joints in their parents as homogeneous matrices, the universe's first, 1, m (parent joint's frame)."""
    mass: Final[NDArray[np.float64]]
    """Masses of the subtrees, the whole robot's first, kg (any frame)."""
    mechanical_energy: Final[NDArray[np.float64]]
    """Kinetic energy and potential energy in the field of gravity, J (world frame)."""
    nle: Final[NDArray[np.float64]]
    """Coriolis, centrifugal and gravity efforts, N m, N (joint frame)."""
    oMf: Final[NDArray[np.float64]]
    """Placements of frames as homogeneous matrices, in the order of the model or of the request, 1, m (world frame)."""
    oMi: Final[NDArray[np.float64]]
    """Placements of the joints as homogeneous matrices, the universe's first, 1, m (world frame)."""
    p: Final[NDArray[np.float64]]
    """Generalized momentum, kg m^2/s, kg m/s (joint frame)."""
    passive: Final[NDArray[np.float64]]
    """Efforts of springs, friction, lifts, fluid and tendons, N m, N (joint frame)."""
    potentialEnergyRegressor: Final[NDArray[np.float64]]
    """Regressor of the potential energy, ten entries for each body, J per unit of each parameter (world frame)."""
    potential_energy: Final[NDArray[np.float64]]
    """Potential energy in the field of gravity, zero where the centre of mass is at the origin, J (world frame)."""
    product: Final[NDArray[np.float64]]
    """Product of the mass matrix or a factor of it with a vector, N m, N (joint frame)."""
    q_drifted: Final[NDArray[np.float64]]
    """Configuration after a step without external forces, rad, m, 1 (joint frame)."""
    q_next: Final[NDArray[np.float64]]
    """Integrated configuration, rad, m, 1 (joint frame)."""
    q_stepped: Final[NDArray[np.float64]]
    """Configuration after a step, rad, m, 1 (joint frame)."""
    solution: Final[NDArray[np.float64]]
    """Solution of a system with the mass matrix or a factor of it, rad/s^2, m/s^2 (joint frame)."""
    spring: Final[NDArray[np.float64]]
    """Spring efforts of the joints, N m, N (joint frame)."""
    spring_energy: Final[NDArray[np.float64]]
    """Energy in the springs of the joints, J (joint frame)."""
    staticRegressor: Final[NDArray[np.float64]]
    """Regressor of the centre of mass: four columns (m, m c) for each body, 1/kg, m/kg (world frame)."""
    static_torque: Final[NDArray[np.float64]]
    """Efforts that hold the robot at rest, N m, N (joint frame)."""
    tangent_map: Final[NDArray[np.float64]]
    """Rates of the coordinates per velocity, rad, m, 1 (joint frame)."""
    tau: Final[NDArray[np.float64]]
    """Efforts of inverse dynamics, N m, N (joint frame)."""
    tau_hybrid: Final[NDArray[np.float64]]
    """Joint effort: given or computed, N m, N (joint frame)."""
    tau_tracking: Final[NDArray[np.float64]]
    """Efforts for an acceleration; friction and other efforts are those at the desired velocity, N m, N (joint frame)."""
    tendon: Final[NDArray[np.float64]]
    """Efforts of springs and losses of tendons, N m, N (joint frame)."""
    tendon_energy: Final[NDArray[np.float64]]
    """Energy in the springs of tendons, J (joint frame)."""
    v: Final[NDArray[np.float64]]
    """Spatial velocities of the joint frames, the universe's first, m/s, rad/s (requested frame)."""
    v_carried: Final[NDArray[np.float64]]
    """Velocity at another configuration, of the same momenta of floating bases, rad/s, m/s (joint frame)."""
    v_drifted: Final[NDArray[np.float64]]
    """Velocity after a step without external forces, rad/s, m/s (joint frame)."""
    v_stepped: Final[NDArray[np.float64]]
    """Velocity after a step, rad/s, m/s (joint frame)."""
    vcom: Final[NDArray[np.float64]]
    """Velocities of the centres of mass of the subtrees, each in the axes of its joint's frame; the whole robot's first, in the world's, m/s (joint frame)."""
