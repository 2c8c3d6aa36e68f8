/// Measurement of the machine (`proa-tune --measure`, `proa-plan --calibrate`).
#pragma once

#include "lib/base/target/TargetFacts.h"
#include "proa/Result.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace proa {

/// A measured value as a fact: the nearest positive integer.
inline int64_t asFact(double value) { return std::max<int64_t>(std::llround(value), 1); }

/// Measures facts of one core of this machine: bandwidth, matmul rate, costs of ops in compiled kernels, the
/// start of a step, and links between ranks (measureLink). Its other facts come from the known CPU with
/// its instructions. If there is a CUDA device with this number, the facts that its driver reports and those
/// that measureDevice() measures replace the facts of the known chip. It takes some seconds.
///
/// In processes of mpirun all ranks call it, and get the same links.
Result<TargetFacts> measureTarget(int device);

/// Measures the latency and the bandwidth of messages that two ranks send each other at once: of two
/// processes of mpirun, if it started this one, else of two simulated ranks. Sets linkNanoseconds and
/// linkBandwidth. Errors: as the communicators.
Result<void> measureLink(DeviceFacts &facts);

/// The file of this machine that `proa-plan --calibrate` writes and `--strategy=auto` reads:
/// $PROA_CALIBRATION, else machine.json in the cache's folder. Empty: there is no such folder.
std::string defaultCalibrationFile();

} // namespace proa
