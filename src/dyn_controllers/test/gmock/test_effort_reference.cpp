// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

#include "dyn_controllers/effort_reference.hpp"

using dyn_controllers::EffortReference;
using dyn_msgs::msg::JointEfforts;
using testing::ElementsAre;
using testing::HasSubstr;

class EffortReferenceTest : public ::testing::Test
{
protected:
  static JointEfforts message(
    const std::vector<std::string> & joints, const std::vector<double> & effort, int terms = 0)
  {
    JointEfforts message;
    message.joint_names = joints;
    message.effort = effort;
    message.terms = static_cast<std::uint8_t>(terms);
    return message;
  }

  static constexpr double DT = 0.001, TIMEOUT = 0.1;
  EffortReference reference_{{"shoulder", "elbow"}, JointEfforts::TERM_GRAVITY};
};

TEST_F(EffortReferenceTest, efforts_go_to_the_joints_that_are_named)
{
  EXPECT_EQ(reference_.receive(message({"elbow", "shoulder"}, {2.0, 1.0})), "");
  EXPECT_THAT(reference_.efforts(DT, TIMEOUT), ElementsAre(1.0, 2.0));
  EXPECT_EQ(reference_.receive(message({"elbow"}, {3.0}, JointEfforts::TERM_WRENCHES)), "");
  EXPECT_THAT(reference_.efforts(DT, TIMEOUT), ElementsAre(0.0, 3.0));
}

TEST_F(EffortReferenceTest, efforts_are_zero_after_the_timeout)
{
  EXPECT_EQ(reference_.receive(message({"elbow"}, {2.0})), "");
  for (int k = 0; k < 100; ++k) EXPECT_THAT(reference_.efforts(DT, TIMEOUT), ElementsAre(0.0, 2.0));
  EXPECT_THAT(reference_.efforts(2.0 * DT, TIMEOUT), ElementsAre(0.0, 0.0));
}

TEST_F(EffortReferenceTest, efforts_from_before_activation_are_not_used)
{
  EXPECT_EQ(reference_.receive(message({"elbow"}, {2.0})), "");
  reference_.forget();
  EXPECT_THAT(reference_.efforts(DT, TIMEOUT), ElementsAre(0.0, 0.0));
  EXPECT_EQ(reference_.receive(message({"elbow"}, {3.0})), "");
  EXPECT_THAT(reference_.efforts(DT, TIMEOUT), ElementsAre(0.0, 3.0));
}

TEST_F(EffortReferenceTest, a_term_that_is_compensated_already_is_refused)
{
  const int terms = JointEfforts::TERM_GRAVITY | JointEfforts::TERM_INERTIA;
  EXPECT_THAT(
    reference_.receive(message({"elbow"}, {2.0}, terms)), HasSubstr("contain gravity"));
  EXPECT_THAT(reference_.efforts(DT, TIMEOUT), ElementsAre(0.0, 0.0));
}

TEST_F(EffortReferenceTest, a_message_that_cannot_be_used_is_refused_as_a_whole)
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(reference_.receive(message({"elbow"}, {1.0, 2.0})), HasSubstr("2 efforts"));
  EXPECT_THAT(
    reference_.receive(message({"elbow", "wrist"}, {1.0, 2.0})),
    HasSubstr("joint 'wrist' is not commanded"));
  EXPECT_THAT(
    reference_.receive(message({"shoulder", "elbow"}, {1.0, nan})),
    HasSubstr("joint 'elbow' is not finite"));
  EXPECT_THAT(reference_.efforts(DT, TIMEOUT), ElementsAre(0.0, 0.0));
}
