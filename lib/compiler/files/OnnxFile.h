/// Export of a program with its weights to an ONNX file.
#pragma once

#include "lib/compiler/files/FolderFile.h"

namespace proa {

/// Writes the model of `request` as ONNX of this opset to the file `request.output`. Weights are in the file,
/// or, where they have 1 GiB or more, beside it in FILE.data. Errors: from reading, importing and
/// exporting; a file that cannot be written.
Result<void> writeOnnx(const FolderRequest &request, int64_t opset);

} // namespace proa
