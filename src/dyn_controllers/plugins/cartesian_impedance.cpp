// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/cartesian_impedance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "dyn_controllers/gains.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "pluginlib/class_list_macros.hpp"
#if __has_include("urdf/model.hpp")
#include "urdf/model.hpp"
#else
#include "urdf/model.h"
#endif

namespace dyn_controllers
{
using dyn_msgs::msg::JointEfforts;
using Numbers = std::array<double, 16>;

namespace
{
// As the node impedance of dyn_ros has them.
constexpr double MAX_JUMP = 1.0;           ///< m, from one target to the next
constexpr double UNIT_TOLERANCE = 1e-2;    ///< of a quaternion's length
constexpr double MAX_STEP = 0.1;           ///< s of a cycle in which the target moves on
/// What the law takes beside the state; the first three in the order of the kinds of messages.
constexpr const char * INPUTS[] = {
  "target", "target_twist", "target_wrench", "stiffness", "max_error", "damping_ratio",
  "posture", "posture_frequency", "max_frequency"};

constexpr const char * TOPICS[] = {"target_pose", "target_twist", "target_wrench"};

double length(const double * x) { return std::hypot(x[0], x[1], x[2]); }

template <typename Vector>
Numbers numbers_of(const Vector & first, const Vector & second)
{
  return {first.x, first.y, first.z, second.x, second.y, second.z};
}

/// Read a pose as a homogeneous matrix, row by row. \return why it is refused; empty: it is read
std::string read_pose(const geometry_msgs::msg::PoseStamped & message, Numbers & matrix)
{
  const auto & p = message.pose.position;
  const auto & o = message.pose.orientation;
  const double size = std::hypot(std::hypot(o.x, o.y, o.z), o.w);
  if (!(std::abs(size - 1.0) <= UNIT_TOLERANCE) || !std::isfinite(p.x + p.y + p.z))
    return "it has to have a finite position, and a quaternion of length 1";
  const double x = o.x / size, y = o.y / size, z = o.z / size, w = o.w / size;
  matrix = {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y), p.x,
            2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x), p.y,
            2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y), p.z,
            0.0, 0.0, 0.0, 1.0};
  return "";
}

std::string read_twist(const geometry_msgs::msg::TwistStamped & message, Numbers & twist)
{
  twist = numbers_of(message.twist.linear, message.twist.angular);
  const bool finite = std::isfinite(length(&twist[0]) + length(&twist[3]));
  return finite ? "" : "it is not finite: send finite m/s and rad/s";
}

std::string read_wrench(const geometry_msgs::msg::WrenchStamped & message, Numbers & wrench)
{
  wrench = numbers_of(message.wrench.force, message.wrench.torque);
  const bool finite = std::isfinite(length(&wrench[0]) + length(&wrench[3]));
  return finite ? "" : "it is not finite: send finite N and N m";
}

/// The way from one placement to another, m, and the rotation vector, rad, along the root's axes.
std::array<double, 6> way_between(const std::vector<double> & from, const Numbers & to)
{
  double R[3][3];  // to R_from'
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      R[i][j] = to[4 * i] * from[4 * j] + to[4 * i + 1] * from[4 * j + 1] +
                to[4 * i + 2] * from[4 * j + 2];
  std::array<double, 6> way{to[3] - from[3], to[7] - from[7], to[11] - from[11],
                            R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]};
  const double sine = 0.5 * length(&way[3]), cosine = 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1.0);
  if (sine < 1e-9 && cosine < 0.0) {  // half a turn: R + 1 has its axis in each column
    int k = R[0][0] > R[1][1] ? 0 : 1;
    if (R[2][2] > R[k][k]) k = 2;
    for (int i = 0; i < 3; ++i) way[3 + i] = R[i][k] + (i == k);
  }
  const double size = length(&way[3]), angle = std::atan2(sine, cosine);
  for (int i = 3; i < 6; ++i) way[i] *= size > 0.0 ? angle / size : 0.0;
  return way;
}

/// Move a placement by a share of a way.
void move(std::vector<double> & place, const std::array<double, 6> & way, double share)
{
  const double size = length(&way[3]), angle = share * size;
  const double s = std::sin(angle), c = 1.0 - std::cos(angle);
  const double x = way[3] / std::max(size, 1e-300), y = way[4] / std::max(size, 1e-300),
               z = way[5] / std::max(size, 1e-300);
  const double Q[3][3] = {
    {1.0 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y},
    {c * x * y + s * z, 1.0 - c * (x * x + z * z), c * y * z - s * x},
    {c * x * z - s * y, c * y * z + s * x, 1.0 - c * (x * x + y * y)}};
  for (int j = 0; j < 3; ++j) {
    const double column[] = {place[j], place[4 + j], place[8 + j]};
    for (int i = 0; i < 3; ++i)
      place[4 * i + j] = Q[i][0] * column[0] + Q[i][1] * column[1] + Q[i][2] * column[2];
  }
  for (int i = 0; i < 3; ++i) place[4 * i + 3] += share * way[i];
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

std::string CartesianImpedance::quantity() const { return of_tool("impedance_efforts"); }

std::string CartesianImpedance::further_functions() const
{
  return "," + of_tool("frame_placement");
}

std::uint8_t CartesianImpedance::terms() const
{
  return JointEfforts::TERM_GRAVITY | JointEfforts::TERM_CORIOLIS;
}

bool CartesianImpedance::needs_velocity() const { return true; }

std::vector<std::string> CartesianImpedance::reference_kinds() const { return {"position"}; }

double CartesianImpedance::no_reference() const { return std::numeric_limits<double>::quiet_NaN(); }

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
    posture_.emplace_back(model_->index(joint), position);
  }
  set_gains();
  urdf::Model robot;
  robot.initString(get_robot_description());
  root_ = robot.getRoot()->name;
  inbox_ = std::make_shared<Inbox>();
  subscriptions_.clear();
  listen<geometry_msgs::msg::PoseStamped>("~/target_pose", POSE, read_pose);
  listen<geometry_msgs::msg::TwistStamped>("~/target_twist", TWIST, read_twist);
  listen<geometry_msgs::msg::WrenchStamped>("~/target_wrench", WRENCH, read_wrench);
}

template <typename Message, typename Read>
void CartesianImpedance::listen(const std::string & topic, Kind kind, Read read)
{
  const auto node = get_node();
  subscriptions_.push_back(node->create_subscription<Message>(
    topic, rclcpp::SystemDefaultsQoS(),
    [weak = std::weak_ptr<Inbox>(inbox_), root = root_, logger = node->get_logger(),
     clock = node->get_clock(), topic, kind,
     read](const typename Message::ConstSharedPtr message) {
      const auto inbox = weak.lock();
      if (!inbox) return;
      const auto & frame = message->header.frame_id;
      Numbers numbers;
      const auto objection = frame == root
                               ? read(*message, numbers)
                               : "it is given in frame '" + frame + "': give it in '" + root + "'";
      if (!objection.empty()) {
        RCLCPP_WARN_THROTTLE(
          logger, *clock, 1000, "%s refused: %s", topic.c_str(), objection.c_str());
        return;
      }
      inbox->received.numbers[kind] = numbers;
      ++inbox->received.counts[kind];
      inbox->box.set(inbox->received);
    }));
}

void CartesianImpedance::reset() { stays_ = true; }

/// Enter the gains, as far as the update rate carries them.
void CartesianImpedance::set_gains()
{
  const double most = most_frequency(own_.damping_ratio, get_update_rate());
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

/// Let tool and joints stay where they are.
void CartesianImpedance::stay()
{
  input("target") = model_->place();
  std::copy_n(input("target").begin(), 16, goal_.begin());
  moves_ = false;
  for (const char * name : {"target_twist", "target_wrench"})
    std::fill(input(name).begin(), input(name).end(), 0.0);
  input("posture") = model_->configuration();
  for (const auto & [joint, position] : posture_) model_->put(joint, position, input("posture"));
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
        get_node()->get_logger(), *get_node()->get_clock(), 1000, "~/%s refused: %s", TOPICS[kind],
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

/// Let the target go to the last pose, at most at tool_speed.
void CartesianImpedance::approach()
{
  const double seconds = std::min(now() - moved_at_, MAX_STEP);
  moved_at_ = now();
  const auto way = way_between(input("target"), goal_);
  const double needed =
    std::max(length(&way[0]) / own_.tool_speed[0], length(&way[3]) / own_.tool_speed[1]);
  auto & twist = input("target_twist");
  const bool is_free = moves_ || std::all_of(twist.begin(), twist.end(), [](double x) {
    return x == 0.0;
  });
  moves_ = needed > seconds && is_free;
  if (is_free)
    for (std::size_t k = 0; k < 6; ++k) twist[k] = moves_ ? way[k] / needed : 0.0;
  if (needed > 0.0) move(input("target"), way, std::min(1.0, seconds / needed));
}

const char * CartesianImpedance::apply_references()
{
  if (own_listener_->try_update_params(own_)) {
    set_gains();
    ramp();
  }
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
    if (const double position = reference(k, 0); std::isfinite(position))
      model_->put(commanded_[k], position, input("posture"));
  for (std::size_t k = 0; k < velocities_.size(); ++k)  // of friction
    model_->set_desired_velocity(k, velocities_[k]);
  return nullptr;
}
}  // namespace dyn_controllers

PLUGINLIB_EXPORT_CLASS(
  dyn_controllers::CartesianImpedance, controller_interface::ChainableControllerInterface)
