// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/cartesian_impedance.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "dyn_controllers/gains.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "pluginlib/class_list_macros.hpp"

namespace dyn_controllers
{
using dyn_msgs::msg::JointEfforts;
using Numbers = std::array<double, 16>;
using Placement = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

namespace
{
// As the node impedance of dyn_ros has them.
constexpr double MAX_JUMP = 1.0;           ///< m, from one target to the next
constexpr double UNIT_TOLERANCE = 1e-2;    ///< of a quaternion's length
constexpr double MAX_STEP = 0.1;           ///< s of a cycle in which the target moves on
constexpr double POSTURE_SPEED = 0.3, POSTURE_SHARE = 0.25;  ///< rad/s or m/s; of velocity limits
constexpr double SAME_RATE = 0.1;          ///< part by which a rate may differ
/// What the law takes beside the state; the first three in the order of the kinds of messages.
constexpr const char * INPUTS[] = {
  "target", "target_twist", "target_wrench", "stiffness", "max_error", "damping_ratio",
  "posture", "posture_frequency", "max_frequency"};

constexpr const char * TOPICS[] = {"~/target_pose", "~/target_twist", "~/target_wrench"};

double length(const double * x) { return std::hypot(x[0], x[1], x[2]); }

/// Read a pose as a homogeneous matrix, row by row. \return why it is refused; empty: it is read
std::string read_pose(const geometry_msgs::msg::PoseStamped & message, Numbers & matrix)
{
  const auto & p = message.pose.position;
  const auto & o = message.pose.orientation;
  const Eigen::Quaterniond rotation(o.w, o.x, o.y, o.z);
  if (!(std::abs(rotation.norm() - 1.0) <= UNIT_TOLERANCE) || !std::isfinite(p.x + p.y + p.z))
    return "it has to have a finite position, and a quaternion of length 1";
  Eigen::Map<Placement> placement(matrix.data());
  placement.setIdentity();
  placement.topLeftCorner<3, 3>() = rotation.normalized().matrix();
  placement.topRightCorner<3, 1>() << p.x, p.y, p.z;
  return "";
}

/// Read the vectors of a twist or a wrench in the same way.
template <typename Vector>
std::string read_vectors(const Vector & first, const Vector & second, Numbers & numbers)
{
  numbers = {first.x, first.y, first.z, second.x, second.y, second.z};
  const bool finite = std::isfinite(length(&numbers[0]) + length(&numbers[3]));
  return finite ? "" : "it is not finite: send finite numbers in SI units";
}
}  // namespace

void CartesianImpedance::declare_parameters()
{
  own_listener_ = std::make_shared<dyn_controllers_cartesian_impedance::ParamListener>(get_node());
  own_ = own_listener_->get_params();
}

std::string CartesianImpedance::of_tool(const std::string & quantity) const
{
  return quantity + "(frame='" + own_.tool + "')";
}

std::uint8_t CartesianImpedance::terms() const
{
  return JointEfforts::TERM_GRAVITY | JointEfforts::TERM_CORIOLIS;
}

void CartesianImpedance::prepare()
{
  for (const char * name : INPUTS) model_->inputs[name];
  model_->use_place(of_tool("frame_placement"));
}

void CartesianImpedance::set_up()
{
  own_ = own_listener_->get_params();
  posture_.clear();
  std::istringstream pairs(own_.posture);
  for (std::string pair; std::getline(pairs, pair, ',');) {
    std::istringstream words(pair);
    std::string joint;
    double position;
    if (!(std::getline(words >> std::ws, joint, '=') && words >> position))
      throw std::runtime_error(
        "posture is '" + own_.posture + "': give 'joint=position, joint=position' in rad or m");
    joint.erase(joint.find_last_not_of(' ') + 1);
    posture_.push_back({model_->index(joint), position, position});
  }
  set_gains();
  inbox_ = std::make_shared<Inbox>();
  accept<geometry_msgs::msg::PoseStamped>(POSE, read_pose);
  accept<geometry_msgs::msg::TwistStamped>(TWIST, [](const auto & message, Numbers & numbers) {
    return read_vectors(message.twist.linear, message.twist.angular, numbers);
  });
  accept<geometry_msgs::msg::WrenchStamped>(WRENCH, [](const auto & message, Numbers & numbers) {
    return read_vectors(message.wrench.force, message.wrench.torque, numbers);
  });
}

/// Take messages of a kind into the inbox, if they are in the axes of the root link.
template <typename Message, typename Read>
void CartesianImpedance::accept(Kind kind, Read read)
{
  listen<Message>(
    TOPICS[kind], inbox_,
    [root = root(), kind, read](Inbox & inbox, const Message & message) -> std::string {
      if (message.header.frame_id != root)
        return "it is given in frame '" + message.header.frame_id + "': give it in '" + root + "'";
      Numbers numbers{};
      const std::string objection = read(message, numbers);
      if (!objection.empty()) return objection;
      inbox.received.numbers[kind] = numbers;
      ++inbox.received.counts[kind];
      inbox.box.set(inbox.received);
      return "";
    });
}

/// Enter the gains, as far as the update rate carries them.
void CartesianImpedance::set_gains()
{
  rate_ = rate();
  const double most = most_frequency(own_.damping_ratio, rate_);
  for (std::size_t k = 0; k < 6; ++k) {
    const double K = own_.stiffness[k];
    input("stiffness")[k] = K;
    input("max_error")[k] =
      std::min(own_.limits.error[k / 3], own_.limits.wrench[k / 3] / std::max(K, 1e-9));
  }
  input("damping_ratio")[0] = own_.damping_ratio;
  input("posture_frequency")[0] = std::min(own_.natural_frequency, most);
  input("max_frequency")[0] = most;
}

/// Stretch no spring at once: tool and joints go to their goals from where they are.
void CartesianImpedance::begin_here()
{
  input("target") = model_->place();
  input("posture") = model_->configuration();
  for (auto & one : posture_) one.place = positions_[one.joint];
}

/// Let tool and joints stay where they are.
void CartesianImpedance::stay()
{
  begin_here();
  std::copy_n(input("target").begin(), 16, goal_.begin());
  moves_ = false;
  for (const char * name : {"target_twist", "target_wrench"})
    std::fill(input(name).begin(), input(name).end(), 0.0);
  (void)inbox_->box.try_get([this](const Target & target) { taken_ = target.counts; });
  stays_ = false;
}

/// Use what messages have brought.
void CartesianImpedance::take(const Target & target)
{
  for (const int kind : {POSE, TWIST, WRENCH}) {
    if (target.counts[kind] == taken_[kind]) continue;
    when_[kind] = now();
    const auto & numbers = target.numbers[kind];
    const double jump =
      std::hypot(numbers[3] - goal_[3], numbers[7] - goal_[7], numbers[11] - goal_[11]);
    const char * objection = "";
    if (kind == POSE && !(jump <= MAX_JUMP))
      objection = "it is more than 1 m from the last target or the tool: send targets in between";
    if (
      kind == TWIST &&
      (length(&numbers[0]) > own_.tool_speed[0] || length(&numbers[3]) > own_.tool_speed[1]))
      objection = "it is faster than tool_speed allows";
    if (*objection) {
      RCLCPP_WARN_THROTTLE(
        get_node()->get_logger(), *get_node()->get_clock(), 1000, "%s refused: %s", TOPICS[kind],
        objection);
    } else if (kind == POSE) {
      goal_ = numbers;
    } else {
      auto & values = input(INPUTS[kind]);
      std::copy_n(numbers.begin(), values.size(), values.begin());
      if (kind == TWIST) moves_ = false;
    }
  }
  taken_ = target.counts;
}

/// Let the posture go on slowly, and the target to the last pose, at most at tool_speed.
void CartesianImpedance::approach()
{
  const double seconds = std::min(now() - moved_at_, MAX_STEP);
  moved_at_ = now();
  for (auto & one : posture_) {
    double way = one.goal - one.place;
    if (model_->turns(one.joint)) way = std::remainder(way, 2.0 * M_PI);
    const double speed = std::min(POSTURE_SPEED, POSTURE_SHARE * max_velocity_[one.joint]);
    one.place += std::clamp(way, -seconds * speed, seconds * speed);
    model_->put(one.joint, one.place, input("posture"));
  }
  Eigen::Map<Placement> target(input("target").data());
  const Eigen::Map<const Placement> goal(goal_.data());
  auto position = target.topRightCorner<3, 1>();
  auto rotation = target.topLeftCorner<3, 3>();
  const Eigen::Vector3d way = goal.topRightCorner<3, 1>() - position;
  Eigen::AngleAxisd turn(goal.topLeftCorner<3, 3>() * rotation.transpose());
  const double needed =
    std::max(way.norm() / own_.tool_speed[0], turn.angle() / own_.tool_speed[1]);
  Eigen::Map<Eigen::Matrix<double, 6, 1>> twist(input("target_twist").data());
  const bool is_free = moves_ || twist.isZero(0.0);
  moves_ = needed > seconds && is_free;
  if (moves_)
    twist << way / needed, turn.angle() / needed * turn.axis();
  else if (is_free)
    twist.setZero();
  if (needed == 0.0) return;
  const double share = std::min(1.0, seconds / needed);
  turn.angle() *= share;
  position += share * way;
  rotation = turn * rotation.eval();
}

const char * CartesianImpedance::apply_references()
{
  if (own_listener_->try_update_params(own_)) {
    set_gains();
    begin_here();
    ramp();
  }
  if (std::abs(rate() - rate_) > SAME_RATE * rate_) set_gains();
  if (stays_ || !follows()) stay();
  (void)inbox_->box.try_get([this](const Target & target) { take(target); });  // else next time
  for (const int kind : {TWIST, WRENCH}) {
    auto & values = input(INPUTS[kind]);
    const bool is_set = std::any_of(values.begin(), values.end(), [](double x) { return x != 0.0; });
    if (!is_set || now() - when_[kind] < own_.reference_timeout || (kind == TWIST && moves_))
      continue;
    std::fill(values.begin(), values.end(), 0.0);
    ramp();
  }
  approach();
  for (std::size_t k = 0; k < joints_.size(); ++k)
    if (const double position = reference(k, 0, UNKNOWN); std::isfinite(position))
      model_->put(commanded_[k], position, input("posture"));
  for (std::size_t k = 0; k < velocities_.size(); ++k)  // of friction
    model_->set_desired_velocity(k, velocities_[k]);
  return nullptr;
}
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::CartesianImpedance, controller_interface::ChainableControllerInterface)
