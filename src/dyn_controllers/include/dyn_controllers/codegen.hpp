// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__CODEGEN_HPP_
#define DYN_CONTROLLERS__CODEGEN_HPP_

#include <string>
#include <vector>

#include "dyn_controllers/object.hpp"

namespace dyn_controllers
{
/// Argument of friction_efforts: rad/s or m/s below which Coulomb friction fades.
constexpr char FRICTION_SMOOTHING[] = "(smoothing=0.01)";

/// s after which a process that makes an object is killed.
constexpr double CODEGEN_TIMEOUT_S = 60.0;

/// Load an object, or let `dyn-core codegen` make one in a process of its own.
///
/// \param kernel path of the object; empty: it is made
/// \param command words of the command that makes it, usually `dyn-core`
/// \param description text of the robot's description
/// \param functions as of its option --functions
/// \param inputs as of its option --inputs
/// \param timeout s after which the process is killed
/// \throws std::runtime_error both are empty, or the command does not exist, fails or takes too
///   long; the message has its output. Also what Object::load throws.
Object load_or_generate(
  const std::string & kernel, const std::vector<std::string> & command,
  const std::string & description, const std::string & functions, const std::string & inputs,
  double timeout = CODEGEN_TIMEOUT_S);
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__CODEGEN_HPP_
