/// The number of cores that this process may use.
#pragma once

#include <optional>
#include <string>

namespace proa {

/// Number of threads that can run at the same time: the cores that the process's affinity allows, at most the
/// CPU quota of its control group, rounded up; at least 1.
int availableCores();

/// The smallest CPU quota of a control group and its parents, in cores; nothing without a limit.
/// \param membership content of /proc/self/cgroup, of version 1, 2 or both
/// \param root where control groups are mounted (/sys/fs/cgroup)
std::optional<double> cpuQuota(const std::string &membership, const std::string &root);

} // namespace proa
