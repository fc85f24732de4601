#include "gnomon/oracle/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace gnomon::oracle {
namespace {

template <class... Arguments>
std::string MpfrText(const char* pattern, Arguments... arguments) {
  std::array<char, 256> text;
  mpfr_snprintf(text.data(), text.size(), pattern, arguments...);
  return text.data();
}

// Half the width, rounded up; and the middle, as near as its precision allows.
class Middle {
 public:
  explicit Middle(const reference::Interval& x) {
    mpfr_init2(middle_, mpfr_get_prec(reference::Lower(x)) + 1);
    mpfr_init2(radius_, 32);
    mpfi_mid(middle_, x.backend().data());
    mpfr_sub(radius_, reference::Upper(x), reference::Lower(x), MPFR_RNDU);
  }
  ~Middle() {
    mpfr_clear(middle_);
    mpfr_clear(radius_);
  }
  Middle(const Middle&) = delete;
  Middle& operator=(const Middle&) = delete;
  mpfr_srcptr middle() const { return middle_; }
  mpfr_srcptr radius() const { return radius_; }

 private:
  mpfr_t middle_, radius_;
};

}  // namespace

std::string Decimal(double value, Format format) {
  return fmt::format("{:.{}g}", value, format == Format::kF64 ? 17 : 9);
}

std::string Hex(double value) {
  return std::isfinite(value) ? fmt::format("{:a}", value) : fmt::format("{}", value);
}

std::string Rough(double value) { return fmt::format("{:.3g}", value); }

std::string Enclosure(const reference::Interval& x, int digits) {
  const Middle m(x);
  const std::string middle = MpfrText("%.*RNg", digits, m.middle());
  return reference::IsPoint(x) ? middle : middle + " +- " + MpfrText("%.1RUg", m.radius());
}

std::string HexEnclosure(const reference::Interval& x) {
  const Middle m(x);
  return MpfrText("%.25RNa", m.middle());
}

std::string ElementName(const TensorSpec& output, const Shape& index) {
  std::string text;
  // An optional batch is the first axis, and may be missing.
  const size_t missing = output.axes.size() - std::min(index.size(), output.axes.size());
  for (size_t i = 0; i < index.size(); ++i)
    text += fmt::format("{}{} {}", i ? ", " : "", output.axes[i + missing], index[i]);
  return output.role + "[" + text + "]";
}

Shape IndexOf(const Shape& shape, int64_t element) {
  Shape index = shape;
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
}

int64_t ElementAt(const Shape& shape, const Shape& index) {
  int64_t element = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) element = element * shape[axis] + index[axis];
  return element;
}

std::string ShapeText(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string Describe(const Profile& profile, Format output) {
  if (profile.correctly_rounded) return "every element is the correctly rounded truth";
  const std::string_view working = Traits(WorkingFormat(output)).name;
  const std::string_view tables = Traits(FormatAt(profile.tables, output)).name;
  const std::string_view arithmetic = Traits(FormatAt(profile.arithmetic, output)).name;
  std::string angles;
  switch (profile.angle) {
    case AngleForm::kExact:
      angles = "exact angles";
      break;
    case AngleForm::kWorking:
      angles = fmt::format("angles formed in {}", working);
      break;
    case AngleForm::kExp:
      angles = fmt::format("angles formed in {} from frequencies by exp", working);
      break;
    case AngleForm::kChained:
      angles = fmt::format("angles formed in {} from frequencies multiplied up pair by pair", working);
  }
  return tables == arithmetic
             ? fmt::format("{}, tables and arithmetic in {}", angles, tables)
             : fmt::format("{}, tables in {}, arithmetic in {}", angles, tables, arithmetic);
}

std::string UnitName(ErrorUnit unit) { return unit == ErrorUnit::kUlp ? "ulp" : "u S"; }

}  // namespace gnomon::oracle
