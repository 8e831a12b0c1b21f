// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/effort_controller.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace dyn_controllers
{
using Clock = std::chrono::steady_clock;
using Event = EffortPolicy::Event;

namespace
{
constexpr double SAME_SWITCH_S = 0.02;   ///< between two changes of state in one cycle
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

double seconds_since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
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

CallbackReturn EffortController::on_configure(const rclcpp_lifecycle::State &)
{
  const auto begin = Clock::now();
  try {
    params_ = listener_->get_params();
    model_ = std::make_unique<Model>(object());
    for (const auto & function : functions()) model_->use(function.quantity, function.sign);
    for (auto * array :
         {&positions_, &velocities_, &measured_positions_, &measured_velocities_})
      array->assign(model_->joints().size(), 0.0);
    read_description();
    choose_joints();
    for (auto * array : {&wanted_, &gravity_, &velocity_})
      array->assign(joints_.size(), 0.0);
    mass_.assign(joints_.size() * joints_.size(), 0.0);
    const auto limits = settings();
    policy_ = EffortPolicy(joints_, limits);
    guard_ = velocity_guard();
    environment_ = std::make_shared<EnvironmentInputs>(
      *model_, params_.gravity, *std::max_element(limits.limit.begin(), limits.limit.end()));
    EnvironmentInputs::open(environment_, *get_node());
    set_up();
    create_report();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::FAILURE;
  }
  RCLCPP_INFO(
    get_node()->get_logger(), "Configured in %.0f ms for %zu joints", seconds_since(begin) * 1e3,
    joints_.size());
  return CallbackReturn::SUCCESS;
}

CallbackReturn EffortController::on_cleanup(const rclcpp_lifecycle::State &)
{
  report_.reset();
  environment_.reset();
  model_.reset();
  return CallbackReturn::SUCCESS;
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
EffortController::on_export_reference_interfaces_list()
{
  std::vector<hardware_interface::CommandInterface::SharedPtr> references;
  for (const auto & joint : joints_)
    for (const auto & kind : reference_kinds()) {
      hardware_interface::InterfaceInfo info;
      info.name = kind;
      info.data_type = "double";
      references.push_back(std::make_shared<hardware_interface::CommandInterface>(
        hardware_interface::InterfaceDescription(
          std::string(get_node()->get_name()) + "/" + joint, info)));
      (void)references.back()->set_value(no_reference());
    }
  return references;
}

void EffortController::clear_references()
{
  for (auto & one : ordered_exported_reference_interfaces_) (void)one->set_value(no_reference());
}

void EffortController::set_reference(std::size_t joint, std::size_t kind, double value)
{
  const std::size_t kinds = ordered_exported_reference_interfaces_.size() / joints_.size();
  (void)ordered_exported_reference_interfaces_[joint * kinds + kind]->set_value(value);
}

double EffortController::reference(std::size_t joint, std::size_t kind) const
{
  const std::size_t kinds = ordered_exported_reference_interfaces_.size() / joints_.size();
  const auto & one = ordered_exported_reference_interfaces_[joint * kinds + kind];
  const double value = one->get_optional().value_or(no_reference());
  return std::isfinite(value) ? value : no_reference();
}

double EffortController::start_effort(std::size_t joint) const
{
  if (params_.start_effort == "zero") return 0.0;
  if (params_.start_effort == "command")
    return command_interfaces_[joint].get_optional().value_or(0.0);
  return state_interfaces_[readings_.size() + joint].get_optional().value_or(0.0);
}

CallbackReturn EffortController::on_activate(const rclcpp_lifecycle::State &)
{
  // A change of chain mode deactivates and activates in one cycle, in which nothing is written.
  const bool continues = seconds_since(deactivated_) < SAME_SWITCH_S;
  deactivated_ = {};
  if (continues) {
    write(policy_.command());
    policy_.ramp();
  } else {
    for (std::size_t k = 0; k < joints_.size(); ++k) wanted_[k] = start_effort(k);
    policy_.begin(wanted_, now_);
    guard_.begin();
    overspeed_ = false;
    cycle_ = {};
  }
  unread_ = unchanged_ = 0.0;
  clear_references();
  reset();
  return CallbackReturn::SUCCESS;
}

CallbackReturn EffortController::on_deactivate(const rclcpp_lifecycle::State &)
{
  if (policy_.phase() != EffortPolicy::Phase::waiting) deactivated_ = Clock::now();
  if (params_.shutdown.command == "none") return CallbackReturn::SUCCESS;
  const bool hold = params_.shutdown.command == "hold_gravity";
  write(policy_.last_command(hold ? ShutdownCommand::hold_gravity : ShutdownCommand::zero));
  return CallbackReturn::SUCCESS;
}

return_type EffortController::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration &)
{
  clear_references();  // of a controller that preceded this one
  return return_type::OK;
}

/// Read the state. \return why it is not valid; null: it is.
const char * EffortController::read_state(double dt)
{
  bool all_read = true, same = true;
  const char * fault = nullptr;
  for (std::size_t k = 0; k < readings_.size(); ++k) {
    const auto & [joint, is_velocity] = readings_[k];
    const auto read = state_interfaces_[k].get_optional();
    auto & measured = (is_velocity ? measured_velocities_ : measured_positions_)[joint];
    if (!read) {
      all_read = false;
      continue;
    }
    same = same && measured == *read;
    measured = std::isfinite(*read) ? *read : UNKNOWN;
    if (std::isfinite(*read)) {
      (is_velocity ? velocities_ : positions_)[joint] = *read;
      if (!is_velocity) model_->set_position(joint, *read);
    } else if (!is_velocity || needs_velocity()) {
      fault = is_velocity ? "velocity is not finite" : "position is not finite";
    }
  }
  unread_ = all_read ? 0.0 : unread_ + dt;
  unchanged_ = same ? unchanged_ + dt : 0.0;
  if (unread_ > params_.unread_timeout) fault = "state interfaces cannot be read";
  if (params_.unchanged_timeout > 0.0 && unchanged_ > params_.unchanged_timeout)
    fault = "states do not change";
  return fault;
}

/// Compute the efforts that are wanted. \return why they cannot be followed; null: they can.
const char * EffortController::compute_wanted()
{
  for (std::size_t k = 0; k < velocities_.size(); ++k) model_->set_velocity(k, velocities_[k]);
  if (const char * fault = apply_references()) return fault;
  select(model_->evaluate(), wanted_);
  if (params_.hardware_compensates_gravity)
    for (std::size_t k = 0; k < wanted_.size(); ++k) wanted_[k] -= gravity_[k];
  add_references(wanted_);
  return nullptr;
}

void EffortController::select(
  const std::vector<double> & all, std::vector<double> & commanded) const
{
  for (std::size_t k = 0; k < commanded.size(); ++k) commanded[k] = all[commanded_[k]];
}

return_type EffortController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration & period)
{
  const double dt = std::max(period.seconds(), 0.0);
  now_ += dt;
  if (environment_->apply(*model_)) policy_.ramp();
  const char * fault = read_state(dt);
  guard_.measure(measured_positions_, measured_velocities_, now_);
  select(model_->hold(), gravity_);
  if (!fault) fault = compute_wanted();
  step(fault);
  report_->update(time, cycle_, policy_.command());
  return policy_.phase() == EffortPolicy::Phase::waiting ? return_type::ERROR : return_type::OK;
}

/// Take one step of the policy, and write its command.
void EffortController::step(const char * fault)
{
  select(guard_.velocity(), velocity_);
  if (guard_.overspeed() && !overspeed_) {
    overspeed_ = true;
    const auto joint = *guard_.overspeed();
    RCLCPP_ERROR(
      get_node()->get_logger(),
      "joint '%s' exceeds limits.velocity_scale times its velocity limit: it moves at %.3g; braking "
      "without the model. Is gravity compensated twice, or a payload wrong?",
      model_->joints()[joint].c_str(), guard_.velocity()[joint]);
  }
  if (overspeed_) {
    policy_.trust = EffortPolicy::Trust::no_model;
    fault = "overspeed";
  }
  EffortInputs inputs{&wanted_, &gravity_, &velocity_, nullptr, 0.0};
  if (params_.hardware_compensates_gravity) std::fill(gravity_.begin(), gravity_.end(), 0.0);
  if (fault || policy_.phase() != EffortPolicy::Phase::following)
    if (model_->mass_matrix(commanded_, mass_)) inputs.mass = &mass_;
  bool sent = !fault && policy_.step(now_, Event::follow, inputs);
  if (!fault && !sent) fault = "wanted efforts are not finite";
  if (!sent) sent = policy_.step(now_, overspeed_ ? Event::damp : Event::hold, inputs);
  if (sent) write(policy_.command());
  ++cycle_.cycles;
  cycle_.phase = policy_.phase();
  if (fault || cycle_.phase != EffortPolicy::Phase::following) ++cycle_.invalid;
  if (fault) cycle_.fault = fault;
  if (!fault && policy_.exceeded()) ++cycle_.saturated;
}

void EffortController::write(const std::vector<double> & efforts)
{
  for (std::size_t k = 0; k < command_interfaces_.size(); ++k)
    (void)command_interfaces_[k].set_value(efforts[k]);
}
}  // namespace dyn_controllers
