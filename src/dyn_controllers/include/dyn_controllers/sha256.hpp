// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#ifndef DYN_CONTROLLERS__SHA256_HPP_
#define DYN_CONTROLLERS__SHA256_HPP_

#include <string>

namespace dyn_controllers
{
/// SHA-256 of a text, in hexadecimal (FIPS 180-4): by it an object knows its description.
std::string sha256(const std::string & text);
}  // namespace dyn_controllers

#endif  // DYN_CONTROLLERS__SHA256_HPP_
