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
#include "realtime_tools/realtime_thread_safe_box.hpp"

namespace dyn_controllers
{
/// Publishes what a controller does: efforts on ~/state, and diagnostics once a second. A timer does
/// it: to wake another thread takes longer than the rest of a cycle.
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
  ControllerReport(
    const rclcpp_lifecycle::LifecycleNode::SharedPtr & node,
    const std::vector<std::string> & joints, std::uint8_t terms, Details details);

  /// Begin. What is published while this is destroyed keeps it until then.
  static void open(const std::shared_ptr<ControllerReport> & self);

  /// Report one cycle. Never waits and allocates nothing.
  void update(const rclcpp::Time & time, const Cycle & cycle, const std::vector<double> & efforts);

private:
  using JointEfforts = dyn_msgs::msg::JointEfforts;
  using DiagnosticArray = diagnostic_msgs::msg::DiagnosticArray;

  struct Newest
  {
    Cycle cycle;
    std::int64_t time = 0;  ///< ns
    std::vector<double> efforts;
  };

  void publish();
  void diagnose(const Cycle & now);

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  Details details_;
  JointEfforts message_;
  realtime_tools::RealtimeThreadSafeBox<Newest> box_;
  Cycle reported_;
  rclcpp::Publisher<JointEfforts>::SharedPtr state_;
  rclcpp::Publisher<DiagnosticArray>::SharedPtr diagnostics_;
  rclcpp::TimerBase::SharedPtr timer_;
  int ticks_ = 0;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__CONTROLLER_REPORT_HPP_
