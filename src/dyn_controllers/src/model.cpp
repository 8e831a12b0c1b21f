// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/model.hpp"

#include <algorithm>
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
  for (auto * array : {&velocity_, &acceleration_, &desired_, &tau_, &part_})
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

const double * Model::array(const std::string & name, bool friction)
{
  if (name == "q") return position_.data();
  if (name == "v") return friction ? desired_.data() : velocity_.data();
  if (name == "a") return acceleration_.data();
  if (name == "gravity") {
    gravity_is_input = true;
    return gravity.data();
  }
  const std::string head = "payload[";
  if (name.rfind(head, 0) == 0)
    return payload[name.substr(head.size(), name.size() - head.size() - 1)].data();
  return nullptr;
}

void Model::use(const std::string & quantity, double sign)
{
  const auto & function = object_.function(quantity);
  Call call{&function, sign, {}};
  for (std::int64_t k = 0; k < function.input_count; ++k) {
    const std::string name = function.inputs[k].name;
    call.inputs.push_back(array(name, quantity == "friction_efforts"));
    if (!call.inputs.back())
      throw std::runtime_error(
        std::string(function.name) + " takes '" + name + "', which no controller knows: write the "
        "object without it");
  }
  if (function.output_count != 1 || function.outputs[0].size != object_.manifest().nv)
    throw std::runtime_error(std::string(function.name) + " gives no efforts of joints");
  calls_.push_back(std::move(call));
}

const std::vector<double> & Model::evaluate()
{
  std::fill(tau_.begin(), tau_.end(), 0.0);
  for (const auto & call : calls_) {
    double * const filled = part_.data();
    call.function->call(call.inputs.data(), &filled);
    for (std::size_t k = 0; k < tau_.size(); ++k) tau_[k] += call.sign * part_[k];
  }
  return tau_;
}
}  // namespace dyn_controllers
