// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__BRAKING_HPP_
#define DYN_CONTROLLERS__BRAKING_HPP_

#include <cstddef>
#include <limits>
#include <vector>

namespace dyn_controllers
{
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

/// Add the share of braking efforts that limits leave beside efforts that hold the arm.
///
/// It is the same for all joints, and `braking` is multiplied by it: see within_room in
/// dyn_ros/safety/braking.py.
void add_within_room(
  const std::vector<double> & limit, std::vector<double> & braking, std::vector<double> & efforts);

/// Brakes joints without a model, by efforts -gain * velocity of at most half of each effort limit.
///
/// A joint turns round if gain * delay > inertia. So each gain begins small, by the effort limit and
/// by the model's inertia, which can only make it smaller, and follows the joint's response: it
/// doubles in 15 ms + age while the joint is fast and slowed down too little, and is divided by four
/// where the joint turned round or lost more than half of its velocity at once.
class Brakes
{
public:
  Brakes() = default;

  explicit Brakes(std::size_t joints) : joints_(joints) {}

  /// Begin to brake joints with these effort limits.
  void begin(const std::vector<double> & limit);

  /// Add the efforts against velocities that are `age` s old. NaN: that joint is not braked.
  /// mass: the model's mass matrix, row by row; null, or zeros, where it is unknown.
  void add_efforts(
    const std::vector<double> & velocity, double now, double damping_time, double age,
    const std::vector<double> * mass, std::vector<double> & efforts);

private:
  struct Joint
  {
    double most = 0.0, gain = 0.0;
    double velocity = 0.0, direction = 0.0;  ///< the latter of the last motion
    double reduced = 0.0;                    ///< s, when the gain was reduced
  };
  std::vector<Joint> joints_;
  double time_ = 0.0;
};

/// Damps joints by efforts -M v / damping_time, which take energy out, for M is positive definite.
///
/// Beside joints whose velocities are unknown M is half of the inertia that is felt where these are
/// free. Where M is missing or not trusted it is `Brakes`, and where M is many times too large,
/// which gravity at rest need not show: then light joints turn round and become faster. So the
/// damping begins small and doubles every 10 ms, and ends once it has pushed a joint to more than
/// half of the velocity that it had in the other direction. Where an effort limit leaves less room
/// all joints are damped by the same part. dyn_ros/safety/braking.py says more.
class Damping
{
public:
  Damping() = default;

  explicit Damping(std::size_t joints);

  /// Begin to damp joints with these effort limits.
  void begin(const std::vector<double> & limit);

  /// Add the efforts against velocities that are `age` s old to those that hold the arm; mass: row
  /// by row, or null.
  void add_efforts(
    const std::vector<double> & velocity, double now, double damping_time, double age,
    const std::vector<double> * mass, bool trusted, std::vector<double> & efforts);

private:
  bool turns_round(const std::vector<double> & velocity);

  struct Joint
  {
    double fastest = 0.0;  ///< velocity of its last motion
    double impulse = 0.0;  ///< of the damping since then
  };
  Brakes brakes_;
  std::vector<Joint> joints_;
  std::vector<double> limit_, braking_;        ///< the latter of the last call
  std::vector<double> inertia_;                ///< a mass matrix, row by row
  double begin_ = INFINITE, time_ = INFINITE;  ///< s, of the first call and the last one
  bool is_wrong_ = false;                      ///< whether the mass matrix is
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__BRAKING_HPP_
