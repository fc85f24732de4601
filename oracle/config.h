// A model's own config.json: of RoPE here, of other schemes in config_schemes.h (CASE-8).
//
// Read are the names of the Hugging Face configurations, old (`rope_theta`, `rope_scaling`) and new
// (`rope_parameters`), those of GPT-NeoX and GPT-J, and those of multi-head latent attention. Keys
// of a list are known to say nothing about positions and are ignored. Any other key that speaks of
// them is refused by name: what is not understood is never passed over. `text_config` is read where
// the top level has no such key; any other nested object that holds one is refused, and so is a
// file that states no parameter or names a model without RoPE.
#ifndef GNOMON_ORACLE_CONFIG_H_
#define GNOMON_ORACLE_CONFIG_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gnomon/spec/case.h"

namespace gnomon::oracle {

// What the user says of the file: whose parameters, where layers differ (SCALE-16), or "";
// head_dim, which the file may not state but makes a part of; whether rope_theta is stated beside
// it.
struct ConfigChoices {
  std::string layer_type;
  std::optional<int64_t> head_dim;
  bool rope_theta = false;
  bool text_tower = false;     // whatever towers for images or sound say of their own positions
  bool vision_tower = false;   // of the tower for images, and of nothing else
  std::string operation = "";  // empty: of RoPE
  std::set<std::string> stated = {};  // names of the parameters that are stated beside the file
};

// Parameters of the operation; of rope.* and rope_scaling.*: head_dim, rotary_dim, rope_theta,
// layout, those of context extension, of sections and of layers without RoPE; those that the file
// states. `file` is for messages. Throws BadFile or Rejected.
Parameters ParseConfig(std::string_view text, const std::string& file,
                       const ConfigChoices& choices = {});
Parameters ReadConfig(const std::string& path, const ConfigChoices& choices = {});

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CONFIG_H_
