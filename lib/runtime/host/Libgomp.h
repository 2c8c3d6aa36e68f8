/// libgomp's stable binary interface, called directly: clang compiles OpenMP pragmas only for its own
/// runtime, and that would be a second pool.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PROA_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_THREAD__) // g++
#define PROA_THREAD_SANITIZER
#endif
#ifdef PROA_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_max_threads();
int omp_in_parallel();
void omp_set_num_threads(int count);
}

namespace proa::runtime {

/// libgomp is not instrumented: ThreadSanitizer learns by these calls that a team begins after the caller's
/// writes, and that the caller continues after the team's.
inline void announce([[maybe_unused]] void *region) {
#ifdef PROA_THREAD_SANITIZER
  __tsan_release(region);
#endif
}
inline void observe([[maybe_unused]] void *region) {
#ifdef PROA_THREAD_SANITIZER
  __tsan_acquire(region);
#endif
}

} // namespace proa::runtime
