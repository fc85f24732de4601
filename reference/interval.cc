#include "gnomon/reference/interval.h"

namespace gnomon::reference {

double Round(Format format, mpfr_srcptr x) {
  const FormatTraits& t = Traits(format);
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t y;
  mpfr_init2(y, t.precision);
  int direction = mpfr_set(y, x, MPFR_RNDN);
  // MPFR's significands are below 1: its exponents are one above ours.
  mpfr_set_emin(t.min_quantum_exponent + 1);
  mpfr_set_emax(t.max_exponent + 1);
  direction = mpfr_check_range(y, direction, MPFR_RNDN);
  mpfr_subnormalize(y, direction, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  const double rounded = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clear(y);
  return rounded;
}

double Round(Format format, const Interval& x) {
  const double low = Round(format, Lower(x));
  const double high = Round(format, Upper(x));
  if (low != high) throw Undecided();
  if (low == 0 && std::signbit(low) != std::signbit(high) && !IsPoint(x)) throw Undecided();
  return low;
}

double WidthOf(const Interval& x) {
  mpfr_t width;
  mpfr_init2(width, 53);
  mpfi_diam_abs(width, x.backend().data());
  const double up = mpfr_get_d(width, MPFR_RNDU);
  mpfr_clear(width);
  return up;
}

}  // namespace gnomon::reference
