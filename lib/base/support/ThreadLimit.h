/// The most threads of a run.
#pragma once

namespace proa {

/// The most threads of a run. Each has a stack and memory of kernels: far larger numbers exhaust a process.
inline constexpr int maxThreads = 1024;

} // namespace proa
