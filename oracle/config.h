// A model's own config.json, as far as it speaks of RoPE.
//
// Read are the names of the Hugging Face configurations, old (`rope_theta`, `rope_scaling`) and new
// (`rope_parameters`), and those of GPT-NeoX and GPT-J. Keys of a list are known to say nothing
// about positions and are ignored. Any other key that speaks of them is refused by name: what is
// not understood is never passed over.
// `text_config` is read where the top level has no such key; any other nested object that holds one
// is refused, and so is a file that states no parameter or names a model without RoPE.
#ifndef GNOMON_ORACLE_CONFIG_H_
#define GNOMON_ORACLE_CONFIG_H_

#include <string>
#include <string_view>

#include "gnomon/spec/case.h"

namespace gnomon::oracle {

// Parameters of rope.* and rope_scaling.* operations: head_dim, rotary_dim, rope_theta, layout,
// those of context extension and of layers without RoPE; those that the file states. `file` is for
// messages. `layer_type`: whose, where layers differ (SCALE-16). Throws BadFile or Rejected.
Parameters ParseConfig(std::string_view text, const std::string& file,
                       const std::string& layer_type = "");
Parameters ReadConfig(const std::string& path, const std::string& layer_type = "");

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CONFIG_H_
