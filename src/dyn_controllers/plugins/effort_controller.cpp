// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "effort_controller.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>

#include "dyn_controllers/codegen.hpp"

namespace dyn_controllers
{
using controller_interface::InterfaceConfiguration;
using controller_interface::interface_configuration_type;
using Clock = std::chrono::steady_clock;

namespace
{
constexpr double SECONDS_TO_LIMIT = 0.1;  ///< as the nodes of dyn_ros have it

double seconds_since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
}
}  // namespace

CallbackReturn EffortController::on_init()
{
  listener_ = std::make_shared<dyn_controllers_parameters::ParamListener>(get_node());
  warn_of_unknown_parameters();
  return CallbackReturn::SUCCESS;
}

/// ROS says nothing of parameters that are given and that nobody declares, such as misspelt ones.
void EffortController::warn_of_unknown_parameters()
{
  const auto parameters = get_node()->get_node_parameters_interface();
  for (const auto & [name, value] : parameters->get_parameter_overrides())
    if (!parameters->has_parameter(name) && name != "type" && name.rfind("qos_overrides.", 0) != 0)
      RCLCPP_WARN(
        get_node()->get_logger(), "parameter '%s' is not known and has no effect: look at its name",
        name.c_str());
}

CallbackReturn EffortController::on_configure(const rclcpp_lifecycle::State &)
{
  const auto begin = Clock::now();
  try {
    params_ = listener_->get_params();
    model_ = std::make_unique<Model>(object());
    for (const auto & function : functions()) model_->use(function.quantity, function.sign);
    joints_ = params_.joints.empty() ? model_->joints() : params_.joints;
    commanded_.clear();
    for (const auto & joint : joints_) commanded_.push_back(model_->index(joint));
    for (auto * array : {&positions_, &velocities_}) array->assign(model_->joints().size(), 0.0);
    for (auto * array : {&wanted_, &present_, &commanded_positions_, &commanded_velocities_})
      array->assign(joints_.size(), 0.0);
    const auto known = settings();
    const auto largest = std::max_element(known.limit.begin(), known.limit.end());
    policy_ = EffortPolicy(known);
    shown_ = ShownVelocity(joints_.size());
    surroundings_ = std::make_shared<Surroundings>(
      *model_, params_.gravity, largest == known.limit.end() ? 0.0 : *largest);
    Surroundings::open(surroundings_, *get_node());
    const auto friction = params_.include_friction ? dyn_msgs::msg::JointEfforts::TERM_FRICTION : 0;
    report_ = std::make_shared<Report>(
      get_node(), joints_, static_cast<std::uint8_t>(terms() | friction), surroundings_);
    Report::open(report_, params_.state_rate);
    configure();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::FAILURE;
  }
  RCLCPP_INFO(
    get_node()->get_logger(), "Configured in %.0f ms for %zu joints", seconds_since(begin) * 1e3,
    joints_.size());
  return CallbackReturn::SUCCESS;
}

std::vector<EffortController::Function> EffortController::functions() const
{
  std::vector<Function> all{{quantity(), "", 1.0}};
  const auto smoothing = "(smoothing=" + std::to_string(params_.friction_smoothing) + ")";
  if (params_.include_friction) all.push_back({"friction_efforts", smoothing, -1.0});
  return all;
}

Object EffortController::object() const
{
  const auto & description = get_robot_description();
  if (!params_.kernel.empty()) return Object::load(params_.kernel, description);
  std::string names, inputs = "gravity";
  for (const auto & function : functions())
    names += (names.empty() ? "" : ",") + function.quantity + function.options;
  for (const auto & frame : params_.payload_frames) inputs += ",payload('" + frame + "')";
  return generate(
    params_.codegen_command, description, names, inputs, params_.codegen_timeout);
}

EffortSettings EffortController::settings() const
{
  EffortSettings settings;
  settings.ramp_duration = params_.ramp_duration;
  settings.hold_duration = params_.hold_duration;
  settings.damp_duration = params_.damp_duration;
  settings.damping.assign(joints_.size(), params_.damping);
  const auto & limits = get_hard_joint_limits();
  for (const auto & joint : joints_) {
    const auto known = limits.find(joint);
    const bool limited = known != limits.end() && known->second.has_effort_limits;
    const double limit =
      limited ? known->second.max_effort : std::numeric_limits<double>::infinity();
    if (!limited)
      RCLCPP_WARN(get_node()->get_logger(), "joint '%s' has no limit of effort", joint.c_str());
    settings.limit.push_back(params_.effort_limit_scale * limit);
    settings.rate.push_back(
      params_.max_effort_rate > 0.0 ? params_.max_effort_rate : limit / SECONDS_TO_LIMIT);
  }
  return settings;
}

CallbackReturn EffortController::on_cleanup(const rclcpp_lifecycle::State &)
{
  report_.reset();
  surroundings_.reset();
  model_.reset();
  return CallbackReturn::SUCCESS;
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
  for (const auto & joint : model_->joints()) wanted.names.push_back(joint + "/position");
  if (needs_velocity())
    for (const auto & joint : model_->joints()) wanted.names.push_back(joint + "/velocity");
  if (params_.start_effort == "measured")
    for (const auto & joint : joints_) wanted.names.push_back(joint + "/effort");
  return wanted;
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
EffortController::on_export_reference_interfaces_list()
{
  references_.clear();
  for (const auto & joint : joints_)
    for (const auto & kind : reference_kinds()) {
      hardware_interface::InterfaceInfo info;
      info.name = kind;
      info.data_type = "double";
      references_.push_back(std::make_shared<hardware_interface::CommandInterface>(
        hardware_interface::InterfaceDescription(
          std::string(get_node()->get_name()) + "/" + joint, info)));
    }
  forget_references();
  return references_;
}

void EffortController::forget_references()
{
  for (auto & one : references_) (void)one->set_value(no_reference());
}

double EffortController::reference(std::size_t joint, std::size_t kind) const
{
  if (!is_in_chained_mode()) return no_reference();
  const std::size_t kinds = references_.size() / joints_.size();
  const double value = references_[joint * kinds + kind]->get_optional().value_or(no_reference());
  return std::isfinite(value) ? value : no_reference();
}

double EffortController::start_effort(std::size_t joint) const
{
  if (params_.start_effort == "zero") return 0.0;
  if (params_.start_effort == "command")
    return command_interfaces_[joint].get_optional().value_or(0.0);
  const auto first = state_interfaces_.size() - joints_.size();
  return state_interfaces_[first + joint].get_optional().value_or(0.0);
}

CallbackReturn EffortController::on_activate(const rclcpp_lifecycle::State &)
{
  for (std::size_t k = 0; k < joints_.size(); ++k) present_[k] = start_effort(k);
  policy_.begin(present_);
  shown_.begin();
  unread_ = unchanged_ = 0.0;
  forget_references();
  begin();
  return CallbackReturn::SUCCESS;
}

CallbackReturn EffortController::on_deactivate(const rclcpp_lifecycle::State &)
{
  if (params_.on_deactivate == "zero")
    for (auto & command : command_interfaces_) (void)command.set_value(0.0);
  return CallbackReturn::SUCCESS;
}

return_type EffortController::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration &)
{
  return return_type::OK;  // what a preceding controller left is not read then, see reference()
}

/// Whether the state is good: finite, read not too long ago, and not the same for too long.
bool EffortController::read_state(double dt)
{
  const std::size_t n = positions_.size();
  bool all_read = true, finite = true, same = true;
  for (std::size_t k = 0; k < (needs_velocity() ? 2 * n : n); ++k) {
    const auto read = state_interfaces_[k].get_optional();
    if (!read) {
      all_read = false;
      continue;
    }
    double & known = k < n ? positions_[k] : velocities_[k - n];
    finite = finite && std::isfinite(*read);
    same = same && known == *read;
    known = *read;
  }
  unread_ = all_read ? 0.0 : unread_ + dt;
  unchanged_ = same ? unchanged_ + dt : 0.0;
  return finite && unread_ <= params_.unread_timeout &&
         (params_.unchanged_timeout <= 0.0 || unchanged_ <= params_.unchanged_timeout);
}

return_type EffortController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration & period)
{
  const bool timed = report_->wants_times();
  const auto begin = timed ? Clock::now() : Clock::time_point();
  const double dt = period.seconds();
  surroundings_->enter(*model_);
  double in_model = 0.0;
  const bool good = read_state(dt);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    commanded_positions_[k] = positions_[commanded_[k]];
    commanded_velocities_[k] = velocities_[commanded_[k]];
  }
  shown_.measure(commanded_positions_, commanded_velocities_, dt);
  if (good) {
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      model_->set_position(k, positions_[k]);
      model_->set_velocity(k, velocities_[k]);
    }
    enter_references();
    const auto before = timed ? Clock::now() : Clock::time_point();
    const auto & tau = model_->evaluate();
    if (timed) in_model = seconds_since(before);
    for (std::size_t k = 0; k < joints_.size(); ++k) wanted_[k] = tau[commanded_[k]];
    add_references(wanted_);
    policy_.follow(wanted_, dt);
  } else {
    policy_.endure(shown_.velocity(), dt);
  }
  for (std::size_t k = 0; k < joints_.size(); ++k)
    (void)command_interfaces_[k].set_value(policy_.efforts()[k]);
  report_->add(time, policy_);
  if (timed) report_->add_times(seconds_since(begin), in_model);
  return policy_.phase() == EffortPolicy::Phase::error ? return_type::ERROR : return_type::OK;
}
}  // namespace dyn_controllers
