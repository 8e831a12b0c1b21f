// Copyright The maintainers. SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_HPP_
#define REPORT_HPP_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "diagnostic_msgs/msg/diagnostic_array.hpp"
#include "dyn_controllers/effort_policy.hpp"
#include "dyn_msgs/msg/joint_efforts.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "realtime_tools/realtime_publisher.hpp"
#include "surroundings.hpp"

namespace dyn_controllers
{
/// Tells what a controller does: efforts on ~/state, and diagnostics once a second.
class Report
{
public:
  /// \param terms what the efforts contain, as dyn_msgs/JointEfforts says it
  /// \param rate Hz of ~/state
  Report(
    const rclcpp_lifecycle::LifecycleNode::SharedPtr & node,
    const std::vector<std::string> & joints, std::uint8_t terms, double rate,
    const Surroundings & surroundings);

  /// Add one cycle. Never waits and allocates nothing.
  /// \param duration of update(), s
  /// \param in_kernel part of it, s
  void add(
    const rclcpp::Time & time, const EffortPolicy & policy, double duration, double in_kernel);

private:
  using JointEfforts = dyn_msgs::msg::JointEfforts;
  using DiagnosticArray = diagnostic_msgs::msg::DiagnosticArray;

  void diagnose();

  /// Since the diagnostics before; written by the cycle, taken by the timer.
  struct Counts
  {
    std::atomic<std::uint64_t> cycles{0}, saturated{0}, bad{0};
    std::atomic<double> duration{0.0}, longest{0.0}, in_kernel{0.0};
    std::atomic<int> phase{0};
  };

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  const Surroundings & surroundings_;
  Counts counts_;
  JointEfforts message_;
  std::int64_t interval_, last_ = 0;  ///< of ~/state, ns
  std::unique_ptr<realtime_tools::RealtimePublisher<JointEfforts>> state_;
  rclcpp::Publisher<DiagnosticArray>::SharedPtr diagnostics_;
  rclcpp::TimerBase::SharedPtr timer_;
};
}  // namespace dyn_controllers

#endif  // REPORT_HPP_
