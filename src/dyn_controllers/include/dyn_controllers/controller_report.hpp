// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__CONTROLLER_REPORT_HPP_
#define DYN_CONTROLLERS__CONTROLLER_REPORT_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "dyn_controllers/effort_policy.hpp"
#include "dyn_msgs/msg/joint_efforts.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "realtime_tools/realtime_publisher.hpp"
#include "realtime_tools/realtime_thread_safe_box.hpp"

namespace dyn_controllers
{
/// Publishes what a controller does: efforts on ~/state, and diagnostics once a second.
class ControllerReport
{
public:
  /// What a cycle reports; counts are those since activation.
  struct Cycle
  {
    std::uint64_t cycles = 0, invalid = 0, saturated = 0;
    EffortPolicy::Phase phase = EffortPolicy::Phase::waiting;
    const char * fault = "";  ///< why it is held, damped or stopped
  };
  /// Values of diagnostics by key that change at configure only, or on a request.
  using Details = std::function<std::vector<std::pair<std::string, std::string>>()>;

  /// \param terms what the efforts contain, as dyn_msgs/JointEfforts says it
  /// \param rate Hz of ~/state
  ControllerReport(
    const rclcpp_lifecycle::LifecycleNode::SharedPtr & node,
    const std::vector<std::string> & joints, std::uint8_t terms, double rate, Details details);

  /// Begin. What is published while this is destroyed keeps it until then.
  static void open(const std::shared_ptr<ControllerReport> & self);

  /// Report one cycle. Never waits and allocates nothing.
  void update(const rclcpp::Time & time, const Cycle & cycle, const std::vector<double> & efforts);

private:
  using JointEfforts = dyn_msgs::msg::JointEfforts;
  using DiagnosticArray = diagnostic_msgs::msg::DiagnosticArray;

  void diagnose();

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  Details details_;
  double period_;
  double published_ = 0.0;  ///< s, when ~/state was
  JointEfforts message_;
  std::unique_ptr<realtime_tools::RealtimePublisher<JointEfforts>> state_;
  realtime_tools::RealtimeThreadSafeBox<Cycle> box_;
  Cycle reported_;
  rclcpp::Publisher<DiagnosticArray>::SharedPtr diagnostics_;
  rclcpp::TimerBase::SharedPtr timer_;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__CONTROLLER_REPORT_HPP_
