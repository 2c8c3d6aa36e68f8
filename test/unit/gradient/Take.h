//! Results of functions in tests.
#pragma once

#include "proa/Result.h"

#include <gtest/gtest.h>

namespace proa {

template <class T> T take(Result<T> result) {
  EXPECT_TRUE(result) << (result ? "" : result.diagnostics().text());
  return std::move(*result);
}

} // namespace proa
