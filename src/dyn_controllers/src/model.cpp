// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dyn_controllers
{
InertialParameters about_frame(
  double mass, const std::array<double, 3> & center, const std::array<double, 6> & inertia)
{
  const auto [x, y, z] = center;
  const auto [xx, xy, yy, xz, yz, zz] = inertia;
  return {mass,
          mass * x,
          mass * y,
          mass * z,
          xx + mass * (y * y + z * z),
          xy - mass * x * y,
          yy + mass * (x * x + z * z),
          xz - mass * x * z,
          yz - mass * y * z,
          zz + mass * (x * x + y * y)};
}

std::string objection_to_inertia(double mass, const std::array<double, 6> & inertia)
{
  const auto [xx, xy, yy, xz, yz, zz] = inertia;
  const double sum = xx + yy + zz;
  if (!std::isfinite(mass) || !std::isfinite(sum + xy + xz + yz))
    return "has a number that is not finite";
  if (mass <= 0.0) return "has a mass of " + std::to_string(mass) + " kg; it must be positive";
  // The second moments of mass (trace / 2 - inertia) of a body are positive semidefinite: its
  // principal minors are not negative.
  const double a = sum / 2.0 - xx, b = sum / 2.0 - yy, c = sum / 2.0 - zz;
  const double small = 1e-9 * std::abs(sum), square = small * std::abs(sum);
  const double determinant =
    a * (b * c - yz * yz) - xy * (xy * c + yz * xz) - xz * (xy * yz + b * xz);
  const bool possible = sum >= 0.0 && a >= -small && b >= -small && c >= -small &&
                        a * b - xy * xy >= -square && a * c - xz * xz >= -square &&
                        b * c - yz * yz >= -square && determinant >= -square * std::abs(sum);
  return possible ? ""
                  : "has an inertia that no body can have: its principal moments about the centre "
                    "of mass have to be positive, and none may exceed the sum of the other two";
}

std::string objection_to_gravity(const std::vector<double> & gravity)
{
  constexpr double MAX_GRAVITY = 30.0;  // m/s^2
  if (gravity.size() != 3) return "gravity has to have three numbers, such as [0, 0, -9.81]";
  const double strength = std::hypot(gravity[0], gravity[1], gravity[2]);
  if (strength <= MAX_GRAVITY) return "";  // not so for NaN
  return "gravity is " + std::to_string(strength) +
         " m/s^2 strong, more than 30: give m/s^2, such as [0, 0, -9.81]";
}

Model::Model(Object object) : object_(std::move(object))
{
  const auto & manifest = object_.manifest();
  for (std::int64_t k = 0; k < manifest.joint_count; ++k) {
    const auto & joint = manifest.joints[k];
    if (joint.nv != 1 || joint.nq > 2)
      throw std::runtime_error(
        std::string("joint '") + joint.name + "' has " + std::to_string(joint.nv) +
        " degrees of freedom, and ros2_control knows joints of one: use the nodes of dyn_ros");
    joints_.push_back(joint.name);
    coordinates_.push_back({static_cast<std::uint32_t>(joint.idx_q), joint.nq == 2});
  }
  position_.assign(manifest.nq, 0.0);
  for (auto * array : {&velocity_, &acceleration_, &desired_, &zero_, &unit_, &tau_, &part_,
                       &hold_, &column_})
    array->assign(manifest.nv, 0.0);
  std::copy_n(manifest.gravity, 3, gravity.begin());
  for (std::size_t k = 0; k < joints_.size(); ++k) set_position(k, 0.0);
}

std::size_t Model::index(const std::string & joint) const
{
  const auto at = std::find(joints_.begin(), joints_.end(), joint);
  if (at != joints_.end()) return static_cast<std::size_t>(at - joints_.begin());
  std::string names;
  for (const auto & name : joints_) names += (names.empty() ? "" : ", ") + name;
  throw std::runtime_error("the robot has no joint '" + joint + "': choose among " + names);
}

const double * Model::array(const DynCoreArray & input, Reads reads)
{
  const std::string name = input.name;
  if (const auto own = inputs.find(name); own != inputs.end()) {
    own->second.resize(static_cast<std::size_t>(input.size));
    return own->second.data();
  }
  if (name == "q") return position_.data();
  if (name == "v")
    return reads == Reads::motion     ? velocity_.data()
           : reads == Reads::friction ? desired_.data()
                                      : zero_.data();
  if (name == "a")
    return reads == Reads::motion    ? acceleration_.data()
           : reads == Reads::inertia ? unit_.data()
                                     : zero_.data();
  if (name == "gravity") {
    gravity_is_input = true;
    return gravity.data();
  }
  const std::string head = "payload[";
  if (name.rfind(head, 0) == 0)
    return payload[name.substr(head.size(), name.size() - head.size() - 1)].data();
  return nullptr;
}

Model::Call Model::call(const DynCoreFunction & function, double sign, Reads reads)
{
  Call call{&function, sign, {}};
  for (std::int64_t k = 0; k < function.input_count; ++k) {
    call.inputs.push_back(array(function.inputs[k], reads));
    if (!call.inputs.back())
      throw std::runtime_error(
        std::string(function.name) + " takes '" + function.inputs[k].name +
        "', which no controller knows: write the object without it");
  }
  return call;
}

void Model::use(const std::string & quantity, double sign)
{
  const bool friction = quantity == "friction_efforts";
  const auto & function = object_.function(quantity);
  if (function.output_count != 1 || function.outputs[0].size != object_.manifest().nv)
    throw std::runtime_error(std::string(function.name) + " gives no efforts of joints");
  calls_.push_back(call(function, sign, friction ? Reads::friction : Reads::motion));
  if (!friction && rest_.empty())
    rest_.push_back(call(inputs.empty() ? function : object_.function("rnea"), sign, Reads::rest));
  const auto * rnea = object_.find("rnea");
  if (rnea && inertia_.empty())
    inertia_ = {call(*rnea, 1.0, Reads::inertia), call(*rnea, -1.0, Reads::rest)};
}

void Model::use_place(const std::string & quantity)
{
  place_ = call(object_.function(quantity), 1.0, Reads::rest);
}

const std::vector<double> & Model::place()
{
  double * const filled = placement_.data();
  place_.function->call(place_.inputs.data(), &filled);
  return placement_;
}

void Model::run(const Call & call, std::vector<double> & efforts)
{
  double * const filled = part_.data();
  call.function->call(call.inputs.data(), &filled);
  for (std::size_t k = 0; k < efforts.size(); ++k) efforts[k] += call.sign * part_[k];
}

const std::vector<double> & Model::evaluate()
{
  std::fill(tau_.begin(), tau_.end(), 0.0);
  for (const auto & call : calls_) run(call, tau_);
  return tau_;
}

const std::vector<double> & Model::hold()
{
  std::fill(hold_.begin(), hold_.end(), 0.0);
  for (const auto & call : rest_) run(call, hold_);
  return hold_;
}

bool Model::mass_matrix(const std::vector<std::size_t> & joints, std::vector<double> & mass)
{
  if (inertia_.empty()) return false;
  for (std::size_t k = 0; k < joints.size(); ++k) {  // the column of joint k
    unit_[joints[k]] = 1.0;
    std::fill(column_.begin(), column_.end(), 0.0);
    for (const auto & call : inertia_) run(call, column_);
    unit_[joints[k]] = 0.0;
    for (std::size_t i = 0; i < joints.size(); ++i)
      mass[i * joints.size() + k] = column_[joints[i]];
  }
  return true;
}
}  // namespace dyn_controllers
