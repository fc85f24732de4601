// Somebody's kernel: rotates neighbouring dims of one token's heads, in place.
#ifndef MY_ROPE_H_
#define MY_ROPE_H_

#include <cmath>

inline void MyRope(float* heads, int head_count, int head_dim, long position, float theta) {
  for (int i = 0; i < head_dim; i += 2) {
    const float angle = static_cast<float>(position) *
                        std::pow(theta, -static_cast<float>(i) / static_cast<float>(head_dim));
    const float c = std::cos(angle), s = std::sin(angle);
    for (float* x = heads + i; x < heads + head_count * head_dim; x += head_dim) {
      const float a = x[0], b = x[1];
      x[0] = a * c - b * s;
      x[1] = a * s + b * c;
    }
  }
}

#endif  // MY_ROPE_H_
