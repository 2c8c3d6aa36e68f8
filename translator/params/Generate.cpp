#include "translator/params/Generate.h"

namespace proa::params {
namespace {

constexpr uint64_t golden = 0x9E3779B97F4A7C15;

uint64_t fnv1a64(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

} // namespace

Tensor generateParameter(std::string_view name, std::vector<int64_t> dims, uint64_t seed, double lo,
                         double hi) {
  Tensor tensor(DType::Float32, std::move(dims));
  float *out = tensor.as<float>();
  const uint64_t start = fnv1a64(name) ^ (seed * golden);
  const int64_t count = tensor.size();
  for (int64_t i = 0; i < count; ++i) {
    uint64_t z = start + static_cast<uint64_t>(i + 1) * golden;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    // 24 bits: through int32, because vector units convert that to double and not uint64.
    double unit = static_cast<double>(static_cast<int32_t>(z >> 40)) * 0x1p-24;
    out[i] = static_cast<float>(lo + (hi - lo) * unit);
  }
  return tensor;
}

} // namespace proa::params
