// A model's config.json, as far as it speaks of positions other than RoPE (CASE-8), and of the
// rotary positions of a tower for images.
#ifndef GNOMON_ORACLE_CONFIG_SCHEMES_H_
#define GNOMON_ORACLE_CONFIG_SCHEMES_H_

#include <string>

#include "gnomon/oracle/config.h"
#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {

// t5_bias, alibi, learned, relative, sinusoidal: operations whose parameters are read here.
bool IsOtherScheme(const std::string& operation);

// Parameters of choices.operation, one of these. What the file does not say, though its model's
// code has a default of its own, has to be stated beside it. Throws BadFile or Rejected.
Parameters ReadOtherScheme(const Json& json, const std::string& file, const ConfigChoices& choices);

// Parameters of multi_axis.axial, of `vision_config`.
Parameters ReadVisionTower(const Json& json, const std::string& file, const ConfigChoices& choices);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CONFIG_SCHEMES_H_
