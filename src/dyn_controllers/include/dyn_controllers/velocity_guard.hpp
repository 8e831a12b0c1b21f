// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__VELOCITY_GUARD_HPP_
#define DYN_CONTROLLERS__VELOCITY_GUARD_HPP_

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace dyn_controllers
{
/// The difference of two positions of a joint; the short way round where it turns without end.
double difference(double position, double other, bool turns);

/// Mean velocities of a joint, from positions. Those that are not finite teach nothing.
struct Speedometer
{
  double window;    ///< s after which a later position is kept
  double shortest;  ///< s between two positions whose difference is a velocity
  bool turns;       ///< whether the joint turns without end: its position may step by whole turns
  double before = 0.0, earlier = 0.0;            ///< positions
  double before_time = 0.0, earlier_time = 0.0;  ///< s
  double last = 0.0;                             ///< mean velocity over the last window
  double slower = 0.0;                           ///< the same over the last two, the slower one
  int windows = -1;  ///< that have passed, 2 at most; -1: there is no position yet

  /// Take a position; return the mean velocity over `shortest` to `shortest + window`; NaN: unknown.
  double measure(double position, double now);
};

/// Checks measured velocities against positions, and notices joints that are too fast.
///
/// A measured velocity counts as far as positions agree: at most 1.5 times their mean velocity over
/// the last 20 to 70 ms. A sensor that errs at a joint at rest shows no motion. Positions alone
/// count too, over two windows of 50 ms, for velocities may be absent or zero. Allocates nothing
/// after construction; times are those of a steady clock, s.
class VelocityGuard
{
public:
  VelocityGuard() = default;

  /// \param most rad/s or m/s of each joint; infinite: no limit
  /// \param turns whether the joint turns without end: its position may step by whole turns
  /// \param damping_time s, in which damping takes velocities to 37 %
  VelocityGuard(
    const std::vector<double> & most, const std::vector<bool> & turns, double damping_time);

  /// Forget all positions.
  void begin();

  /// Take a measurement; NaN is unknown.
  void measure(
    const std::vector<double> & position, const std::vector<double> & velocity, double now);

  /// Velocities for damping, checked against positions; NaN where they are not known.
  const std::vector<double> & velocity() const { return velocity_; }

  /// Whether positions have shown velocities yet.
  bool known() const { return known_; }

  /// Velocities after another `dt` s, of which nothing may have been measured: damping slows joints
  /// down by itself. Zero where they were unknown.
  const std::vector<double> & coast(double dt);

  /// The joint that has been faster than it may be for 20 ms.
  std::optional<std::size_t> overspeed() const { return overspeed_; }

private:
  std::vector<double> most_;  ///< rad/s or m/s
  std::vector<Speedometer> shown_;
  std::vector<double> velocity_, last_velocity_;
  double damping_time_ = 0.1;
  bool known_ = false;
  double fast_since_ = 0.0;
  std::optional<std::size_t> fast_, overspeed_;
};

/// Reduces measured velocities to what positions show, before feedback answers them with efforts:
/// `VelocityCheck` of dyn_ros/outputs/feedback.py. What positions showed counts until they change, or
/// have stood still for 30 ms: hardware may read some of them more slowly, and repeat them.
class VelocityCheck
{
public:
  VelocityCheck() = default;

  /// \param limit rad/s or m/s of each joint; infinite: no limit
  /// \param turns whether the joint turns without end
  VelocityCheck(const std::vector<double> & limit, const std::vector<bool> & turns);

  /// Forget all positions.
  void begin();

  /// Cut velocities to what positions show.
  /// \return whether one has been zero or of the wrong sign for 50 ms while its joint moved
  bool cut(const std::vector<double> & position, double now, std::vector<double> & velocity);

  /// For how long the position of a joint that moves has been repeated, s.
  double repeated() const { return repeated_; }

private:
  struct Last
  {
    double position = std::numeric_limits<double>::quiet_NaN();
    double changed = 0.0;  ///< s
    double shown = 0.0;    ///< velocity that positions showed last
    double least = -std::numeric_limits<double>::infinity();  ///< of velocities; infinite: unknown
    double most = std::numeric_limits<double>::infinity();
  };

  std::vector<double> tolerance_, right_;  ///< rad/s or m/s; s, when each velocity last fitted
  std::vector<Last> last_;
  double repeated_ = 0.0;
  std::vector<Speedometer> shown_;
};

/// Notices positions that were in motion, and are exactly the same now: hardware that repeats what
/// it read last. An arm that comes to rest slows down before. One joint alone may have met an
/// obstacle, unless its measured velocity continues. As the nodes of dyn_ros do it.
class Standstill
{
public:
  Standstill() = default;

  /// Know no positions of so many joints.
  explicit Standstill(std::size_t joints)
  : newest_(joints), step_(joints), first_(joints), mark_(joints)
  {
  }

  /// How long positions at a time, s, have stood still in a motion, s; 0: they have not.
  /// \param velocity of the same moment; NaN is unknown
  /// \param joints that are looked at: a gripper stops dead at what it grips
  double lasts(
    const std::vector<double> & position, const std::vector<double> & velocity, double now,
    const std::vector<std::size_t> & joints);

private:
  bool has_stopped(std::size_t joint) const;

  std::vector<double> newest_, step_;  ///< positions, and their last change
  std::vector<double> first_, mark_;   ///< positions of the windows before
  double since_ = 0.0, step_time_ = 0.0, first_time_ = 0.0, mark_time_ = 0.0;  ///< s
  bool known_ = false;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__VELOCITY_GUARD_HPP_
