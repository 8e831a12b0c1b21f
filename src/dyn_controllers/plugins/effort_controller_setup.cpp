// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
// What EffortController sets up at init and configure.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "dyn_controllers/codegen.hpp"
#include "dyn_controllers/effort_controller.hpp"
#include "hardware_interface/component_parser.hpp"
#include "joint_limits/joint_limits_urdf.hpp"
#if __has_include("urdf/model.hpp")
#include "urdf/model.hpp"
#else
#include "urdf/model.h"
#endif

namespace dyn_controllers
{
using controller_interface::InterfaceConfiguration;
using controller_interface::interface_configuration_type;
using dyn_msgs::msg::JointEfforts;

namespace
{
constexpr double LIMIT_RATE_S = 0.1;  ///< in which an effort may change by its limit

/// Parameters of earlier versions, and those that replace them; empty: none does.
const std::map<std::string, std::string> OLD_NAMES{
  {"codegen_timeout", ""},
  {"damp_duration", "damp.duration"},
  {"damping", "damp.time_constant"},
  {"damping_time", "damp.time_constant"},
  {"effort_limit_scale", "limits.effort_scale"},
  {"friction_smoothing", ""},
  {"generate_kernel", "codegen_command: [dyn-core]"},
  {"hold_duration", "hold.duration"},
  {"max_effort_rate", "limits.effort_rate"},
  {"max_velocity_scale", "limits.velocity_scale"},
  {"on_deactivate", "shutdown.command"},
  {"posture_frequency", "natural_frequency"},
  {"ramp_duration", "ramp.duration"},
  {"shutdown_command", "shutdown.command"},
  {"state_rate", ""},
  {"unread_timeout", ""}};

/// Lower a limit to another one, where that is known.
void lower(bool known, double other, bool & has, double & limit)
{
  if (known) limit = has ? std::min(limit, other) : other;
  has = has || known;
}
}  // namespace

CallbackReturn EffortController::on_init()
{
  try {
    listener_ = std::make_shared<dyn_controllers_effort_controller::ParamListener>(get_node());
    declare_parameters();
    refuse_old_parameters();
  } catch (const rclcpp::exceptions::ParameterUninitializedException &) {
    RCLCPP_ERROR(
      get_node()->get_logger(),
      "hardware_compensates_gravity is not set: set it to true if the robot adds gravity efforts "
      "itself, else to false");
    return CallbackReturn::ERROR;
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

/// Read interfaces and limits of joints. The manager gives limits only while it enforces them.
void EffortController::read_description()
{
  joint_interfaces_.clear();
  limits_.clear();
  friction_.clear();
  const auto & description = get_robot_description();
  urdf::Model robot;
  if (robot.initString(description)) root_ = robot.getRoot()->name;
  for (const auto & [name, joint] : robot.joints_) {
    joint_limits::getJointLimits(joint, limits_[name]);
    if (joint->dynamics) friction_[name] = joint->dynamics->friction;
  }
  if (description.find("<ros2_control") == std::string::npos) return;
  for (const auto & hardware : hardware_interface::parse_control_resources_from_urdf(description)) {
    for (const auto & joint : hardware.joints) {
      auto & names = joint_interfaces_[joint.name];
      for (const auto & one : joint.state_interfaces) names.insert("state " + one.name);
      for (const auto & one : joint.command_interfaces) names.insert("command " + one.name);
    }
    for (const auto & [name, limits] : hardware.limits) {
      auto & ours = limits_[name];
      lower(
        limits.has_effort_limits, limits.max_effort, ours.has_effort_limits, ours.max_effort);
      lower(
        limits.has_velocity_limits, limits.max_velocity, ours.has_velocity_limits,
        ours.max_velocity);
    }
  }
}

/// ROS says nothing of parameters that are given and that no one declares, such as misspelt ones.
void EffortController::refuse_old_parameters()
{
  const auto parameters = get_node()->get_node_parameters_interface();
  for (const auto & [name, value] : parameters->get_parameter_overrides()) {
    const auto old = OLD_NAMES.find(name);
    if (old != OLD_NAMES.end())
      throw std::invalid_argument(
        "parameter '" + name + "' does not exist any more: " +
        (old->second.empty() ? "remove it" : "set '" + old->second + "' instead"));
    if (!parameters->has_parameter(name) && name != "type" && name.rfind("qos_overrides.", 0) != 0)
      RCLCPP_WARN(
        get_node()->get_logger(), "parameter '%s' is not known and has no effect: look at its name",
        name.c_str());
  }
}

Object EffortController::object() const
{
  std::string names = quantity() + further_functions(), inputs = "gravity";
  if (params_.include_friction) names += std::string(",friction_efforts") + FRICTION_SMOOTHING;
  if (quantity() != "rnea") names += ",rnea";  // for damping
  for (const auto & frame : params_.payload_frames) inputs += ",payload('" + frame + "')";
  return load_or_generate(
    params_.kernel, params_.codegen_command, get_robot_description(), names, inputs);
}

/// Which joints are read, commanded and locked, by the interfaces that the description names.
void EffortController::choose_joints()
{
  const bool known = !joint_interfaces_.empty();
  const auto has = [this, known](const std::string & joint, bool command, const char * name) {
    const auto found = joint_interfaces_.find(joint);
    if (found == joint_interfaces_.end()) return !known;
    return found->second.count(std::string(command ? "command " : "state ") + name) != 0;
  };
  joints_ = params_.joints;
  if (joints_.empty())
    for (const auto & joint : model_->joints())
      if (has(joint, true, "effort") && has(joint, false, "position")) joints_.push_back(joint);
  if (joints_.empty())
    throw std::invalid_argument(
      "no joint of the robot has an effort command interface and a position state interface: add "
      "them to the ros2_control tag of the description");
  commanded_.clear();
  for (const auto & joint : joints_) {
    commanded_.push_back(model_->index(joint));
    for (const bool command : {false, true})
      if (const char * name = command ? "effort" : "position"; !has(joint, command, name))
        throw std::invalid_argument(
          "joint '" + joint + "' has no " + name + (command ? " command" : " state") +
          " interface in the description: add it, or leave the joint out of joints");
  }
  compares_effort_ = known && params_.start_effort != "zero" && params_.measured_effort != "other";
  for (const auto & joint : joints_)
    compares_effort_ = compares_effort_ && has(joint, false, "effort");
  reads_effort_ = compares_effort_ || params_.start_effort == "measured";
  readings_.clear();
  locked_.clear();
  std::fill(measured_velocities_.begin(), measured_velocities_.end(), UNKNOWN);
  for (std::size_t k = 0; k < model_->joints().size(); ++k) {
    const auto & joint = model_->joints()[k];
    if (!has(joint, false, "position")) {
      lock(k);
      continue;
    }
    readings_.push_back({k, false});
    // Where the description names no interfaces only what is needed is asked for.
    if (known ? has(joint, false, "velocity") : needs_velocity())
      readings_.push_back({k, true});
    else if (needs_velocity())
      throw std::invalid_argument(
        "joint '" + joint + "' has no velocity state interface in the description, which this "
        "controller needs: add it");
  }
}

/// Let a joint that cannot be read stand still.
void EffortController::lock(std::size_t joint)
{
  const auto & name = model_->joints()[joint];
  const auto & limits = limits_[name];
  const double position =
    limits.has_position_limits ? std::clamp(0.0, limits.min_position, limits.max_position) : 0.0;
  positions_[joint] = measured_positions_[joint] = position;
  measured_velocities_[joint] = 0.0;
  model_->set_position(joint, position);
  locked_ += (locked_.empty() ? "" : ", ") + name;
  RCLCPP_WARN(
    get_node()->get_logger(),
    "joint '%s' has no position state interface: its position is assumed to be %g", name.c_str(),
    position);
}

EffortSettings EffortController::settings()
{
  if (!params_.hardware_compensates_gravity && params_.measured_effort == "without_gravity")
    throw std::invalid_argument(
      "measured_effort without_gravity means that the robot adds gravity itself, "
      "hardware_compensates_gravity false that it does not: change one of the two");
  beginning_ = {};
  beginning_.joints = joints_;
  beginning_.gravity.assign(joints_.size(), 0.0);
  beginning_.is_total = params_.measured_effort == "total";
  beginning_.compensates = params_.hardware_compensates_gravity;
  EffortSettings settings;
  settings.ramp = params_.ramp.duration;
  settings.hold = params_.hold.duration;
  settings.damp = params_.damp.duration;
  settings.damping_time = params_.damp.time_constant;
  for (const auto & joint : joints_) {
    const auto known = limits_.find(joint);
    const bool limited = known != limits_.end() && known->second.has_effort_limits;
    const double limit = limited ? known->second.max_effort : INFINITE;
    if (!limited)
      RCLCPP_WARN(get_node()->get_logger(), "joint '%s' has no effort limit", joint.c_str());
    settings.limit.push_back(limited ? params_.limits.effort_scale * limit : limit);
    settings.rate.push_back(
      params_.limits.effort_rate > 0.0 ? params_.limits.effort_rate : limit / LIMIT_RATE_S);
    beginning_.limit.push_back(limit);
    beginning_.available.push_back(settings.limit.back());
    beginning_.friction.push_back(friction_[joint]);
    const auto wrong = objection_to_rate(joint, settings.limit.back(), settings.rate.back());
    if (!wrong.empty()) throw std::invalid_argument(wrong);
  }
  return settings;
}

VelocityGuard EffortController::velocity_guard()
{
  std::vector<double> most;
  max_velocity_.clear();
  turns_.clear();
  for (std::size_t k = 0; k < model_->joints().size(); ++k) {
    const auto known = limits_.find(model_->joints()[k]);
    const bool limited = known != limits_.end() && known->second.has_velocity_limits &&
                         known->second.max_velocity > 0.0;
    max_velocity_.push_back(limited ? known->second.max_velocity : INFINITE);
    const double scale = params_.limits.velocity_scale;
    most.push_back(scale > 0.0 ? scale * max_velocity_.back() : INFINITE);
    turns_.push_back(model_->turns(k));
  }
  return {most, turns_, params_.damp.time_constant};
}

std::uint8_t EffortController::content() const
{
  return terms() | (params_.include_friction ? JointEfforts::TERM_FRICTION : 0);
}

void EffortController::create_report()
{
  const int hardware = params_.hardware_compensates_gravity ? JointEfforts::TERM_GRAVITY : 0;
  const std::string compensates = params_.hardware_compensates_gravity ? "true" : "false";
  report_ = std::make_shared<ControllerReport>(
    get_node(), joints_, static_cast<std::uint8_t>(content() & ~hardware),
    [locked = locked_, compensates, environment = environment_] {
      return std::vector<std::pair<std::string, std::string>>{
        {"payloads", environment->payloads()},
        {"locked_joints", locked.empty() ? "none" : locked},
        {"hardware_compensates_gravity", compensates}};
    });
  ControllerReport::open(report_);
}

InterfaceConfiguration EffortController::command_interface_configuration() const
{
  InterfaceConfiguration wanted{interface_configuration_type::INDIVIDUAL, {}};
  for (const auto & joint : joints_) wanted.names.push_back(joint + "/effort");
  return wanted;
}

InterfaceConfiguration EffortController::state_interface_configuration() const
{
  InterfaceConfiguration wanted{interface_configuration_type::INDIVIDUAL, {}};
  if (!model_) return wanted;
  for (const auto & one : readings_)
    wanted.names.push_back(
      model_->joints()[one.joint] + (one.is_velocity ? "/velocity" : "/position"));
  if (reads_effort_)
    for (const auto & joint : joints_) wanted.names.push_back(joint + "/effort");
  return wanted;
}
}  // namespace dyn_controllers
