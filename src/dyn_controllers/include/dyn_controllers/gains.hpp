// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__GAINS_HPP_
#define DYN_CONTROLLERS__GAINS_HPP_

#include <string>

namespace dyn_controllers
{
/// The largest natural frequency, rad/s, that states at a rate in Hz carry.
///
/// The open loop (2 z w s + w^2) / s^2 needs a delay margin of 2.5 periods: dyn_ros/tracking/gains.py.
double most_frequency(double damping_ratio, double rate);

/// Why states at a rate in Hz cannot carry these gains of computed torque; empty: they can.
std::string objection_to_gains(double natural_frequency, double damping_ratio, double rate);
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__GAINS_HPP_
