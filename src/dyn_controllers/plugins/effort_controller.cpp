// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/effort_controller.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace dyn_controllers
{
using Clock = std::chrono::steady_clock;
using Event = EffortPolicy::Event;

namespace
{
constexpr double SAME_SWITCH_S = 0.02;   ///< between two changes of state in one cycle
constexpr double MAX_UNREAD_S = 0.01;    ///< for which the last state stands in for one that is lost
// As the nodes of dyn_ros have them.
constexpr double AT_REST = 0.1;          ///< rad/s or m/s
constexpr double MAX_JUMP_RATIO = 3.0;   ///< times the velocity limit that a position may change
constexpr double JUMP_MARGIN = 0.02;     ///< rad or m beside that
constexpr double MAX_AGE_S = 0.1;        ///< of a position; after that a joint may be anywhere
constexpr double MAX_AWAY_S = 0.1 / MAX_JUMP_RATIO;  ///< in which an arm may have moved meanwhile
constexpr double GAP_WINDOW_S = 0.3;     ///< in which a long period is forgotten
constexpr double MAX_EXCESS = 10.0, MAX_EFFORT = 1e9;  ///< times the limit, and N m or N, wanted
constexpr double MAX_STILL_S = 0.03;     ///< in which hardware that is slower repeats positions

double seconds_since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
}
}  // namespace

CallbackReturn EffortController::on_configure(const rclcpp_lifecycle::State &)
{
  const auto begin = Clock::now();
  try {
    params_ = listener_->get_params();
    model_ = std::make_unique<Model>(object());
    prepare();
    model_->use(quantity());
    if (params_.include_friction) model_->use("friction_efforts", -1.0);
    for (auto * array :
         {&positions_, &velocities_, &measured_positions_, &measured_velocities_})
      array->assign(model_->joints().size(), 0.0);
    places_.resize(model_->joints().size());
    read_description();
    choose_joints();
    for (auto * array : {&wanted_, &gravity_, &velocity_, &braking_})
      array->assign(joints_.size(), 0.0);
    mass_.assign(joints_.size() * joints_.size(), 0.0);
    const auto limits = settings();
    policy_ = EffortPolicy(joints_, limits);
    guard_ = velocity_guard();
    check_ = VelocityCheck(max_velocity_, turns_);
    standing_ = {positions_, std::vector<double>(compares_effort_ ? joints_.size() : 0)};
    beginning_.measured = standing_.measured;
    agreement_ = std::make_shared<EffortAgreement>(*model_, quantity(), commanded_, beginning_);
    environment_ = std::make_shared<EnvironmentInputs>(
      *model_, params_.gravity, *std::max_element(limits.limit.begin(), limits.limit.end()),
      agreement_);
    EnvironmentInputs::open(environment_, *get_node());
    subscriptions_.clear();
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
  subscriptions_.clear();
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
      (void)references.back()->set_value(UNKNOWN);
    }
  return references;
}

void EffortController::clear_references()
{
  for (auto & one : ordered_exported_reference_interfaces_) (void)one->set_value(UNKNOWN);
}

void EffortController::set_reference(std::size_t joint, std::size_t kind, double value)
{
  const std::size_t kinds = ordered_exported_reference_interfaces_.size() / joints_.size();
  (void)ordered_exported_reference_interfaces_[joint * kinds + kind]->set_value(value);
}

double EffortController::reference(std::size_t joint, std::size_t kind, double otherwise) const
{
  const std::size_t kinds = ordered_exported_reference_interfaces_.size() / joints_.size();
  const auto & one = ordered_exported_reference_interfaces_[joint * kinds + kind];
  const double value = one->get_optional().value_or(otherwise);
  return std::isfinite(value) ? value : otherwise;
}

double EffortController::start_effort(std::size_t joint) const
{
  if (params_.start_effort == "zero") return 0.0;
  if (params_.start_effort == "command")
    return command_interfaces_[joint].get_optional().value_or(0.0);
  return state_interfaces_[readings_.size() + joint].get_optional().value_or(0.0);
}

/// Why commands cannot begin, in words; empty: they can. Reads the state.
std::string EffortController::objection()
{
  std::fill(measured_positions_.begin(), measured_positions_.end(), UNKNOWN);
  places_.assign(places_.size(), {});
  standstill_ = Standstill(places_.size());
  if (const char * fault = read_state(INFINITE)) return fault;
  select(model_->hold(), beginning_.gravity);
  beginning_.is_first = cycle_.cycles == 0;
  beginning_.resting = true;
  beginning_.measured.clear();
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const bool slow = std::abs(measured_velocities_[commanded_[k]]) < AT_REST;  // not so for NaN
    beginning_.resting = beginning_.resting && slow;
    if (compares_effort_)
      beginning_.measured.push_back(
        state_interfaces_[readings_.size() + k].get_optional().value_or(UNKNOWN));
  }
  auto reason = objection_to_beginning(beginning_);
  if (!reason.empty() && params_.accept_effort_disagreement) {
    RCLCPP_WARN(
      get_node()->get_logger(), "accepted by accept_effort_disagreement: %s", reason.c_str());
    reason.clear();
  }
  return reason;
}

CallbackReturn EffortController::on_activate(const rclcpp_lifecycle::State &)
{
  // A change of chain mode deactivates and activates in one cycle, in which nothing is written.
  const bool continues = seconds_since(deactivated_) < SAME_SWITCH_S;
  deactivated_ = {};
  if (continues) {
    policy_.ramp();
  } else {
    environment_->apply(*model_);
    if (const auto reason = objection(); !reason.empty()) {
      RCLCPP_ERROR(get_node()->get_logger(), "commands do not begin: %s", reason.c_str());
      return CallbackReturn::FAILURE;
    }
    for (std::size_t k = 0; k < joints_.size(); ++k) wanted_[k] = start_effort(k);
    policy_.begin(wanted_, now_);
    guard_.begin();
    check_.begin();
    longest_ = 0.0;
    ending_ = nullptr;
    cycle_ = {};
  }
  write(policy_.command());  // in place of what a controller before it has left
  unread_ = unchanged_ = 0.0;
  clear_references();
  reset();
  return CallbackReturn::SUCCESS;
}

CallbackReturn EffortController::on_deactivate(const rclcpp_lifecycle::State &)
{
  if (policy_.phase() != EffortPolicy::Phase::waiting) deactivated_ = Clock::now();
  agreement_->forget();
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

/// Read the state; for a moment the last one stands in for values that cannot be used.
/// \return why it is not valid; null: it is.
const char * EffortController::read_state(double dt)
{
  bool same = true;
  std::size_t positions = 0, wrong = 0;
  for (std::size_t k = 0; k < readings_.size(); ++k) {
    const auto & [joint, is_velocity] = readings_[k];
    const double value = state_interfaces_[k].get_optional().value_or(UNKNOWN);
    auto & measured = (is_velocity ? measured_velocities_ : measured_positions_)[joint];
    same = same && measured == value;
    measured = value;
    if (!is_velocity) ++positions;
  }
  still_ = standstill_.lasts(measured_positions_, measured_velocities_, now_, commanded_);
  for (const auto & [joint, is_velocity] : readings_) {
    if (is_velocity) continue;
    locate(joint, measured_positions_[joint], dt);
    wrong += !places_[joint].is_known && std::isfinite(measured_positions_[joint]);
  }
  // most of them wrong: no sensor that fails, but other units, perhaps
  const bool trusted = still_ <= MAX_STILL_S && 2 * wrong <= positions;
  bool all_read = trusted;
  lost_ = false;
  for (const auto & [joint, is_velocity] : readings_) {
    auto & measured = (is_velocity ? measured_velocities_ : measured_positions_)[joint];
    if (!is_velocity && !(trusted && places_[joint].is_known)) measured = UNKNOWN;
    if (std::isfinite(measured)) {
      (is_velocity ? velocities_ : positions_)[joint] = measured;
      if (!is_velocity) model_->set_position(joint, measured);
    } else if (!is_velocity || needs_velocity()) {
      all_read = false;
      lost_ = lost_ || !is_velocity;
    }
  }
  unread_ = all_read ? 0.0 : unread_ + dt;
  unchanged_ = same ? unchanged_ + dt : 0.0;
  if (still_ > MAX_STILL_S) return "positions stand still in a motion";
  if (unread_ > MAX_UNREAD_S) return "states are absent, not finite or jump";
  if (params_.unchanged_timeout > 0.0 && unchanged_ > params_.unchanged_timeout)
    return "states do not change";
  return nullptr;
}

/// Take the position of a joint if it may be there, dt s after the last cycle.
///
/// Positions that have jumped are not believed by and by: if their unit has changed, gravity of
/// positions in degrees would drive the arm. At overspeed they drive nothing, and are needed.
void EffortController::locate(std::size_t joint, double position, double dt)
{
  auto & place = places_[joint];
  place.age += dt;
  double elapsed = place.age <= std::max(MAX_AGE_S, dt) ? place.age : INFINITE;
  if (place.jumped) elapsed = std::min(place.age, MAX_AWAY_S);
  const double step = std::abs(difference(position, place.position, model_->turns(joint)));
  const bool jumps = policy_.trust == EffortPolicy::Trust::full &&
                     step > MAX_JUMP_RATIO * max_velocity_[joint] * elapsed + JUMP_MARGIN;
  place.is_known = std::isfinite(position) && !jumps;
  if (place.is_known)
    place = {position, 0.0, true, false};
  else
    place.jumped = place.jumped || jumps;
}

/// Compute the efforts that are wanted.
void EffortController::compute_wanted()
{
  for (std::size_t k = 0; k < velocities_.size(); ++k) model_->set_velocity(k, velocities_[k]);
  if (const char * fault = apply_references()) ending_ = fault;
  select(model_->evaluate(), wanted_);
  if (params_.hardware_compensates_gravity)
    for (std::size_t k = 0; k < wanted_.size(); ++k) wanted_[k] -= gravity_[k];
  add_references(wanted_);
}

/// Whether wanted efforts may be meant: cut to the limits, others would still drive the arm.
bool EffortController::may_be_meant() const
{
  bool meant = true;
  for (std::size_t k = 0; k < wanted_.size(); ++k)
    meant = meant && std::abs(wanted_[k]) <= std::min(MAX_EXCESS * beginning_.limit[k], MAX_EFFORT);
  return meant;
}

/// Continue joints without positions by the motion that braking causes, and brake them.
void EffortController::coast(double dt)
{
  const auto & velocity = guard_.coast(dt);
  for (std::size_t k = 0; k < velocity.size(); ++k) {
    if (std::isfinite(measured_positions_[k])) continue;
    positions_[k] += velocity[k] * dt;
    model_->set_position(k, positions_[k]);
  }
  select(model_->hold(), gravity_);
  if (!model_->mass_matrix(commanded_, mass_)) return;
  const std::size_t n = gravity_.size();
  std::fill(braking_.begin(), braking_.end(), 0.0);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; is_lost(k) && i < n; ++i)
      braking_[i] -= mass_[i * n + k] * velocity[commanded_[k]] / params_.damp.time_constant;
  add_within_room(beginning_.available, braking_, gravity_);
}

/// Whether the position of a commanded joint is not known in this cycle.
bool EffortController::is_lost(std::size_t joint) const
{
  return !std::isfinite(measured_positions_[commanded_[joint]]);
}

void EffortController::select(
  const std::vector<double> & all, std::vector<double> & commanded) const
{
  for (std::size_t k = 0; k < commanded.size(); ++k) commanded[k] = all[commanded_[k]];
}

return_type EffortController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration & period)
{
  const double dt = period.seconds() > 0.0 ? period.seconds() : longest_;  // clocks stop, go back
  longest_ = std::max({dt, check_.repeated(), longest_ * std::exp(-dt / GAP_WINDOW_S)});
  now_ += dt;
  if (environment_->apply(*model_)) policy_.ramp();
  const char * fault = read_state(dt);
  if ((unread_ == 0.0 && still_ == 0.0) || fault)
    guard_.measure(measured_positions_, measured_velocities_, now_);
  if (needs_velocity() && !fault && still_ == 0.0)
    if (check_.cut(measured_positions_, now_, velocities_)) fault = "velocities contradict positions";
  const bool coasts = fault && lost_ && !params_.hardware_compensates_gravity;
  if (coasts)
    coast(dt);
  else
    select(model_->hold(), gravity_);
  if (!fault && !ending_) {
    compute_wanted();
    if (!may_be_meant()) fault = "wanted efforts are not finite, or ten times the limit";
  }
  step(fault, coasts);
  if (!params_.accept_effort_disagreement) note_standing();
  report_->update(time, cycle_, policy_.command());
  const bool ends = policy_.phase() == EffortPolicy::Phase::waiting;
  return ends || (ending_ && !policy_.speaks()) ? return_type::ERROR : return_type::OK;
}

/// Tell where the arm is, with which changes of gravity and payloads are compared.
void EffortController::note_standing()
{
  standing_.positions = positions_;
  for (std::size_t k = 0; k < standing_.measured.size(); ++k)
    standing_.measured[k] =
      state_interfaces_[readings_.size() + k].get_optional().value_or(UNKNOWN);
  standing_.rests = std::all_of(
    velocity_.begin(), velocity_.end(), [](double v) { return std::abs(v) < AT_REST; });
  standing_.is_known = follows();
  agreement_->update(standing_);
}

/// Take one step of the policy, and write its command. Joints that coast are braked by gravity_.
void EffortController::step(const char * fault, bool coasts)
{
  select(guard_.velocity(), velocity_);
  if (guard_.overspeed() && policy_.trust == EffortPolicy::Trust::full) {
    policy_.trust = EffortPolicy::Trust::no_model;
    ending_ = "overspeed";
    const auto joint = *guard_.overspeed();
    RCLCPP_ERROR(
      get_node()->get_logger(),
      "joint '%s' exceeds limits.velocity_scale times its velocity limit: it moves at %.3g; braking "
      "without the model. Is gravity compensated twice, or a payload wrong?",
      model_->joints()[joint].c_str(), guard_.velocity()[joint]);
  }
  if (ending_) fault = ending_;
  auto event = Event::follow;
  if (!guard_.known()) {
    for (std::size_t k = 0; k < velocity_.size(); ++k)
      velocity_[k] = measured_velocities_[commanded_[k]];
    if (policy_.damps(velocity_)) event = Event::unsettled;
    if (policy_.speaks()) std::fill(velocity_.begin(), velocity_.end(), UNKNOWN);
  }
  if (coasts && policy_.trust == EffortPolicy::Trust::full)
    for (std::size_t k = 0; k < velocity_.size(); ++k)
      if (is_lost(k)) velocity_[k] = 0.0;
  EffortInputs inputs{&wanted_, &gravity_, &velocity_, nullptr, 0.0};
  if (params_.hardware_compensates_gravity) std::fill(gravity_.begin(), gravity_.end(), 0.0);
  if (fault || !policy_.speaks() || policy_.phase() != EffortPolicy::Phase::following)
    if (model_->mass_matrix(commanded_, mass_)) inputs.mass = &mass_;
  bool sent = !fault && policy_.step(now_, event, inputs);
  if (!sent) sent = policy_.step(now_, ending_ ? Event::damp : Event::hold, inputs);
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
