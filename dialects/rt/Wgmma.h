/// rt.wgmma.
#pragma once

#include "dialects/rt/Rt.h"
#include "lib/base/target/MatrixInstruction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#define GET_OP_CLASSES
#include "dialects/rt/Wgmma.h.inc"
