// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/velocity_guard.hpp"

#include <algorithm>
#include <cmath>

namespace dyn_controllers
{
namespace
{
// As the nodes of dyn_ros have them.
constexpr double SHORTEST_S = 0.02;   ///< between two positions whose difference is a velocity
constexpr double WINDOW_S = 0.05;     ///< after which a later position is kept
constexpr double AGREEMENT = 1.5;     ///< times that velocity, up to which a measured one counts
constexpr double PATIENCE_S = 0.02;   ///< that a joint has to be too fast: noise is shorter
constexpr double LAG_S = 0.1;         ///< damping time from which on positions lag too little to matter
constexpr double STILL_WINDOW_S = 0.1;  ///< over which a speed is measured
constexpr double MIN_SPEED = 0.2;     ///< rad/s or m/s; slower motion may well come to rest at once
constexpr double MIN_WAY = 0.02;      ///< rad or m in those windows
constexpr double MAX_WAY = 3.0;       ///< rad or m; more is a turn of a joint without an end
constexpr double SUDDEN = 0.5;        ///< part of its mean speed in the last step of such a joint
constexpr double TURN = 6.283185307179586476925;
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

// Of VelocityCheck.
constexpr double CHECK_S = 0.005;        ///< over which positions show a velocity
constexpr double SHARE = 0.5;            ///< tolerance, of what positions show, and beside that
constexpr double LIMIT_SHARE = 0.15;     ///< of a joint's velocity limit, within the next two
constexpr double LEAST_TOLERANCE = 0.05, MOST_TOLERANCE = 0.5;  ///< rad/s or m/s
constexpr double WRONG_S = 0.05;         ///< that velocities have to contradict positions
constexpr double REPEATED_S = 0.03;      ///< in which hardware may repeat what it read last
constexpr double MAX_REPEATED_S = 0.1;   ///< after which a joint counts as one that rests
constexpr double MAX_QUANTUM = 0.008;    ///< rad or m, by which coarse encoders step, and more

/// A velocity, cut to between those that positions show; `part` of the lower one counts.
double checked(double velocity, double shown, double part)
{
  if (!std::isfinite(shown)) return UNKNOWN;
  const double one = part * shown / AGREEMENT, other = shown * AGREEMENT;
  return std::isfinite(velocity)
           ? std::clamp(velocity, std::min(one, other), std::max(one, other))
           : one;
}
}  // namespace

double difference(double position, double other, bool turns)
{
  return turns ? std::remainder(position - other, TURN) : position - other;
}

double Speedometer::measure(double position, double now)
{
  if (!std::isfinite(position)) return UNKNOWN;
  const double seconds = now - before_time;
  if (windows < 0 || seconds < 0.0 || seconds >= window) {
    windows = seconds > 0.0 && windows >= 0 ? std::min(windows + 1, 2) : 0;
    const double mean = difference(position, before, turns) / seconds;
    slower = std::abs(mean) < std::abs(last) ? mean : last;
    last = mean;
    earlier = before, earlier_time = before_time;
    before = position, before_time = now;
  }
  const bool recent = now - before_time >= shortest;
  if (!recent && windows <= 0) return UNKNOWN;
  const double way = difference(position, recent ? before : earlier, turns);
  return way / (now - (recent ? before_time : earlier_time));
}

VelocityGuard::VelocityGuard(
  const std::vector<double> & most, const std::vector<bool> & turns, double damping_time)
: most_(most), velocity_(most.size()), last_velocity_(most.size()), damping_time_(damping_time)
{
  for (const bool turn : turns) shown_.push_back({WINDOW_S, SHORTEST_S, turn});
  begin();
}

void VelocityGuard::begin()
{
  for (auto & joint : shown_) joint.windows = -1;
  known_ = false;
  fast_ = overspeed_ = std::nullopt;
  std::fill(last_velocity_.begin(), last_velocity_.end(), 0.0);
  std::fill(velocity_.begin(), velocity_.end(), UNKNOWN);
}

void VelocityGuard::measure(
  const std::vector<double> & position, const std::vector<double> & velocity, double now)
{
  std::optional<std::size_t> fast;
  for (std::size_t k = 0; k < shown_.size(); ++k) {
    auto & joint = shown_[k];
    const double shown = joint.measure(position[k], now), most = most_[k];
    known_ = known_ || std::isfinite(shown);
    velocity_[k] = checked(velocity[k], shown, std::min(1.0, damping_time_ / LAG_S));
    if (std::isfinite(velocity_[k])) last_velocity_[k] = velocity_[k];
    const bool measured = std::abs(velocity[k]) > most && std::abs(velocity_[k]) > most;
    if (!fast && (measured || (joint.windows > 1 && std::abs(joint.slower) > most))) fast = k;
  }
  if (fast && !fast_) fast_since_ = now;
  fast_ = fast;
  overspeed_ = fast && now - fast_since_ >= PATIENCE_S ? fast : std::nullopt;
}

const std::vector<double> & VelocityGuard::coast(double dt)
{
  for (auto & velocity : last_velocity_) velocity *= std::exp(-dt / damping_time_);
  return last_velocity_;
}

VelocityCheck::VelocityCheck(const std::vector<double> & limit, const std::vector<bool> & turns)
: right_(limit.size()), last_(limit.size())
{
  for (std::size_t k = 0; k < limit.size(); ++k) {
    tolerance_.push_back(std::clamp(LIMIT_SHARE * limit[k], LEAST_TOLERANCE, MOST_TOLERANCE));
    shown_.push_back({CHECK_S, CHECK_S, turns[k]});
  }
}

void VelocityCheck::begin()
{
  for (auto & joint : shown_) joint.windows = -1;
  last_.assign(last_.size(), {});
  repeated_ = 0.0;
}

bool VelocityCheck::cut(
  const std::vector<double> & position, double now, std::vector<double> & velocity)
{
  bool wrong = false;
  repeated_ = 0.0;
  for (std::size_t k = 0; k < shown_.size(); ++k) {
    auto & last = last_[k];
    if (position[k] != last.position) last.position = position[k], last.changed = now;
    if (std::isinf(last.most) || now == last.changed || now - last.changed > REPEATED_S) {
      const double shown = shown_[k].measure(position[k], now), v = velocity[k];
      const double tolerance = SHARE * std::abs(shown) + tolerance_[k];
      const bool excessive = std::abs(v) > std::abs(shown) + tolerance;  // it would move the joint
      const bool lacks = std::abs(shown) - std::copysign(v, shown * v) > tolerance;  // no brake
      const bool turns = shown * last.shown < 0.0;  // an encoder between two counts
      if (!lacks || excessive || turns) right_[k] = now;  // NaN too
      last.shown = shown;
      if (std::isfinite(shown)) {
        const bool against = excessive && shown * v < 0.0;
        last.least = against ? shown : std::min(shown - tolerance, 0.0);
        last.most = against ? shown : std::max(shown + tolerance, 0.0);
      }
    }
    wrong = wrong || now - right_[k] >= WRONG_S;
    if (!std::isinf(last.most)) velocity[k] = std::clamp(velocity[k], last.least, last.most);
    const double speed = std::abs(velocity[k]), standing = now - last.changed;
    if (speed > MOST_TOLERANCE && speed * standing > MAX_QUANTUM && standing <= MAX_REPEATED_S)
      repeated_ = std::max(repeated_, standing);
  }
  return wrong;
}

double Standstill::lasts(
  const std::vector<double> & position, const std::vector<double> & velocity, double now,
  const std::vector<std::size_t> & joints)
{
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const bool stands = std::equal(position.begin(), position.end(), newest_.begin(), same);
  if (known_ && stands && now >= since_) {
    int stopped = 0;
    for (const auto k : joints)
      if (has_stopped(k)) stopped += std::abs(velocity[k]) > MIN_SPEED ? 2 : 1;
    return stopped > 1 ? now - since_ : 0.0;
  }
  for (std::size_t k = 0; k < position.size(); ++k) step_[k] = position[k] - newest_[k];
  step_time_ = now - since_;
  if (!known_ || now < mark_time_) mark_ = position, mark_time_ = now;
  if (!known_ || now - mark_time_ >= STILL_WINDOW_S) {
    first_ = mark_, first_time_ = mark_time_;
    mark_ = position, mark_time_ = now;
  }
  newest_ = position;
  since_ = now;
  known_ = true;
  return 0.0;
}

bool Standstill::has_stopped(std::size_t k) const
{
  const double seconds = since_ - first_time_;
  if (seconds <= 2.0 * step_time_ || seconds >= 3.0 * STILL_WINDOW_S) return false;  // over a gap
  const double way = std::abs(newest_[k] - first_[k]), speed = way / seconds;
  const bool moved = speed > MIN_SPEED && way > MIN_WAY && way < MAX_WAY;
  return moved && std::abs(step_[k]) > SUDDEN * speed * step_time_;
}
}  // namespace dyn_controllers
