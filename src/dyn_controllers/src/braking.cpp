// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/braking.hpp"

#include <algorithm>
#include <cmath>

namespace dyn_controllers
{
namespace
{
// See dyn_ros/safety/braking.py.
constexpr double FIRST_GAIN = 1e-3;     ///< s/rad or s/m, of a joint's effort limit
/// That gain is reduced to this part of the model's inertia / damping_time, to that part at most.
constexpr double INERTIA_SHARE = 0.25, LEAST_SHARE = 0.01;
constexpr double BRAKE_SHARE = 0.5;     ///< of a joint's effort limit that braking may use
constexpr double UNLIMITED = 100.0;     ///< N m or N, in place of a limit that is not given
constexpr double SLOW = 0.05, FAST = 0.4;  ///< rad/s or m/s: noise below; a joint that sinks
constexpr double DOUBLING_S = 0.015;    ///< in which a gain may double
constexpr double REDUCTION = 0.25;      ///< of a gain that was too large
constexpr double PAUSE_S = 0.05;        ///< without growth after that
constexpr double MAX_GROWTH = 2.0;      ///< of a gain between two calls
constexpr double FIRST_SHARE = 1.0 / 32.0, SHARE_DOUBLING_S = 0.01;  ///< of damping by M
constexpr double TURNED_SHARE = 0.5, TURNED_VELOCITY = 0.4;  ///< of a joint that M has turned round
constexpr double BESIDE_FREE = 0.5;     ///< part of the inertia beside joints that swing on
constexpr double LARGEST = std::numeric_limits<double>::max();
}  // namespace

void add_within_room(
  const std::vector<double> & limit, std::vector<double> & braking, std::vector<double> & efforts)
{
  double share = 1.0;
  for (std::size_t k = 0; k < efforts.size(); ++k) {
    const double size = std::abs(braking[k]);
    const double room = std::max(limit[k] - std::copysign(1.0, braking[k]) * efforts[k], 0.0);
    if (size > room) share = std::min(share, room / size);
  }
  for (std::size_t k = 0; k < efforts.size(); ++k) efforts[k] += braking[k] *= share;
}

void Brakes::begin(const std::vector<double> & limit)
{
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const double most = BRAKE_SHARE * (limit[k] < LARGEST ? limit[k] : UNLIMITED);
    joints_[k] = {most, FIRST_GAIN / BRAKE_SHARE * most, 0.0, 0.0, -INFINITE};
  }
  time_ = INFINITE;
}

void Brakes::add_efforts(
  const std::vector<double> & velocity, double now, double damping_time, double age,
  const std::vector<double> * mass, std::vector<double> & efforts)
{
  const std::size_t n = joints_.size();
  for (std::size_t k = 0; mass && time_ == INFINITE && k < n; ++k) {
    double & gain = joints_[k].gain;
    const double light = INERTIA_SHARE / damping_time * (*mass)[k * n + k];
    if (light > 0.0) gain = std::clamp(light, LEAST_SHARE * gain, gain);
  }
  const double elapsed = std::max(now - time_, 0.0);
  const double growth = std::min(std::pow(2.0, elapsed / (DOUBLING_S + age)), MAX_GROWTH);
  for (std::size_t k = 0; k < n; ++k) {
    auto & joint = joints_[k];
    const double v = velocity[k], speed = std::abs(v);
    if (!std::isfinite(v)) continue;
    const double kept = std::abs(joint.velocity) > SLOW ? v / joint.velocity : 1.0;
    const bool turned = speed > SLOW && v * joint.direction < 0.0;
    const double since = now - joint.reduced;
    const bool too_large = (turned || kept < 0.5) && since > DOUBLING_S + age;
    if (too_large) joint.reduced = now;
    const bool grows = speed > FAST && kept > 1.0 - elapsed / damping_time &&
                       since > PAUSE_S + 4.0 * age;
    joint.gain *= too_large ? REDUCTION : grows ? growth : 1.0;
    joint.gain = std::min(joint.gain, joint.most / std::max(speed, SLOW));
    if (speed > SLOW) joint.direction = std::copysign(1.0, v);
    joint.velocity = v;
    efforts[k] += std::clamp(-joint.gain * v, -joint.most, joint.most);
  }
  time_ = now;
}

Damping::Damping(std::size_t joints)
: brakes_(joints), joints_(joints), limit_(joints), braking_(joints), inertia_(joints * joints)
{
}

void Damping::begin(const std::vector<double> & limit)
{
  brakes_.begin(limit);
  std::copy(limit.begin(), limit.end(), limit_.begin());
  std::fill(braking_.begin(), braking_.end(), 0.0);
  std::fill(joints_.begin(), joints_.end(), Joint{});
  begin_ = time_ = INFINITE;
  is_wrong_ = false;
}

void Damping::add_efforts(
  const std::vector<double> & velocity, double now, double damping_time, double age,
  const std::vector<double> * mass, bool trusted, std::vector<double> & efforts)
{
  const double elapsed = std::max(now - time_, 0.0);
  for (std::size_t k = 0; k < joints_.size(); ++k) joints_[k].impulse += elapsed * braking_[k];
  std::fill(braking_.begin(), braking_.end(), 0.0);
  time_ = now;
  if (!mass || !trusted || turns_round(velocity)) {
    brakes_.add_efforts(velocity, now, damping_time, age, mass, efforts);
    return;
  }
  begin_ = std::min(begin_, now);
  double share = std::min(1.0, FIRST_SHARE * std::exp2((now - begin_) / SHARE_DOUBLING_S));
  const std::size_t n = velocity.size();
  std::copy(mass->begin(), mass->end(), inertia_.begin());
  bool all = true;
  for (std::size_t j = 0; j < n; ++j) {  // the Schur complement of the joints that are not known
    if (std::isfinite(velocity[j])) continue;
    all = false;
    if (inertia_[j * n + j] == 0.0) continue;  // it draws nothing along
    for (std::size_t i = 0; i < n; ++i) {
      const double drawn_along = i == j ? 0.0 : inertia_[i * n + j] / inertia_[j * n + j];
      for (std::size_t k = 0; k < n; ++k) inertia_[i * n + k] -= drawn_along * inertia_[j * n + k];
    }
  }
  if (!all) share *= BESIDE_FREE;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      if (std::isfinite(velocity[i]) && std::isfinite(velocity[k]))
        braking_[i] -= share * inertia_[i * n + k] * velocity[k] / damping_time;
  add_within_room(limit_, braking_, efforts);
}

/// Whether the damping has turned a joint round, as one that is too strong does.
bool Damping::turns_round(const std::vector<double> & velocity)
{
  for (std::size_t k = 0; k < velocity.size(); ++k) {
    Joint & joint = joints_[k];
    const double v = velocity[k], speed = std::abs(v), most = std::abs(joint.fastest);
    const bool turned = v * joint.fastest < 0.0 && speed > TURNED_VELOCITY;
    const bool pushed = turned && v * joint.impulse > 0.0;
    is_wrong_ = is_wrong_ || (pushed && speed > TURNED_SHARE * most);
    if (!turned && speed <= most) continue;
    joint.fastest = v;
    joint.impulse = 0.0;
  }
  return is_wrong_;
}
}  // namespace dyn_controllers
