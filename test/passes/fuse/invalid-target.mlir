// RUN: proa-opt --pd-form-kernels=target=tpu --verify-diagnostics --split-input-file %s

// expected-error@+1 {{target is 'tpu', expected cpu, gpu or gpu-blas}}
module {
}
