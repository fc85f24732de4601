#include "gnomon/properties/tolerance.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/truth.h"

namespace gnomon::properties::rope_scaling {
namespace {

// SCALE-17, SCALE-18: the counts of these bounds need the frequencies themselves, so they are the
// judge's.
class CountedTolerance : public Tolerance {
 public:
  CountedTolerance(const Profile& promise, const Case& c)
      : promise_(promise), format_(c.format), truth_(reference::TruthOf(c)) {}
  double Bound(int output, int64_t element) const override {
    if (promise_.correctly_rounded) return OneRounding(format_, Size(output, element));
    reference::QuickElement quick;  // whose bounds are the clause's within 2^-40
    if (truth_->Quick(output, element, ProfilesFor(promise_.flushes), &quick))
      return quick.bound[*ProfileFromName(promise_.name)] * (1 + 0x1p-39);
    return Upper([&] { return truth_->Bound(output, element, promise_); });
  }
  double Size(int output, int64_t element) const override {
    return Upper([&] { return truth_->Size(output, element); });
  }

 private:
  template <class Ask>
  static double Upper(Ask ask) {
    const auto bound =
        reference::Certify([&] { return mpfr_get_d(reference::Upper(ask()), MPFR_RNDU); });
    return bound.value_or(std::numeric_limits<double>::infinity());
  }
  Profile promise_;
  Format format_;
  std::unique_ptr<reference::Truth> truth_;
};

}  // namespace

std::unique_ptr<Tolerance> MakeTolerance(const Profile& promise, const Case& c) {
  return std::make_unique<CountedTolerance>(promise, c);
}

}  // namespace gnomon::properties::rope_scaling
