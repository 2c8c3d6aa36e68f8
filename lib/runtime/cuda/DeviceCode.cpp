#include "lib/runtime/cuda/DeviceCode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace proa::cuda {

using nlohmann::json;

bool runsOn(const std::string &chip, int major, int minor) {
  constexpr std::string_view prefix = "sm_";
  int version = 0;
  if (!chip.starts_with(prefix))
    return false;
  auto [end, error] = std::from_chars(chip.data() + prefix.size(), chip.data() + chip.size(), version);
  if (error != std::errc() || version / 10 != major)
    return false;
  bool isExact = end != chip.data() + chip.size(); // a suffix as in sm_90a
  return isExact ? version % 10 == minor : version % 10 <= minor;
}

static json binary(const std::string &bytes) {
  return json::binary(std::vector<uint8_t>(bytes.begin(), bytes.end()));
}

std::vector<uint8_t> serialize(const DeviceCode &code) {
  json kernels = json::array();
  for (const KernelImage &kernel : code.kernels)
    kernels.push_back({{"symbol", kernel.symbol}, {"cubin", binary(kernel.cubin)}, {"ptx", kernel.ptx}});
  return json::to_cbor(json{{"chip", code.chip}, {"kernels", std::move(kernels)}});
}

Result<DeviceCode> deserializeDeviceCode(std::span<const uint8_t> bytes, const std::string &where) {
  try {
    json whole = json::from_cbor(bytes.begin(), bytes.end());
    DeviceCode code;
    code.chip = whole.at("chip").get<std::string>();
    for (const json &kernel : whole.at("kernels")) {
      const auto &cubin = kernel.at("cubin").get_binary();
      code.kernels.push_back({kernel.at("symbol").get<std::string>(), std::string(cubin.begin(), cubin.end()),
                              kernel.at("ptx").get<std::string>()});
    }
    return code;
  } catch (const json::exception &error) {
    return errorAt(where, fmt::format("expected device code in CBOR: {}", error.what()));
  }
}

} // namespace proa::cuda
