/// Compiled kernels of a program for a CUDA device, from the compiler to the runtime.
#pragma once

#include "proa/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace proa::cuda {

/// One kernel, in an image of its own.
struct KernelImage {
  std::string symbol;
  std::string cubin; ///< machine code for DeviceCode::chip; may be empty
  std::string ptx;   ///< for other chips, by the driver's compiler; may be empty
};

struct DeviceCode {
  std::string chip; ///< "sm_90a"
  std::vector<KernelImage> kernels;
};

/// Whether machine code for `chip` runs on a device of this compute capability: code for sm_80 runs on 8.0
/// to 8.9, code for sm_90a on 9.0 only.
bool runsOn(const std::string &chip, int major, int minor);

/// The code as bytes (CBOR), and back. `where` begins the messages.
std::vector<uint8_t> serialize(const DeviceCode &code);
Result<DeviceCode> deserializeDeviceCode(std::span<const uint8_t> bytes, const std::string &where);

} // namespace proa::cuda
