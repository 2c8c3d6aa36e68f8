// make-program N FILE: writes a program of N ops.
#include "lib/base/support/Files.h"
#include "test/bench/SyntheticProgram.h"

#include <CLI/CLI.hpp>

#include <iostream>

int main(int argc, char **argv) {
  CLI::App app("Writes a synthetic legacy program as JSON, to measure how time grows with the number of ops");
  size_t operations = 0;
  std::string file;
  app.add_option("operations", operations, "Number of ops")->required();
  app.add_option("file", file, "The file to write")->required();
  CLI11_PARSE(app, argc, argv);
  proa::Result<void> written = proa::writeFile(file, proa::bench::syntheticProgram(operations));
  if (!written)
    std::cerr << written.diagnostics().text();
  return written ? 0 : 1;
}
