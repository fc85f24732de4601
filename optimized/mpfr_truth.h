// For tests only: correctly rounded values from MPFR, which the kernels do not use.
#ifndef GNOMON_OPTIMIZED_MPFR_TRUTH_H_
#define GNOMON_OPTIMIZED_MPFR_TRUTH_H_

#include <mpfr.h>

#include <cstdint>
#include <vector>

#include "gnomon/spec/case.h"
#include "gnomon/spec/format.h"

namespace gnomon::optimized::testing {

// A value with bits to spare, so that rounding it once more is right unless the truth lies within
// the last of them of a boundary.
class Mpfr {
 public:
  explicit Mpfr(mpfr_prec_t precision = 400) { mpfr_init2(v_, precision); }
  Mpfr(const Mpfr& other) : Mpfr(mpfr_get_prec(other.v_)) { mpfr_set(v_, other.v_, MPFR_RNDN); }
  Mpfr& operator=(const Mpfr&) = delete;
  ~Mpfr() { mpfr_clear(v_); }
  mpfr_ptr get() { return v_; }
  mpfr_srcptr get() const { return v_; }

  static Mpfr Of(const Number& number, mpfr_prec_t precision = 400) {
    Mpfr v(precision);
    if (number.decimal.empty()) {
      mpfr_set_d(v.v_, number.value, MPFR_RNDN);
    } else {
      mpfr_set_str(v.v_, number.decimal.c_str(), 10, MPFR_RNDN);
    }
    return v;
  }
  // base^(-numerator / denominator)
  static Mpfr Power(const Number& base, int64_t numerator, int64_t denominator,
                    mpfr_prec_t precision = 400) {
    Mpfr v(precision), exponent(precision);
    mpfr_set_si(exponent.v_, -numerator, MPFR_RNDN);
    mpfr_div_si(exponent.v_, exponent.v_, denominator, MPFR_RNDN);
    mpfr_pow(v.v_, Of(base, precision).v_, exponent.v_, MPFR_RNDN);
    return v;
  }

  // The bits of the value rounded to a format, subnormals and overflow included.
  uint64_t Bits(Format format) const {
    const FormatTraits& t = Traits(format);
    const mpfr_exp_t min = mpfr_get_emin(), max = mpfr_get_emax();
    Mpfr rounded(t.precision);
    mpfr_set_emin(t.min_quantum_exponent + 1);
    mpfr_set_emax(t.max_exponent + 1);
    int inexact = mpfr_set(rounded.v_, v_, MPFR_RNDN);
    inexact = mpfr_check_range(rounded.v_, inexact, MPFR_RNDN);
    mpfr_subnormalize(rounded.v_, inexact, MPFR_RNDN);
    const double value = mpfr_get_d(rounded.v_, MPFR_RNDN);
    mpfr_set_emin(min);
    mpfr_set_emax(max);
    return EncodeBits(format, value);
  }

 private:
  mpfr_t v_;
};

struct MpfrCosSin {
  Mpfr cos, sin;
};
inline MpfrCosSin CosSin(const Mpfr& w, int64_t position, mpfr_prec_t precision = 200) {
  MpfrCosSin v{Mpfr(precision), Mpfr(precision)};
  Mpfr angle(mpfr_get_prec(w.get()) + 40);  // the product is exact
  mpfr_mul_si(angle.get(), w.get(), position, MPFR_RNDN);
  mpfr_sin_cos(v.sin.get(), v.cos.get(), angle.get(), MPFR_RNDN);
  return v;
}

}  // namespace gnomon::optimized::testing

#endif  // GNOMON_OPTIMIZED_MPFR_TRUTH_H_
