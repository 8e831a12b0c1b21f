# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Learns the masses of an arm's links from recorded torques, by gradient descent in JAX.

The recording is simulated: a UR5 whose links differ from the description by -30 to 40 %, with noise
of 0.01 N m. Inertial parameters are an input of inverse dynamics, so JAX differentiates by them.

    pip install './src/dyn_core[jax]'; python examples/learn_masses.py
"""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import dyn_core.jax
from dyn_core import Model

ARM = Path(__file__).parents[1] / "src/dyn_ros/config/robots/ur5.urdf"
TRUE = np.array([0.9, 1.4, 0.8, 1.2, 0.7, 1.3])
"""Masses of the six moving links, as shares of the described ones."""


def recorded(model: Model, samples: int = 500) -> tuple[jax.Array, ...]:
    """Positions, velocities, accelerations and torques of the other arm."""
    random = np.random.default_rng(0)
    q, v, a = (random.uniform(-x, x, (samples, model.nv)) for x in (np.pi, 2.0, 5.0))
    inertial = np.array([body.parameters for body in model.inertias])
    inertial[1:] *= TRUE[:, None]
    rows = np.broadcast_to(inertial, (samples, *inertial.shape)).copy()
    compute = dyn_core.compile(model, ["rnea"], ["inertial_parameters"])
    tau = compute.batch(q, v, a, rows) + random.normal(scale=0.01, size=(samples, model.nv))
    return tuple(map(jnp.asarray, (q, v, a, tau)))


def learned(model: Model, steps: int = 500, rate: float = 0.05) -> np.ndarray:
    """The shares that explain the recording best."""
    q, v, a, tau = recorded(model)
    inertial = jnp.asarray([body.parameters for body in model.inertias])
    rnea = dyn_core.jax.function(model, "rnea", ["inertial_parameters"])

    @jax.jit
    @jax.value_and_grad
    def loss(logarithms: jax.Array) -> jax.Array:
        """Mean squared error of the torques; masses stay positive."""
        shares = jnp.concatenate([jnp.ones(1), jnp.exp(logarithms)])
        return jnp.mean((rnea(q, v, a, shares[:, None] * inertial) - tau) ** 2)

    x, mean, square = jnp.zeros(len(TRUE)), 0.0, 0.0
    for step in range(1, steps + 1):  # Adam (Kingma and Ba 2015)
        value, slope = loss(x)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        away = mean / (1.0 - 0.9**step)
        x = x - rate * away / (jnp.sqrt(square / (1.0 - 0.99**step)) + 1e-9)
        if step in (1, 100, steps):
            print(f"step {step:3}: torques are {float(jnp.sqrt(value)):.3f} N m off")
    return np.exp(np.array(x))


def main() -> None:
    """Learn, and compare with the arm that was simulated."""
    jax.config.update("jax_enable_x64", True)
    for name, found, true in zip(
        (model := Model.from_urdf(ARM)).names[1:], learned(model), TRUE, strict=True
    ):
        print(f"{name:20} {found:.3f} of the described mass; simulated: {true}")


if __name__ == "__main__":
    main()
