// The object `rope_parameters` or `rope_scaling` of a config.json (SCALE-16).
#ifndef GNOMON_ORACLE_CONFIG_SCALING_H_
#define GNOMON_ORACLE_CONFIG_SCALING_H_

#include <functional>
#include <string>

#include "gnomon/oracle/strict_json.h"
#include "gnomon/spec/rope_scaling.h"

namespace gnomon::oracle {

// Refuses a key, by its path, with a reason.
using RefuseKey =
    std::function<void(const std::string& key, const Json& value, const std::string& why)>;

// What the object says of context extension: rope_type and its parameters; nothing for the default.
// `file`: the configuration it stands in. rope_theta and, but for `proportional`,
// partial_rotary_factor are left to the caller. `path`: for messages.
Parameters ReadScalingObject(const Json& object, const std::string& path, const Json& file,
                             const RefuseKey& refuse);

// The type that it names.
RopeType TypeOfScaling(const Json& object, const std::string& path, const RefuseKey& refuse);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CONFIG_SCALING_H_
