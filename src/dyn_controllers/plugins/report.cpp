// Copyright The maintainers. SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace dyn_controllers
{
namespace
{
const char * const PHASES[] = {"follow", "hold", "damp", "error"};

std::string microseconds(double seconds)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds * 1e6);
  return text;
}

/// Only the cycle adds, so no other addition can come between.
template <typename T>
void add_to(std::atomic<T> & sum, T x)
{
  sum.store(sum.load(std::memory_order_relaxed) + x, std::memory_order_relaxed);
}
}  // namespace

Report::Report(
  const rclcpp_lifecycle::LifecycleNode::SharedPtr & node, const std::vector<std::string> & joints,
  std::uint8_t terms, double rate, const Surroundings & surroundings)
: node_(node), surroundings_(surroundings), interval_(static_cast<std::int64_t>(1e9 / rate))
{
  message_.joint_names = joints;
  message_.effort.assign(joints.size(), 0.0);
  message_.terms = terms;
  // Plain publishers: those of a lifecycle node are silent until it is active.
  state_ = std::make_unique<realtime_tools::RealtimePublisher<JointEfforts>>(
    rclcpp::create_publisher<JointEfforts>(node, "~/state", rclcpp::SystemDefaultsQoS()));
  state_->try_publish(message_);  // what it keeps has its size now
  diagnostics_ = rclcpp::create_publisher<DiagnosticArray>(node, "/diagnostics", 10);
  timer_ = node->create_wall_timer(std::chrono::seconds(1), [this] { diagnose(); });
}

void Report::add(
  const rclcpp::Time & time, const EffortPolicy & policy, double duration, double in_kernel)
{
  add_to<std::uint64_t>(counts_.cycles, 1);
  add_to<std::uint64_t>(counts_.saturated, policy.saturated() > 0);
  add_to<std::uint64_t>(counts_.bad, policy.phase() != EffortPolicy::Phase::follow);
  add_to(counts_.duration, duration);
  add_to(counts_.in_kernel, in_kernel);
  counts_.longest.store(std::max(counts_.longest.load(), duration), std::memory_order_relaxed);
  counts_.phase.store(static_cast<int>(policy.phase()), std::memory_order_relaxed);
  const auto now = time.nanoseconds();
  if (now >= last_ && now - last_ < interval_) return;
  last_ = now;
  message_.header.stamp.sec = static_cast<std::int32_t>(now / 1000000000);
  message_.header.stamp.nanosec = static_cast<std::uint32_t>(now % 1000000000);
  std::copy(policy.efforts().begin(), policy.efforts().end(), message_.effort.begin());
  state_->try_publish(message_);
}

void Report::diagnose()
{
  using Status = diagnostic_msgs::msg::DiagnosticStatus;
  const auto cycles = counts_.cycles.exchange(0);
  const auto bad = counts_.bad.exchange(0), saturated = counts_.saturated.exchange(0);
  const double duration = counts_.duration.exchange(0.0), kernel = counts_.in_kernel.exchange(0.0);
  const double longest = counts_.longest.exchange(0.0);
  const auto n = static_cast<double>(std::max<std::uint64_t>(cycles, 1));
  DiagnosticArray array;
  array.header.stamp = node_->now();
  Status status;
  status.name = node_->get_fully_qualified_name();
  status.level = bad ? Status::ERROR : saturated ? Status::WARN : Status::OK;
  status.message = !cycles     ? "no cycles"
                   : bad       ? "positions are bad: efforts " +
                                   std::string(PHASES[counts_.phase.load()])
                   : saturated ? "efforts at their limits"
                               : "ok";
  const auto add = [&status](const std::string & key, const std::string & value) {
    diagnostic_msgs::msg::KeyValue pair;
    pair.key = key;
    pair.value = value;
    status.values.push_back(pair);
  };
  add("cycles", std::to_string(cycles));
  add("cycles with bad positions", std::to_string(bad));
  add("cycles with an effort at its limit", std::to_string(saturated));
  add("update, mean [us]", microseconds(duration / n));
  add("update, longest [us]", microseconds(longest));
  add("of that the model, mean [us]", microseconds(kernel / n));
  add("payloads", surroundings_.carried());
  array.status.push_back(status);
  diagnostics_->publish(array);
}
}  // namespace dyn_controllers
