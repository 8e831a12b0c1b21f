// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__OBJECT_HPP_
#define DYN_CONTROLLERS__OBJECT_HPP_

#include <memory>
#include <string>

#include "dyn_controllers/object_interface.h"

namespace dyn_controllers
{
/// Functions of one robot, made by `dyn-core codegen --lang object`, checked and loaded.
class Object
{
public:
  /// Check a file, load a copy of it, and run the self-test of each function.
  ///
  /// A file that is written anew later changes nothing that is loaded.
  ///
  /// \param path of the shared object.
  /// \param description text of the robot's description, to refuse an object of another.
  /// \throws std::runtime_error the file cannot be read, is damaged, or is of another version,
  ///   processor or description, or its self-test fails; the message says which.
  static Object load(const std::string & path, const std::string & description);

  /// What the object says of itself.
  const DynCoreManifest & manifest() const { return *manifest_; }

  /// The function whose name is `quantity`, or begins with it and its options.
  /// \throws std::runtime_error there is none; the message names those that there are.
  const DynCoreFunction & function(const std::string & quantity) const;

  /// The same; null: there is none.
  const DynCoreFunction * find(const std::string & quantity) const;

private:
  std::shared_ptr<void> library_;
  const DynCoreManifest * manifest_ = nullptr;
};
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__OBJECT_HPP_
