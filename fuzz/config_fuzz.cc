// Whatever the text, a config.json gives parameters or is refused, whoever asks.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gnomon;
  for (const char* operation :
       {"", "t5_bias.bias", "t5_bias.deberta_bucket", "alibi.attention", "learned.lookup",
        "relative.scores", "sinusoidal.add", "sinusoidal.timestep", "multi_axis.axial"})
    for (const bool vision : {false, true}) try {
        oracle::ConfigChoices choices;
        choices.operation = operation;
        choices.vision_tower = vision;
        oracle::ParseConfig({reinterpret_cast<const char*>(data), size}, "fuzz", choices);
      } catch (const oracle::BadFile&) {
      } catch (const Rejected&) {
      }
  return 0;
}
