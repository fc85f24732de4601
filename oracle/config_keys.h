// Which keys of a config.json mean what.
#ifndef GNOMON_ORACLE_CONFIG_KEYS_H_
#define GNOMON_ORACLE_CONFIG_KEYS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/oracle/strict_json.h"

namespace gnomon::oracle {

// Keys that config.cc reads.
bool IsRopeKey(const std::string& key);

// Those of them that are extents: head_dim, hidden_size and their like.
bool IsExtentKey(const std::string& key);

// vision_config, audio_config and their like: not the model of the text.
bool IsOtherTower(const std::string& key);

// bloom, gpt2, bert, ...: their positions are learned, sinusoidal, relative or ALiBi.
bool IsModelWithoutRope(const std::string& model_type);

// The rope_theta that a model takes where its file states none, if that is not 10000: of Hugging
// Face transformers 5.24 (full attention where layers differ).
std::optional<int64_t> OwnDefaultTheta(const std::string& model_type);

// Keys that say nothing about the angle of a position, whatever their name suggests.
bool IsUnrelatedKey(const std::string& key);

// rope, rotary, position and their like, in any case.
bool SpeaksOfPositions(const std::string& key);

// Keys that speak of positions and may stand, with these values: they then say what is the case
// here.
std::optional<std::vector<Json>> HarmlessValues(const std::string& key);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_CONFIG_KEYS_H_
