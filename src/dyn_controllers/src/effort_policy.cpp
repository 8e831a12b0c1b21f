// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/effort_policy.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dyn_controllers
{
namespace
{
/// s before the end of damping in which it goes to zero: a robot that sinks leans on it.
constexpr double FADE = 0.1;

// Of ShownVelocity, as the nodes of dyn_ros have them.
constexpr double SHORTEST = 0.02;  ///< s between two positions whose difference is a velocity
constexpr double WINDOW = 0.05;    ///< s after which a later position is kept
constexpr double SHOWN = 1.5;      ///< times that velocity, up to which a measured one is believed
}  // namespace

ShownVelocity::ShownVelocity(std::size_t joints)
: before_(joints), earlier_(joints), velocity_(joints)
{
}

void ShownVelocity::begin()
{
  known_ = earlier_known_ = false;
  std::fill(velocity_.begin(), velocity_.end(), 0.0);
}

void ShownVelocity::measure(
  const std::vector<double> & position, const std::vector<double> & velocity, double dt)
{
  passed_ += std::max(dt, 0.0);
  if (!known_ || passed_ >= WINDOW) {
    earlier_.swap(before_);
    earlier_known_ = known_;
    between_ = passed_;
    std::copy(position.begin(), position.end(), before_.begin());
    passed_ = 0.0;
    known_ = true;
  }
  const bool recent = passed_ >= SHORTEST;
  const auto & since = recent ? before_ : earlier_;
  const double time = recent ? passed_ : between_ + passed_;
  const bool enough = recent || (earlier_known_ && time >= SHORTEST);
  for (std::size_t k = 0; k < velocity_.size(); ++k) {
    const double most = enough ? SHOWN * (position[k] - since[k]) / time : 0.0;
    velocity_[k] = std::isfinite(most) && std::isfinite(velocity[k])
                     ? std::clamp(velocity[k], std::min(most, 0.0), std::max(most, 0.0))
                     : 0.0;
  }
}

EffortPolicy::EffortPolicy(EffortSettings settings) : settings_(std::move(settings))
{
  const auto n = settings_.limit.size();
  if (settings_.rate.size() != n || settings_.damping.size() != n)
    throw std::invalid_argument("limit, rate and damping need an entry for each joint");
  // Written so that NaN is refused too.
  for (std::size_t k = 0; k < n; ++k)
    if (!(settings_.limit[k] >= 0.0) || !(settings_.rate[k] > 0.0) ||
        !(settings_.damping[k] >= 0.0) || !std::isfinite(settings_.damping[k]))
      throw std::invalid_argument("limits and damping may not be negative, nor rates zero");
  for (const double duration :
       {settings_.ramp_duration, settings_.hold_duration, settings_.damp_duration})
    if (!(duration >= 0.0)) throw std::invalid_argument("durations may not be negative");
  efforts_.assign(n, 0.0);
  start_.assign(n, 0.0);
  aim_.assign(n, 0.0);
}

void EffortPolicy::begin(const std::vector<double> & present)
{
  for (std::size_t k = 0; k < efforts_.size(); ++k)
    start_[k] = efforts_[k] = std::isfinite(present[k]) ? present[k] : 0.0;
  phase_ = Phase::follow;
  since_ = 0.0;
  saturated_ = 0;
}

void EffortPolicy::approach(double dt)
{
  double share = 1.0;  // of their way that all efforts go
  for (std::size_t k = 0; k < efforts_.size(); ++k) {
    const double limit = settings_.limit[k];
    if (std::abs(aim_[k]) > limit) {
      ++saturated_;
      aim_[k] = std::copysign(limit, aim_[k]);
    }
    const double step = settings_.rate[k] * std::max(dt, 0.0), way = std::abs(aim_[k] - efforts_[k]);
    if (way > step) share = std::min(share, step / way);  // step is NaN: an infinite rate in no time
  }
  for (std::size_t k = 0; k < efforts_.size(); ++k)
    efforts_[k] = share < 1.0 ? efforts_[k] + share * (aim_[k] - efforts_[k]) : aim_[k];
}

EffortPolicy::Phase EffortPolicy::follow(const std::vector<double> & wanted, double dt)
{
  for (const double effort : wanted)
    if (!std::isfinite(effort)) return endure({}, dt);
  if (phase_ == Phase::error) return phase_;
  if (phase_ != Phase::follow) begin(efforts_);
  since_ += dt;
  const double part =
    since_ < settings_.ramp_duration ? std::max(since_, 0.0) / settings_.ramp_duration : 1.0;
  saturated_ = 0;
  for (std::size_t k = 0; k < efforts_.size(); ++k)
    aim_[k] = part < 1.0 ? start_[k] + part * (wanted[k] - start_[k]) : wanted[k];
  approach(dt);
  return phase_;
}

EffortPolicy::Phase EffortPolicy::endure(const std::vector<double> & velocity, double dt)
{
  if (phase_ == Phase::follow) {
    phase_ = Phase::hold;
    since_ = 0.0;
    start_ = efforts_;
  }
  since_ += dt;
  const double damped = since_ - settings_.hold_duration;
  saturated_ = 0;
  if (damped <= 0.0) return phase_;
  phase_ = Phase::damp;
  const bool over = damped >= settings_.damp_duration;
  const double part = over ? 0.0 : 1.0 - damped / settings_.damp_duration;
  const double fading = std::min(FADE / settings_.damp_duration, 0.5);  // part of the time
  const double grip = std::min(1.0, part / fading);
  for (std::size_t k = 0; k < efforts_.size(); ++k) {
    const double v = k < velocity.size() && std::isfinite(velocity[k]) ? velocity[k] : 0.0;
    aim_[k] = part * start_[k] - grip * settings_.damping[k] * v;
  }
  approach(dt);
  // Motors keep what they are given at an error: it waits for what the rate has left of the way.
  if (over && std::all_of(efforts_.begin(), efforts_.end(), [](double x) { return x == 0.0; }))
    phase_ = Phase::error;
  return phase_;
}
}  // namespace dyn_controllers
