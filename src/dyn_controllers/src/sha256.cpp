// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
#include "dyn_controllers/sha256.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace dyn_controllers
{
namespace
{
using Words = std::array<std::uint32_t, 8>;

std::uint32_t rotated(std::uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

bool is_prime(int n)
{
  for (int k = 2; k * k <= n; ++k)
    if (n % k == 0) return false;
  return true;
}

/// The first 32 bits behind the point of a root of the first primes: FIPS 180-4, sections 4.2.2
/// and 5.3.3. They are computed, for a table of them can have a wrong digit.
template <std::size_t count, typename Root>
std::array<std::uint32_t, count> of_roots(Root root)
{
  std::array<std::uint32_t, count> words{};
  int n = 1;
  for (auto & word : words) {
    do ++n;
    while (!is_prime(n));
    const long double x = root(static_cast<long double>(n));
    word = static_cast<std::uint32_t>((x - std::floor(x)) * 4294967296.0L);
  }
  return words;
}

void add_block(const unsigned char * block, Words & hash)
{
  static const auto K = of_roots<64>([](long double x) { return std::cbrt(x); });
  std::array<std::uint32_t, 64> w;
  for (int t = 0; t < 16; ++t)
    w[t] = std::uint32_t{block[4 * t]} << 24 | std::uint32_t{block[4 * t + 1]} << 16 |
           std::uint32_t{block[4 * t + 2]} << 8 | block[4 * t + 3];
  for (int t = 16; t < 64; ++t) {
    const auto x = w[t - 15], y = w[t - 2];
    w[t] = w[t - 16] + (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) + w[t - 7] +
           (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (int t = 0; t < 64; ++t) {
    const auto sum = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) +
                     K[t] + w[t];
    const auto more =
      (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + sum, d = c, c = b, b = a, a = sum + more;
  }
  const Words change{a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < hash.size(); ++k) hash[k] += change[k];
}
}  // namespace

std::string sha256(const std::string & text)
{
  auto hash = of_roots<8>([](long double x) { return std::sqrt(x); });
  std::string padded = text + '\x80';
  padded.append((120 - padded.size() % 64) % 64, '\0');
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>(static_cast<std::uint64_t>(text.size()) * 8 >> shift & 255);
  for (std::size_t k = 0; k < padded.size(); k += 64)
    add_block(reinterpret_cast<const unsigned char *>(padded.data()) + k, hash);
  std::string digits;
  for (const auto word : hash)
    for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[word >> shift & 15];
  return digits;
}
}  // namespace dyn_controllers
