// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace dyn_controllers
{
namespace
{
const char * const PHASES[] = {"follow", "hold", "damp", "error"};
constexpr std::uint64_t CYCLES_PER_TIME = 16;

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
  std::uint8_t terms, std::shared_ptr<const Surroundings> surroundings)
: node_(node), surroundings_(std::move(surroundings))
{
  commanded_.efforts = std::vector<std::atomic<double>>(joints.size());
  message_.joint_names = joints;
  message_.effort.assign(joints.size(), 0.0);
  message_.terms = terms;
  // Plain publishers: those of a lifecycle node are silent until it is active.
  state_ = rclcpp::create_publisher<JointEfforts>(node, "~/state", rclcpp::SystemDefaultsQoS());
  diagnostics_ = rclcpp::create_publisher<DiagnosticArray>(node, "/diagnostics", 10);
}

void Report::open(const std::shared_ptr<Report> & self, double rate)
{
  const auto every = [&self](double period, void (Report::*publish)()) {
    self->timers_.push_back(self->node_->create_wall_timer(
      std::chrono::duration<double>(period), [weak = std::weak_ptr<Report>(self), publish] {
        if (const auto alive = weak.lock()) (alive.get()->*publish)();
      }));
  };
  every(1.0 / rate, &Report::publish_state);
  every(1.0, &Report::diagnose);
}

bool Report::wants_times() const
{
  return counts_.cycles.load(std::memory_order_relaxed) % CYCLES_PER_TIME == 0;
}

void Report::add(const rclcpp::Time & time, const EffortPolicy & policy)
{
  add_to<std::uint64_t>(counts_.cycles, 1);
  if (policy.saturated() > 0) add_to<std::uint64_t>(counts_.saturated, 1);
  if (policy.phase() != EffortPolicy::Phase::follow) add_to<std::uint64_t>(counts_.bad, 1);
  counts_.phase.store(static_cast<int>(policy.phase()), std::memory_order_relaxed);
  const auto version = commanded_.version.load(std::memory_order_relaxed);
  commanded_.version.store(version + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  commanded_.stamp.store(time.nanoseconds(), std::memory_order_relaxed);
  for (std::size_t k = 0; k < commanded_.efforts.size(); ++k)
    commanded_.efforts[k].store(policy.efforts()[k], std::memory_order_relaxed);
  commanded_.version.store(version + 2, std::memory_order_release);
}

void Report::add_times(double duration, double in_model)
{
  add_to<std::uint64_t>(counts_.timed, 1);
  add_to(counts_.duration, duration);
  add_to(counts_.in_model, in_model);
}

/// Publish what was commanded last, if that is new. A cycle that writes meanwhile is tried again in
/// the next period.
void Report::publish_state()
{
  const auto version = commanded_.version.load(std::memory_order_acquire);
  if (version == published_ || version % 2 != 0) return;
  const auto stamp = commanded_.stamp.load(std::memory_order_relaxed);
  for (std::size_t k = 0; k < commanded_.efforts.size(); ++k)
    message_.effort[k] = commanded_.efforts[k].load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (commanded_.version.load(std::memory_order_relaxed) != version) return;
  published_ = version;
  message_.header.stamp = rclcpp::Time(stamp);
  state_->publish(message_);
}

void Report::diagnose()
{
  using Status = diagnostic_msgs::msg::DiagnosticStatus;
  const auto cycles = counts_.cycles.exchange(0);
  const auto bad = counts_.bad.exchange(0), saturated = counts_.saturated.exchange(0);
  const auto timed = static_cast<double>(std::max<std::uint64_t>(counts_.timed.exchange(0), 1));
  const double duration = counts_.duration.exchange(0.0), model = counts_.in_model.exchange(0.0);
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
  add("update, mean [us]", microseconds(duration / timed));
  add("of that the model, mean [us]", microseconds(model / timed));
  add("payloads", surroundings_->carried());
  array.status.push_back(status);
  diagnostics_->publish(array);
}
}  // namespace dyn_controllers
