/* The loops a good C programmer writes, the peer of the compiled kernels. Built with -O3 -march=native -ffast-math. */
#include <math.h>
#include <stdint.h>

typedef const float *restrict In;
typedef float *restrict Out;

void referenceBiasGeluErf(In x, In b, Out o) {
  for (int i = 0; i < 128; i++)
    for (int j = 0; j < 3072; j++) {
      float t = x[i * 3072 + j] + b[j];
      o[i * 3072 + j] = 0.5f * t * (1.f + erff(t * 0.70710678f));
    }
}

void referenceBiasGeluTanh(In x, In b, Out o) {
  for (int i = 0; i < 128; i++)
    for (int j = 0; j < 3072; j++) {
      float t = x[i * 3072 + j] + b[j];
      o[i * 3072 + j] = 0.5f * t * (1.f + tanhf(0.7978845608f * (t + 0.044715f * t * t * t)));
    }
}

void referenceAddLayerNorm(In x, In y, In g, In b, Out o) {
  for (int i = 0; i < 128; i++) {
    float t[768], sum = 0, squares = 0;
    for (int j = 0; j < 768; j++) {
      t[j] = x[i * 768 + j] + y[i * 768 + j];
      sum += t[j];
    }
    sum /= 768;
    for (int j = 0; j < 768; j++)
      squares += (t[j] - sum) * (t[j] - sum);
    float r = 1.f / sqrtf(squares / 768 + 1e-5f);
    for (int j = 0; j < 768; j++)
      o[i * 768 + j] = (t[j] - sum) * r * g[j] + b[j];
  }
}

void referenceSoftmax(In x, In mask, Out o) {
  for (int i = 0; i < 12 * 128; i++) {
    float t[128], max = -1e30f, sum = 0;
    for (int j = 0; j < 128; j++) {
      t[j] = x[i * 128 + j] * 0.125f + mask[j];
      max = t[j] > max ? t[j] : max;
    }
    for (int j = 0; j < 128; j++) {
      t[j] = expf(t[j] - max);
      sum += t[j];
    }
    float r = 1.f / sum;
    for (int j = 0; j < 128; j++)
      o[i * 128 + j] = t[j] * r;
  }
}

void referenceBatchNormRelu(In x, In mean, In variance, In g, In b, Out o) {
  for (int c = 0; c < 64; c++) {
    float r = g[c] / sqrtf(variance[c] + 1e-5f), s = b[c] - mean[c] * r;
    for (int j = 0; j < 3136; j++) {
      float v = x[c * 3136 + j] * r + s;
      o[c * 3136 + j] = v > 0 ? v : 0;
    }
  }
}

void referenceTranspose0213(In x, Out o) {
  for (int h = 0; h < 12; h++)
    for (int i = 0; i < 128; i++)
      for (int j = 0; j < 64; j++)
        o[(h * 128 + i) * 64 + j] = x[(i * 12 + h) * 64 + j];
}

void referenceTranspose10(In x, Out o) {
  for (int ii = 0; ii < 768; ii += 16)
    for (int jj = 0; jj < 768; jj += 16)
      for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
          o[(ii + i) * 768 + jj + j] = x[(jj + j) * 768 + ii + i];
}

void referenceGather(const int64_t *restrict ids, In w, Out o) {
  for (int i = 0; i < 128; i++)
    for (int j = 0; j < 768; j++)
      o[i * 768 + j] = w[ids[i] * 768 + j];
}

void referenceReduceOuter(In x, Out o) {
  for (int j = 0; j < 3072; j++)
    o[j] = 0;
  for (int i = 0; i < 128; i++)
    for (int j = 0; j < 3072; j++)
      o[j] += x[i * 3072 + j];
}

void referenceReduceInner(In x, Out o) {
  for (int i = 0; i < 128; i++) {
    float sum = 0;
    for (int j = 0; j < 3072; j++)
      sum += x[i * 3072 + j];
    o[i] = sum;
  }
}
