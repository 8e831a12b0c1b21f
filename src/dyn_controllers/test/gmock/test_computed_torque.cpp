// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "controller_fixture.hpp"
#include "dyn_controllers/computed_torque.hpp"

using ComputedTorqueTest = ControllerTest<dyn_controllers::ComputedTorque>;

TEST_F(ComputedTorqueTest, a_continuous_joint_goes_the_short_way)
{
  ASSERT_TRUE(start_chained(0.0, 3.1));
  for (int k = 0; k < 200; ++k) {
    refer("elbow/position", -3.1);
    refer("shoulder/position", 0.0);
    set(0.0, 3.1);
    ASSERT_EQ(update(), Return::OK);
  }
  // The error is +0.083 rad, not -6.2: the effort is more than that of gravity.
  EXPECT_GT(effort("elbow"), elbow_gravity(0.0, 3.1) + 0.1);
  EXPECT_LT(effort("elbow"), elbow_gravity(0.0, 3.1) + 3.0);
}

TEST_F(ComputedTorqueTest, a_tracking_error_that_is_too_large_damps_the_arm_and_ends)
{
  ASSERT_TRUE(start_chained());
  int cycles = 0;
  auto result = Return::OK;
  for (; result == Return::OK && cycles < 5000; ++cycles) {
    refer("shoulder/position", cycles < 200 ? 0.0 : 1.0);
    set(0.0, 0.0);
    result = update();
    if (cycles == 350) {
      EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-9);
    }
  }
  EXPECT_EQ(result, Return::ERROR);
  EXPECT_NEAR(cycles, 2200, 5);  // damp.duration later: it does not hold first
  EXPECT_EQ(effort("shoulder"), 0.0);
}

TEST_F(ComputedTorqueTest, a_reference_that_is_too_far_away_sends_nothing)
{
  ASSERT_TRUE(start_chained());
  refer("shoulder/position", 1.0);
  EXPECT_EQ(update(), Return::ERROR);
}

TEST_F(ComputedTorqueTest, a_state_that_is_lost_or_jumps_for_a_moment_changes_no_effort)
{
  ASSERT_TRUE(start_chained());
  for (int k = 0; k < 400; ++k) {
    refer("shoulder/acceleration", 20.0);
    set(k % 7 == 6 ? NOT_A_NUMBER : k % 31 == 30 ? 0.4 : 0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
    if (k > 200) {
      EXPECT_GT(effort("shoulder"), shoulder_gravity(0.0, 0.0) + 5.0) << k;
    }
  }
}

TEST_F(ComputedTorqueTest, a_loss_in_a_motion_holds_gravity)
{
  ASSERT_TRUE(start_chained());
  for (int k = 0; k < 200; ++k) {
    refer("shoulder/acceleration", 20.0);
    set(0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_GT(effort("shoulder"), shoulder_gravity(0.0, 0.0) + 5.0);
  for (int k = 0; k < 100; ++k) {
    set(NOT_A_NUMBER, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-9);
}

TEST_F(ComputedTorqueTest, gains_change_at_once_or_are_refused)
{
  ASSERT_TRUE(configure({}));
  const auto node = controller_.get_node();
  EXPECT_TRUE(node->set_parameter({"natural_frequency", 20.0}).successful);
  const auto refused = node->set_parameter({"natural_frequency", 500.0});
  EXPECT_FALSE(refused.successful);
  EXPECT_THAT(refused.reason, testing::HasSubstr("needs an update rate of"));
  EXPECT_FALSE(node->set_parameter({"damping_ratio", 50.0}).successful);
  EXPECT_FALSE(node->set_parameter({"natural_frequency", -1.0}).successful);
  EXPECT_EQ(node->get_parameter("natural_frequency").as_double(), 20.0);
  ASSERT_TRUE(controller_.set_chained_mode(true));
  ASSERT_TRUE(activate());
  for (const double frequency : {20.0, 40.0}) {
    EXPECT_TRUE(node->set_parameter({"natural_frequency", frequency}).successful);
    for (int k = 0; k < 300; ++k) {
      refer("elbow/position", 0.01);
      refer("shoulder/position", 0.0);
      set(0.0, 0.0);
      ASSERT_EQ(update(), Return::OK);
    }
    // The elbow's inertia about its axis, with the tool.
    const double inertia = 0.02 + 0.04 + 0.001 + 0.1 * 0.41 * 0.41;
    const double expected = elbow_gravity(0.0, 0.0) + inertia * frequency * frequency * 0.01;
    EXPECT_NEAR(effort("elbow"), expected, 1e-9);
  }
}

TEST_F(ComputedTorqueTest, higher_gains_do_not_multiply_what_friction_left_to_go)
{
  ASSERT_TRUE(start_chained());
  for (int k = 0; k < 620; ++k) {
    if (k == 600) {
      EXPECT_TRUE(
        controller_.get_node()->set_parameter({"natural_frequency", 60.0}).successful);
    }
    refer("elbow/position", 0.3);
    refer("shoulder/position", 0.0);
    set(0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  const double inertia = 0.02 + 0.04 + 0.001 + 0.1 * 0.41 * 0.41;
  EXPECT_LT(effort("elbow") - elbow_gravity(0.0, 0.0), inertia * (100.0 * 0.3 + 3600.0 * 0.01));
}

TEST_F(ComputedTorqueTest, references_of_a_controller_that_has_gone_are_not_followed)
{
  ASSERT_TRUE(start());
  for (int k = 0; k < 600; ++k) {
    if (k < 300) refer("shoulder/acceleration", 20.0);
    set(0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-9);
}

TEST_F(ComputedTorqueTest, gains_that_the_update_rate_cannot_carry_are_refused_at_configure)
{
  EXPECT_FALSE(configure({{"natural_frequency", 500.0}}));
}

TEST_F(ComputedTorqueTest, a_velocity_that_positions_do_not_show_moves_nothing)
{
  ASSERT_TRUE(start());
  for (int k = 0; k < 500; ++k) {
    set(0.0, 0.0, k > 200 && k < 300 ? 30.0 : 0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
    if (k > 150) {
      EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 10.0) << k;  // of 50
    }
  }
}

TEST_F(ComputedTorqueTest, velocities_of_the_wrong_sign_are_not_fed_back)
{
  ASSERT_TRUE(start_chained());
  for (int k = 0; k < 800; ++k) {
    refer("shoulder/position", 0.3 * k * DT);
    set(0.3 * k * DT, 0.0, k < 200 ? 0.3 : -0.3, 0.0);
    ASSERT_EQ(update(), Return::OK);
    if (k > 500) {
      EXPECT_LT(effort("shoulder"), shoulder_gravity(0.3 * k * DT, 0.0) - 1.0) << k;  // it brakes
    }
  }
}

TEST_F(ComputedTorqueTest, gains_are_those_that_late_cycles_carry)
{
  ASSERT_TRUE(configure({{"natural_frequency", 200.0}}));
  ASSERT_TRUE(controller_.set_chained_mode(true));
  ASSERT_TRUE(activate());
  for (int k = 0; k < 200; ++k) {
    refer("elbow/position", 0.01);
    refer("shoulder/position", 0.0);
    set(0.0, 0.0);
    ASSERT_EQ(update(0.01), Return::OK);
  }
  const double inertia = 0.02 + 0.04 + 0.001 + 0.1 * 0.41 * 0.41, frequency = 26.0;
  const double most = elbow_gravity(0.0, 0.0) + inertia * frequency * frequency * 0.01;
  EXPECT_LT(effort("elbow"), most + 0.05);
}

TEST_F(ComputedTorqueTest, references_that_cannot_be_meant_hold_gravity)
{
  ASSERT_TRUE(start_chained());
  for (int k = 0; k < 300; ++k) {
    refer("shoulder/acceleration", k < 200 ? 0.0 : 1e4);
    set(0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
  }
  EXPECT_NEAR(effort("shoulder"), shoulder_gravity(0.0, 0.0), 1e-9);
}

TEST_F(ComputedTorqueTest, a_reference_that_steps_is_approached)
{
  ASSERT_TRUE(start_chained());
  for (int k = 0; k < 300; ++k) {
    refer("shoulder/position", k < 200 ? 0.0 : 0.4);
    set(0.0, 0.0);
    ASSERT_EQ(update(), Return::OK);
    if (k == 210) {
      EXPECT_LT(effort("shoulder"), shoulder_gravity(0.0, 0.0) + 4.0);  // else 40
    }
  }
}
