/// Fourier transforms and frames of signals.
#pragma once

#include "dialects/pd/Infer.h"
#include "dialects/pd/Pd.h"

#define GET_OP_CLASSES
#include "dialects/pd/signal/Fft.h.inc"
#define GET_OP_CLASSES
#include "dialects/pd/signal/Frame.h.inc"
