// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__BEGINNING_HPP_
#define DYN_CONTROLLERS__BEGINNING_HPP_

#include <string>
#include <vector>

namespace dyn_controllers
{
/// What is known of the joints when commands begin, N m or N.
struct Beginning
{
  std::vector<std::string> joints;
  std::vector<double> gravity;    ///< that the model needs at rest
  std::vector<double> limit;      ///< of the description, which may be infinite
  std::vector<double> available;  ///< the part of the limit that commands may have
  std::vector<double> friction;   ///< dry friction of the description
  std::vector<double> measured;   ///< efforts of the motors; empty, or NaN: unknown
  bool is_total = false;          ///< whether measured efforts are declared to contain gravity
  bool compensates = false;       ///< whether the hardware adds gravity
  bool resting = false;           ///< whether all joints are known to rest
  bool is_first = true;           ///< whether no command has been sent before
  bool follows = false;           ///< whether motors are commanded, so that no brake holds the arm
};

/// Why commands must not begin, in words; empty: they may.
///
/// Motors that hold a resting arm show its weight: efforts that disagree with the model's mean a
/// wrong model, payload, gravity or unit. It is `first_command` of dyn_ros/safety/beginning.py.
std::string objection_to_beginning(const Beginning & beginning);

/// Why a limit of the effort's rate brakes an arm too late, in words; empty: it does not.
std::string objection_to_rate(const std::string & joint, double limit, double rate);
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__BEGINNING_HPP_
