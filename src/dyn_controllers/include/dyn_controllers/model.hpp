// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__MODEL_HPP_
#define DYN_CONTROLLERS__MODEL_HPP_

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dyn_controllers/object.hpp"

namespace dyn_controllers
{
/// Mass, mass times centre of mass, and inertia about the frame's origin (xx, xy, yy, xz, yz, zz).
using InertialParameters = std::array<double, 10>;

/// Inertial parameters of a body, of which the inertia is given about its centre of mass.
/// \param mass kg
/// \param center of mass in the frame, m
/// \param inertia about the centre of mass, in the frame's axes (xx, xy, yy, xz, yz, zz), kg m^2
InertialParameters about_frame(
  double mass, const std::array<double, 3> & center, const std::array<double, 6> & inertia);

/// Why a body cannot have this inertia about its centre of mass, in words; empty: it can.
///
/// Its principal moments have to be positive, and none may exceed the sum of the other two.
std::string objection_to_inertia(double mass, const std::array<double, 6> & inertia);

/// Why a vector (m/s^2) cannot be gravity, in words; empty: it can.
std::string objection_to_gravity(const std::vector<double> & gravity);

/// A robot's state and what acts on it, and efforts of the joints that functions of an object give.
class Model
{
public:
  /// \throws std::runtime_error the object has a joint that is not of one degree of freedom.
  explicit Model(Object object);
  Model(const Model &) = delete;
  Model & operator=(const Model &) = delete;

  /// What its functions are of.
  const Object & object() const { return object_; }

  /// Names of the joints, in the order of velocities and efforts.
  const std::vector<std::string> & joints() const { return joints_; }

  /// Where a joint stands in that order.
  /// \throws std::runtime_error the robot has no such joint.
  std::size_t index(const std::string & joint) const;

  /// Arrays that functions take beside state, gravity and payloads, by name. Names have to be there
  /// before a function that takes them is used, which sets their sizes. Then hold() is by `rnea`.
  std::map<std::string, std::vector<double>> inputs;

  /// Use a function; evaluate() calls those that are used, and tau() adds what they give.
  /// \param sign 1 or -1, of what is added
  /// \throws std::runtime_error the object lacks it, or it takes something that is unknown here.
  void use(const std::string & quantity, double sign = 1.0);

  /// Whether a joint turns without end, so that its position may step by whole turns.
  bool turns(std::size_t joint) const { return coordinates_[joint].turns; }

  /// Position of a joint, rad or m; where the joint turns without end, its cosine and sine are kept.
  void set_position(std::size_t joint, double position) { put(joint, position, position_); }

  /// The same in another configuration.
  void put(std::size_t joint, double position, std::vector<double> & configuration) const
  {
    const auto & [first, turns] = coordinates_[joint];
    configuration[first] = turns ? std::cos(position) : position;
    if (turns) configuration[first + 1] = std::sin(position);
  }

  /// Positions of the joints as functions take them.
  const std::vector<double> & configuration() const { return position_; }

  /// Of a joint, rad/s or m/s.
  void set_velocity(std::size_t joint, double velocity) { velocity_[joint] = velocity; }

  /// At which friction acts on a joint, rad/s or m/s.
  void set_desired_velocity(std::size_t joint, double velocity) { desired_[joint] = velocity; }

  /// Of a joint, rad/s^2 or m/s^2.
  void set_acceleration(std::size_t joint, double acceleration)
  {
    acceleration_[joint] = acceleration;
  }

  /// Efforts (nv) for the state now. Allocates nothing.
  const std::vector<double> & evaluate();

  /// Efforts (nv) that hold the robot at its position, by the function that was used first.
  /// Allocates nothing.
  const std::vector<double> & hold();

  /// Use the function of a frame's placement, which place() calls.
  /// \throws std::runtime_error the object lacks it.
  void use_place(const std::string & quantity);

  /// Where this frame is, a homogeneous matrix row by row. Allocates nothing.
  const std::vector<double> & place();

  /// Mass matrix of some joints, row by row; false: the object has no function `rnea`. Allocates
  /// nothing.
  bool mass_matrix(const std::vector<std::size_t> & joints, std::vector<double> & mass);

  /// Whether a payload may be fixed to a frame.
  bool carries_at(const std::string & frame) const { return payload.count(frame) != 0; }

  std::array<double, 3> gravity;              ///< of what falls, in the axes of the root link, m/s^2
  bool gravity_is_input = false;              ///< whether functions that are used take it
  std::map<std::string, InertialParameters> payload;  ///< by frame

private:
  struct Call
  {
    const DynCoreFunction * function;
    double sign;
    std::vector<const double *> inputs;
  };
  /// Arrays that a call reads: those of the motion, or of friction, or of a robot at rest.
  enum class Reads { motion, friction, rest, inertia };
  struct Coordinates
  {
    std::uint32_t first;  ///< place of the joint's in the configuration
    bool turns;           ///< whether they are a cosine and a sine
  };
  Call call(const DynCoreFunction & function, double sign, Reads reads);
  const double * array(const DynCoreArray & input, Reads reads);
  void run(const Call & call, std::vector<double> & efforts);

  Object object_;
  std::vector<std::string> joints_;
  std::vector<Coordinates> coordinates_;
  // Calls keep addresses of what is in these and in `payload`: their sizes never change.
  std::vector<double> position_, velocity_, acceleration_, desired_, zero_, unit_;
  std::vector<double> tau_, part_, hold_, column_;
  std::vector<Call> calls_;
  std::vector<Call> rest_, inertia_;  ///< of hold() and mass_matrix()
  Call place_{};
  std::vector<double> placement_ = std::vector<double>(16);
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__MODEL_HPP_
