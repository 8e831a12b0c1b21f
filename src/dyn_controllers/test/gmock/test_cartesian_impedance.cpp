// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "controller_fixture.hpp"
#include "dyn_controllers/cartesian_impedance.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"

using geometry_msgs::msg::PoseStamped;
using geometry_msgs::msg::WrenchStamped;

class CartesianImpedanceTest : public ControllerTest<dyn_controllers::CartesianImpedance>
{
protected:
  static constexpr double SHOULDER = 0.3, ELBOW = 0.8, STIFFNESS = 400.0, REACH = 0.41;

  /// Configure, activate and let one cycle pass, after which targets are taken.
  bool begin()
  {
    return configure({{"tool", "tool"}}) && activate(SHOULDER, ELBOW) && update() == Return::OK;
  }

  /// Stay there for so many cycles.
  void rest(int cycles, double shoulder = SHOULDER, double elbow = ELBOW)
  {
    for (int k = 0; k < cycles; ++k) {
      set(shoulder, elbow);
      ASSERT_EQ(update(), Return::OK);
    }
  }

  /// Where the tool is, raised by z, m.
  static PoseStamped raised(double z)
  {
    const double angle = SHOULDER + ELBOW;  // about the y axis, downwards
    PoseStamped message;
    message.header.frame_id = "base";
    message.pose.position.x = 0.5 * std::cos(SHOULDER) + REACH * std::cos(angle);
    message.pose.position.z = -0.5 * std::sin(SHOULDER) - REACH * std::sin(angle) + z;
    message.pose.orientation.y = std::sin(angle / 2.0);
    message.pose.orientation.w = std::cos(angle / 2.0);
    return message;
  }

  template <typename Message>
  void send(const std::string & topic, const Message & message)
  {
    const auto publisher = tester_->create_publisher<Message>("controller/" + topic, 1);
    for (int k = 0; k < 2000 && !publisher->get_subscription_count(); ++k) wait();
    publisher->publish(message);
    for (int k = 0; k < 50; ++k) wait();
  }

  void wait()
  {
    rclcpp::spin_some(controller_.get_node()->get_node_base_interface());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  /// Expect gravity and a force along the z axis at the tool.
  void expect_force(double force)
  {
    const double lower = -REACH * std::cos(SHOULDER + ELBOW);
    const double upper = -0.5 * std::cos(SHOULDER) + lower;
    EXPECT_NEAR(effort("shoulder"), shoulder_gravity(SHOULDER, ELBOW) + upper * force, 1e-6);
    EXPECT_NEAR(effort("elbow"), elbow_gravity(SHOULDER, ELBOW) + lower * force, 1e-6);
  }

  rclcpp::Node::SharedPtr tester_ = std::make_shared<rclcpp::Node>("tester");
};

TEST_F(CartesianImpedanceTest, the_spring_pulls_towards_the_last_target)
{
  ASSERT_TRUE(begin());
  rest(300);
  expect_force(0.0);
  send("target_pose", raised(0.02));
  rest(1000);
  expect_force(STIFFNESS * 0.02);
  send("target_pose", raised(0.5));
  rest(3000);
  expect_force(STIFFNESS * 0.1);  // limits.error
}

TEST_F(CartesianImpedanceTest, the_target_moves_at_the_speed_of_the_tool)
{
  ASSERT_TRUE(begin());
  rest(300);
  auto target = raised(0.5);
  std::swap(target.pose.orientation.y, target.pose.orientation.w);
  send("target_pose", target);
  rest(20);
  const double lever = std::abs(REACH * std::cos(SHOULDER + ELBOW));
  const double spring = effort("elbow") - elbow_gravity(SHOULDER, ELBOW);
  EXPECT_GT(std::abs(spring), 0.1);
  EXPECT_LT(std::abs(spring), 0.5 * lever * STIFFNESS * 0.1);
}

TEST_F(CartesianImpedanceTest, targets_that_jump_or_are_in_other_frames_are_refused)
{
  ASSERT_TRUE(begin());
  auto target = raised(0.02);
  target.header.frame_id = "lower";
  for (const auto & refused : {target, raised(1.1), raised(NOT_A_NUMBER), PoseStamped()})
    send("target_pose", refused);
  rest(300);
  expect_force(0.0);
}

TEST_F(CartesianImpedanceTest, a_wrench_is_exerted_until_its_timeout)
{
  ASSERT_TRUE(begin());
  WrenchStamped message;
  message.header.frame_id = "base";
  message.wrench.force.z = 5.0;
  send("target_wrench", message);
  rest(90);
  expect_force(5.0);
  rest(300);
  expect_force(0.0);
}

TEST_F(CartesianImpedanceTest, gains_that_are_no_gains_are_refused_and_others_are_in_force)
{
  ASSERT_TRUE(begin());
  send("target_pose", raised(0.02));
  const auto node = controller_.get_node();
  EXPECT_FALSE(node->set_parameter({"stiffness", std::vector<double>(5, 400.0)}).successful);
  EXPECT_FALSE(node->set_parameter({"stiffness", std::vector<double>(6, -1.0)}).successful);
  EXPECT_TRUE(node->set_parameter({"stiffness", std::vector<double>(6, 200.0)}).successful);
  rest(300);
  expect_force(200.0 * 0.02);
}

TEST_F(CartesianImpedanceTest, a_spring_that_gets_stiff_again_does_not_throw_a_tool_led_away)
{
  const std::vector<double> slow{0.01, 0.05};
  ASSERT_TRUE(configure({{"tool", "tool"}, {"tool_speed", slow}}) && activate(SHOULDER, ELBOW));
  const auto node = controller_.get_node();
  EXPECT_TRUE(node->set_parameter({"stiffness", std::vector<double>(6, 0.0)}).successful);
  for (double elbow = ELBOW; elbow < ELBOW + 0.4; elbow += 0.001) rest(1, SHOULDER, elbow);
  const std::vector<double> stiff{STIFFNESS, STIFFNESS, STIFFNESS, 0.0, 0.0, 0.0};
  EXPECT_TRUE(node->set_parameter({"stiffness", stiff}).successful);
  rest(600, SHOULDER, ELBOW + 0.4);
  EXPECT_NEAR(effort("elbow"), elbow_gravity(SHOULDER, ELBOW + 0.4), 2.0);  // at once: 16
}

TEST_F(CartesianImpedanceTest, late_cycles_lower_the_gains_to_what_they_carry)
{
  ASSERT_TRUE(begin());
  send("target_pose", raised(0.02));
  rest(300);
  expect_force(STIFFNESS * 0.02);
  const double spring = effort("elbow") - elbow_gravity(SHOULDER, ELBOW);
  for (int k = 0; k < 100; ++k) ASSERT_EQ(update(0.02), Return::OK);
  const double softer = effort("elbow") - elbow_gravity(SHOULDER, ELBOW);
  EXPECT_LT(std::abs(softer), 0.9 * std::abs(spring));
}

TEST_F(CartesianImpedanceTest, after_a_loss_the_tool_stays_where_it_is)
{
  ASSERT_TRUE(begin());
  send("target_pose", raised(0.05));
  rest(300);
  rest(100, NOT_A_NUMBER);
  rest(600);
  expect_force(0.0);
}

TEST_F(CartesianImpedanceTest, a_tool_that_the_object_does_not_know_is_refused)
{
  EXPECT_FALSE(configure({{"tool", "lower"}}));
}

TEST_F(CartesianImpedanceTest, a_posture_names_joints_and_positions)
{
  EXPECT_TRUE(configure({{"tool", "tool"}, {"posture", " elbow = 0.3, shoulder=-1"}}));
}

TEST_F(CartesianImpedanceTest, a_posture_without_a_position_is_refused)
{
  EXPECT_FALSE(configure({{"tool", "tool"}, {"posture", "elbow=high"}}));
}

TEST_F(CartesianImpedanceTest, a_posture_of_an_unknown_joint_is_refused)
{
  EXPECT_FALSE(configure({{"tool", "tool"}, {"posture", "wrist=0.3"}}));
}
