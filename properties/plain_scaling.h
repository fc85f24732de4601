// Context extension as plain float code does it, and the mistakes people make in it: for the wrong
// subjects of rope_scaling and of rope. Nothing here calls the reference or a kernel.
#ifndef GNOMON_PROPERTIES_PLAIN_SCALING_H_
#define GNOMON_PROPERTIES_PLAIN_SCALING_H_

#include "gnomon/properties/plain_angle.h"
#include "gnomon/spec/rope.h"

namespace gnomon::properties {

enum class Slip {
  kNone,
  // Frequencies.
  kMultiplies,
  kFactorIgnored,
  kNtkNoExponent,
  kNtkHalfExponent,
  kStatic,
  kStale,
  kNeverReset,
  kAlwaysReset,
  kBandsIgnored,
  kBandsWithoutBlend,
  kBandsExchanged,
  kRoundingSkipped,
  kRoundingInverted,
  kBetasExchanged,
  kNtkForFast,
  kBaseRaised,
  kRampReversed,
  kRotationsForIndex,
  kSwitchAtLength,
  kAlwaysLong,
  kPartsExchanged,
  kPartialDivisor,
  kRestTurns,
  // Magnitudes.
  kMagnitudeDropped,
  kRatioIgnored,
  kAttentionFactorIgnored,
  kLogarithmTwice,
  kMagnitudeSquared,
  kLengthForFactor,
  kSoftmaxOnce,
  kPlacementIgnored,
  // Layers and temperature.
  kLayerFromZero,
  kLayersInverted,
  kStepLate,
  kLogarithmOfSteps,
};

// The scaled frequency of pair i: good to binary64 for kExact, else in float32 throughout.
double PlainScaledFrequency(AngleForm form, const RopeFrequencies& f, int64_t i,
                            Slip slip = Slip::kNone, bool negative_exponent = false);

// For kExact, with 64 bits.
long double ExactScaledFrequency(const RopeFrequencies& f, int64_t i, Slip slip = Slip::kNone);

// What tables (`tables`), or y, are multiplied by.
double PlainMagnitude(const RopeScaling& s, bool tables, Slip slip = Slip::kNone);
double PlainSoftmaxFactor(const RopeScaling& s, Slip slip = Slip::kNone);

}  // namespace gnomon::properties

#endif  // GNOMON_PROPERTIES_PLAIN_SCALING_H_
