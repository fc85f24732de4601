// What most files read and nobody here writes, compiled once (option GNOMON_PRECOMPILE). Nothing
// may rely on it: every file includes what it uses, and the preset `clang` builds without it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
#if defined(GNOMON_PRECOMPILE_INTERVALS)
#include <mpfi.h>

#include <boost/multiprecision/mpfi.hpp>
#endif
#if defined(GNOMON_PRECOMPILE_TESTS)
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#endif
