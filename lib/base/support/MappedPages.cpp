#include "lib/base/support/MappedPages.h"

#include "lib/base/support/MappingTable.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace proa {
namespace {

/// Mapped files by address. Never destroyed: files may be unmapped at the end of the process.
struct Mappings {
  std::mutex mutex;
  std::map<uintptr_t, size_t> sizes;
};

Mappings &mappings() {
  static auto *all = new Mappings;
  return *all;
}

/// The entries of /proc/self/pagemap for some pages; empty if the system has no such file.
std::vector<uint64_t> pageEntries(uintptr_t firstPage, size_t count) {
  std::vector<uint64_t> entries(count);
  int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  size_t bytes = count * sizeof(uint64_t);
  ssize_t done = ::pread(file, entries.data(), bytes, static_cast<off_t>(firstPage * sizeof(uint64_t)));
  ::close(file);
  return done == static_cast<ssize_t>(bytes) ? entries : std::vector<uint64_t>();
}

/// Whether a page is a page of the file, or is not there at all. A page that was written is a copy.
bool isUnchanged(uint64_t entry) {
  constexpr uint64_t isPresent = uint64_t(1) << 63, isSwapped = uint64_t(1) << 62,
                     isOfFile = uint64_t(1) << 61;
  return entry & isPresent ? (entry & isOfFile) != 0 : (entry & isSwapped) == 0;
}

} // namespace

void addMapping(const void *data, size_t bytes) {
  std::lock_guard lock(mappings().mutex);
  mappings().sizes[reinterpret_cast<uintptr_t>(data)] = bytes;
}

bool removeMapping(const void *data) {
  std::lock_guard lock(mappings().mutex);
  return mappings().sizes.erase(reinterpret_cast<uintptr_t>(data)) != 0;
}

void releaseMappedPages(const void *data, size_t bytes) {
  auto begin = reinterpret_cast<uintptr_t>(data), end = begin + bytes;
  std::lock_guard lock(mappings().mutex);
  auto mapping = mappings().sizes.upper_bound(begin);
  if (bytes == 0 || mapping == mappings().sizes.begin() ||
      end > std::prev(mapping)->first + std::prev(mapping)->second)
    return;
  auto pageSize = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  uintptr_t first = begin / pageSize, last = (end + pageSize - 1) / pageSize;
  std::vector<uint64_t> entries = pageEntries(first, last - first);
  for (size_t i = 0; i < entries.size();) {
    size_t next = i;
    while (next < entries.size() && isUnchanged(entries[next]))
      ++next;
    if (next > i)
      ::madvise(reinterpret_cast<void *>((first + i) * pageSize), (next - i) * pageSize, MADV_DONTNEED);
    i = next + 1;
  }
}

} // namespace proa
