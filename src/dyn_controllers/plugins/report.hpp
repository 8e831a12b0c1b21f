// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
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
#include "surroundings.hpp"

namespace dyn_controllers
{
/// Tells what a controller does: efforts on ~/state, and diagnostics once a second.
///
/// Timers of the node publish; the cycle only leaves numbers for them, without locks.
class Report
{
public:
  /// \param terms what the efforts contain, as dyn_msgs/JointEfforts says it
  Report(
    const rclcpp_lifecycle::LifecycleNode::SharedPtr & node,
    const std::vector<std::string> & joints, std::uint8_t terms,
    std::shared_ptr<const Surroundings> surroundings);

  /// Begin. What is published while this is destroyed keeps it until then.
  /// \param rate Hz of ~/state
  static void open(const std::shared_ptr<Report> & self, double rate);

  /// Whether the next cycle shall say how long it took: one of 16, for clocks take long themselves.
  bool wants_times() const;

  /// Add one cycle. Never waits and allocates nothing.
  void add(const rclcpp::Time & time, const EffortPolicy & policy);

  /// Add times of one cycle: of update(), and of the model in it, s.
  void add_times(double duration, double in_model);

private:
  using JointEfforts = dyn_msgs::msg::JointEfforts;
  using DiagnosticArray = diagnostic_msgs::msg::DiagnosticArray;

  void publish_state();
  void diagnose();

  /// Since the diagnostics before; written by the cycle, taken by a timer.
  struct Counts
  {
    std::atomic<std::uint64_t> cycles{0}, saturated{0}, bad{0}, timed{0};
    std::atomic<double> duration{0.0}, in_model{0.0};
    std::atomic<int> phase{0};
  };

  /// What was commanded last. While it is written, `version` is odd; 0: nothing yet.
  struct Commanded
  {
    std::atomic<std::uint64_t> version{0};
    std::atomic<std::int64_t> stamp{0};
    std::vector<std::atomic<double>> efforts;
  };

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  std::shared_ptr<const Surroundings> surroundings_;
  Counts counts_;
  Commanded commanded_;
  std::uint64_t published_ = 0;  ///< its version
  JointEfforts message_;
  rclcpp::Publisher<JointEfforts>::SharedPtr state_;
  rclcpp::Publisher<DiagnosticArray>::SharedPtr diagnostics_;
  std::vector<rclcpp::TimerBase::SharedPtr> timers_;
};
}  // namespace dyn_controllers

#endif  // REPORT_HPP_
