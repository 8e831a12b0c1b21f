// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef HANDOVER_HPP_
#define HANDOVER_HPP_

#include <atomic>
#include <functional>

#include "realtime_tools/realtime_thread_safe_box.hpp"

namespace dyn_controllers
{
/// A value that other threads give and the cycle takes, once for each time that it is given.
template <typename T>
class Handover
{
public:
  void give(const T & value)
  {
    box_.set(value);
    given_.store(true, std::memory_order_release);
  }

  /// Call `use` with the value if it is new. Never waits and allocates nothing: while another
  /// thread gives one, it is taken in the next cycle.
  template <typename Use>
  void take(Use use)
  {
    if (!given_.load(std::memory_order_relaxed)) return;
    // Before it is read: what is given meanwhile sets it again.
    given_.exchange(false, std::memory_order_acq_rel);
    if (!box_.try_get(std::ref(use))) given_.store(true, std::memory_order_release);
  }

private:
  realtime_tools::RealtimeThreadSafeBox<T> box_;
  std::atomic<bool> given_{false};
};
}  // namespace dyn_controllers

#endif  // HANDOVER_HPP_
