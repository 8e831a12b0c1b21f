// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__EFFORT_REFERENCE_HPP_
#define DYN_CONTROLLERS__EFFORT_REFERENCE_HPP_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "dyn_msgs/msg/joint_efforts.hpp"
#include "realtime_tools/realtime_thread_safe_box.hpp"

namespace dyn_controllers
{
/// Efforts of ~/reference, which name their joints.
class EffortReference
{
public:
  using JointEfforts = dyn_msgs::msg::JointEfforts;

  /// \param joints that are commanded
  /// \param terms that the controller or the hardware adds, as dyn_msgs/JointEfforts says it
  EffortReference(const std::vector<std::string> & joints, std::uint8_t terms);

  /// Keep the efforts of a message; joints that it does not name get zero.
  /// \return why it is refused, in words; empty: it is kept
  std::string receive(const JointEfforts & message);

  /// Efforts of the newest message, zero once it is older than `timeout`. Allocates nothing.
  /// \param dt s since the last call
  const std::vector<double> & efforts(double dt, double timeout);

  /// Use nothing of what has come until now. Allocates nothing.
  void forget() { (void)efforts(std::numeric_limits<double>::infinity(), 0.0); }

private:
  struct Received
  {
    std::vector<double> effort;  ///< of the commanded joints
    std::uint64_t count = 0;     ///< of messages
  };

  const std::vector<std::string> joints_;
  const std::uint8_t terms_;
  Received received_, used_;  ///< by the subscription, in the cycle
  double age_ = 0.0;          ///< s since the newest message was taken into the cycle
  realtime_tools::RealtimeThreadSafeBox<Received> box_;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__EFFORT_REFERENCE_HPP_
