/// Running a model on several devices: ModelOptions::mesh.
#pragma once

#include <cstdint>
#include <string>

namespace proa {

/// The devices of a run, and how tensors are distributed over them. Each device has one rank, a number from 0
/// on: the row-major index of the device in the grid of axes. A rank computes its program.
struct MeshOptions {
  /// Axes and their sizes, from major to minor: "dp=2,mp=4". Empty: from the shardings or the IR file.
  std::string axes;
  /// Shardings of feeds, parameters, state variables and fetches, by name pattern: a JSON file, or its
  /// content (text that begins with a brace). Empty: from the IR file alone.
  std::string shardings;
  /// Strategy of parallel training: components separated by commas, such as
  /// "dp2,mp2,zero1,amp,recompute,acc4" (lib/base/spmd/Strategy.h). "dp" without a number takes the size of
  /// the axis of the mesh; a number that differs from it is an error. Axes that it does not use replicate.
  /// Shardings of `shardings` and of the IR file take precedence. Empty: none.
  std::string strategy;
  /// Axes of the process groups of a legacy collective program, by `ring_id`: "0=dp,1=mp", or "2=dp+mp" for a
  /// group over two axes. The program is for a single process. "auto": the only axis of the mesh for
  /// all groups, or all axes for group 0. Process i of a group is the device with the i-th coordinates on its
  /// axes. The
  /// shardings say which arguments are shards; weights and feeds are whole. Excludes a strategy. Empty: the
  /// program computes on one device.
  std::string rings = {};
  /// Whether the ranks are threads of this process. If not, each rank is a process started by mpirun, and the
  /// mesh needs as many devices as there are processes.
  bool simulate = false;
  /// Whether collectives communicate while kernels run, where the program has such kernels.
  bool overlap = true;
  /// Delays messages as a slower link does, for measurements on one machine: latency and bandwidth, such as
  /// "20us,1GB/s" (units us, ms, s and MB/s, GB/s). Empty: none.
  std::string emulatedLink = {};
  /// The most bytes of a device that source and result of one step of a reshard may take, such as the bytes
  /// of a gathered tensor; 0: no limit. Error: no way to a sharding takes so little.
  int64_t memoryLimit = 0;
  /// The order of the jobs of a pipeline, instead of a schedule that the strategy names: the text form of
  /// docs/pipelines.md, or a file of it (a name has no line break). The strategy has its ranks (ppN). Empty:
  /// the schedule of the strategy.
  std::string schedule = {};
  /// Its name in the locations of errors; empty: the name of its file, or "--schedule".
  std::string scheduleName = {};
};

} // namespace proa
