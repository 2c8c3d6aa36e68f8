/// The safetensors format: 8 bytes length of a JSON header, the header (name: dtype, shape, data_offsets),
/// the bytes.
#pragma once

#include "lib/base/support/Files.h"
#include "proa/Tensor.h"

#include <map>
#include <memory>
#include <string>

namespace proa::params {

using Tensors = std::map<std::string, Tensor>;

/// Reads all tensors of a file. They share the memory of the mapped file if its alignment allows.
/// complex128, which the format lacks, is F64 with a trailing dimension of 2; `__metadata__.complex128` lists
/// its names, separated by commas.
/// Errors, all at once: the file is missing, too short or has a damaged header; for each tensor an unknown
/// dtype, a wrong shape, offsets that do not fit its size, are past the end or overlap another tensor's;
/// bytes outside of all tensors.
Result<Tensors> readSafetensors(const std::string &path);
/// The same for a content; `path` begins the messages.
Result<Tensors> readSafetensors(const std::string &path, const std::shared_ptr<const MappedFile> &content);

/// Texts of `__metadata__` by key, without `complex128`.
using Metadata = std::map<std::string, std::string>;

struct TensorsAndMetadata {
  Tensors tensors;
  Metadata metadata;
};

/// The tensors of a file with its metadata; entries of the metadata that are not texts are left out. Errors:
/// as readSafetensors.
Result<TensorsAndMetadata> readSafetensorsFile(const std::string &path);

/// Writes all tensors; the file appears under its name when it is complete. Error: a file that cannot be
/// written; a name that is not UTF-8.
Result<void> writeSafetensors(const std::string &path, const Tensors &tensors, const Metadata &metadata = {});

} // namespace proa::params
