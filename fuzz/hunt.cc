// One round is one child: libFuzzer draws bytes, the bytes draw a question (find.h), and a new
// signature is shrunk and written into a folder of its own. A child that dies left its bytes behind
// as libFuzzer's artifact. Afterwards everything found is asked again of the isolated subject.
#include "gnomon/fuzz/hunt.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <random>
#include <set>
#include <stdexcept>
#include <system_error>

#include "gnomon/oracle/stop.h"

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*callback)(const uint8_t* data, size_t size));

// libFuzzer adds these to the coverage that guides it: a candidate without instrumentation is still
// led to every property, and to answers of every kind.
constexpr size_t kExtraCounters = 1024;
__attribute__((section("__libfuzzer_extra_counters"))) uint8_t extra_counters[kExtraCounters];

// A change of the bytes, or bytes of their own: what a generator draws is shallow and wide, and
// small changes of few inputs alone would stay near them.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < max_size; ++i) data[i] = static_cast<uint8_t>(random() >> 56);
  return max_size;
}

namespace gnomon::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using properties::Property;

constexpr int kShrinkTrials = 1000;
constexpr double kShrinkSeconds = 5;
constexpr int kMostCrashesAsked = 3;    // again, of the isolated subject
constexpr int kCrashShrinkTrials = 60;  // each takes a process down
constexpr int kMostCrashesOfOne = 20;   // then the property is not asked any more
constexpr int kShrinksOfOne = 4;
constexpr int kIsolatedQuestions = 3;
constexpr int kSecondsOfQuestion = 3;  // several calls; beyond it a hang
constexpr int kSeedInputs = 64;
constexpr size_t kSeedBytes = 1 + 8 * 512;

std::vector<uint8_t> ReadBytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::vector<uint8_t>(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}
void WriteBytes(const fs::path& path, const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// A temporary folder, gone in the end.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "gnomon-fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "a temporary folder");
    path_ = pattern;
    for (const char* name : {"corpus", "crashes", "finds"}) fs::create_directory(path_ / name);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

// What parent and children share.
struct Shared {
  std::atomic<int64_t> asked{0};
};

// The child's side: libFuzzer's callback has no argument of ours.
struct Search {
  properties::Subject* subject = nullptr;
  std::vector<const Property*> askable;
  fs::path finds;
  std::map<std::string, int> seen;  // signature -> times
  Shared* shared = nullptr;
};
Search* search = nullptr;

Question ToQuestion(const std::vector<const Property*>& askable, const uint8_t* data, size_t size) {
  Question question;
  question.property = askable[data[0] % askable.size()]->name;
  question.tape.resize((size - 1) / 8);
  if (!question.tape.empty()) std::memcpy(question.tape.data(), data + 1, question.tape.size() * 8);
  return question;
}

// A question in a file: the name of the property, NUL, the tape.
void WriteQuestion(const fs::path& path, const Question& question) {
  std::vector<uint8_t> bytes(question.property.begin(), question.property.end());
  bytes.push_back(0);
  const size_t at = bytes.size();
  bytes.resize(at + 8 * question.tape.size());
  if (!question.tape.empty())
    std::memcpy(bytes.data() + at, question.tape.data(), 8 * question.tape.size());
  WriteBytes(path, bytes);
}
Question ReadQuestion(const fs::path& path) {
  const std::vector<uint8_t> bytes = ReadBytes(path);
  const auto end = std::find(bytes.begin(), bytes.end(), 0);
  Question question{std::string(bytes.begin(), end), {}};
  if (end == bytes.end()) return question;
  question.tape.resize(static_cast<size_t>(bytes.end() - end - 1) / 8);
  if (!question.tape.empty())
    std::memcpy(question.tape.data(), &*end + 1, 8 * question.tape.size());
  return question;
}

int Callback(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Question question = ToQuestion(search->askable, data, size);
  Find find;
  const Answer answer = Ask(*search->subject, question, &find);
  const size_t property = data[0] % search->askable.size();
  ++extra_counters[(3 * property + static_cast<size_t>(answer)) % kExtraCounters];
  if (answer != Answer::kNothing) search->shared->asked.fetch_add(1, std::memory_order_relaxed);
  // What looks the same may be two faults: each look is shrunk a few times.
  if (answer != Answer::kFind || ++search->seen[find.Signature()] > kShrinksOfOne) return 0;
  const Find smallest = Shrink(*search->subject, find, kShrinkTrials, kShrinkSeconds);
  if (++search->seen[smallest.Signature()] > kShrinksOfOne) return 0;
  const size_t number = std::hash<std::string>()(smallest.Signature() + smallest.message);
  WriteQuestion(search->finds / std::to_string(number), smallest.question);
  std::ofstream(search->finds / (std::to_string(number) + ".txt")) << smallest.Signature() << "\n"
                                                                   << smallest.message << "\n";
  return 0;
}

struct Round {
  const MakeSubject& make;
  const HuntOptions& options;
  const Folder& folder;
  std::vector<const Property*> askable;
  std::map<std::string, int> seen;
  int seconds = 0;
  int number = 0;
};

[[noreturn]] void RunChild(const Round& round, Shared* shared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int each : {SIGINT, SIGTERM}) signal(each, SIG_DFL);
  const int log = open((round.folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  const std::unique_ptr<properties::Subject> subject = round.make();
  Search child{subject.get(), round.askable, round.folder / "finds", round.seen, shared};
  search = &child;
  std::vector<std::string> arguments = {
      "gnomon-fuzz",
      "-max_total_time=" + std::to_string(round.seconds),
      "-seed=" + std::to_string(round.options.seed + static_cast<uint64_t>(round.number)),
      "-max_len=" + std::to_string(kSeedBytes),
      "-len_control=0",
      "-timeout=" + std::to_string(kSecondsOfQuestion),
      "-rss_limit_mb=4096",
      "-artifact_prefix=" + (round.folder / "crashes").string() + "/",
      (round.folder / "corpus").string()};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  char** values = argv.data();
  _exit(LLVMFuzzerRunDriver(&argc, &values, Callback));
}

void WriteSeeds(const Folder& folder, uint64_t seed, size_t properties) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < kSeedInputs; ++i) {
    std::vector<uint8_t> bytes(kSeedBytes);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() >> 56);
    bytes[0] = static_cast<uint8_t>(static_cast<size_t>(i) % properties);
    WriteBytes(folder / ("corpus/seed-" + std::to_string(i)), bytes);
  }
}

// An input that takes the process down would do so again before anything else is asked.
void RemoveFromCorpus(const Folder& folder, const std::vector<uint8_t>& bytes) {
  std::vector<fs::path> same;
  for (const auto& entry : fs::directory_iterator(folder / "corpus"))
    if (ReadBytes(entry.path()) == bytes) same.push_back(entry.path());
  for (const fs::path& path : same) fs::remove(path);
}

// libFuzzer says how many counters a module brought; without any it says nothing of it.
bool LogSaysGuided(const Folder& folder) {
  std::ifstream log(folder / "log");
  for (std::string line; std::getline(log, line);)
    if (line.find("inline 8-bit counters") != std::string::npos) return true;
  return false;
}
std::string LastLine(const fs::path& path) {
  std::ifstream in(path);
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

HuntResult Hunt(const MakeSubject& searched, const MakeSubject& isolated,
                const HuntOptions& options) {
  HuntResult result;
  const Folder folder;
  const std::unique_ptr<properties::Subject> subject = isolated();
  std::vector<const Property*> askable = Askable(*subject, options.operations);
  if (askable.empty()) return result;
  WriteSeeds(folder, options.seed, askable.size());
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  Shared* shared = new (memory) Shared;

  const auto begin = Clock::now(), end = begin + std::chrono::seconds(options.seconds);
  std::vector<Find> raw;
  std::map<std::string, int> crashes_of;
  std::map<std::string, int> seen;
  std::vector<std::pair<Question, std::string>> crashes;
  int hangs = 0;
  const oracle::StopSignals stop;
  for (int number = 0; !askable.empty() && hangs < properties::kMostHangs; ++number) {
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - Clock::now()).count();
    if ((number > 0 && left < 1) || oracle::StopSignals::Came()) break;
    const Round round{searched, options, folder, askable, seen, std::max(1, static_cast<int>(left)),
                      number};
    const pid_t child = fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) RunChild(round, shared);
    oracle::StopSignals::PassOnTo(child);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    oracle::StopSignals::PassOnTo(0);
    std::vector<fs::path> fresh;
    for (const auto& entry : fs::directory_iterator(folder / "crashes"))
      fresh.push_back(entry.path());
    for (const auto& entry : fs::directory_iterator(folder / "finds"))
      if (entry.path().extension() == ".txt") {
        std::ifstream in(entry.path());
        std::string signature;
        std::getline(in, signature);
        ++seen[signature];
      }
    if (fresh.empty()) {
      if (status == 0 || oracle::StopSignals::Came()) break;
      result.unrepeated.push_back("the search itself ended early: " + LastLine(folder / "log"));
      break;
    }
    for (const fs::path& path : fresh) {
      const std::vector<uint8_t> bytes = ReadBytes(path);
      fs::remove(path);
      RemoveFromCorpus(folder, bytes);
      if (bytes.empty()) continue;
      ++result.crashes;
      hangs += path.filename().string().starts_with("timeout-");  // as libFuzzer calls it
      const Question question = ToQuestion(askable, bytes.data(), bytes.size());
      if (++crashes_of[question.property] == 1)
        crashes.emplace_back(question, path.filename().string());
    }
    std::erase_if(askable, [&](const Property* p) {
      return crashes_of.count(p->name) && crashes_of.at(p->name) >= kMostCrashesOfOne;
    });
  }
  result.stopped = oracle::StopSignals::Came();
  result.asked = shared->asked.load();
  munmap(memory, sizeof(Shared));
  result.guided = LogSaysGuided(folder);

  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (hangs >= properties::kMostHangs)
    result.not_searched = std::max(0.0, options.seconds - result.seconds);

  // Once more, where a crash is an answer like any other.
  const std::vector<const Property*> all = Askable(*subject, options.operations);
  // Of finds that differ in the position alone, the one at the lowest is kept.
  std::map<std::string, Find> kept;
  int crashed = 0;
  const auto keep = [&](const Question& question, const std::string& seen_as) {
    if (crashed >= kMostCrashesAsked) return;
    Find find;
    const Answer answer = Ask(*subject, question, &find);
    result.not_asked += answer == Answer::kNotAsked;
    if (answer == Answer::kNotAsked) {
      result.why_not_asked = find.message;
      return;
    }
    if (answer != Answer::kFind) {
      if (!seen_as.empty()) result.unrepeated.push_back(seen_as);
      return;
    }
    if (find.crashed) {
      ++crashed;
      find = Shrink(*subject, find, kCrashShrinkTrials, kShrinkSeconds);
    }
    Find plain = find;
    plain.where.position = std::min(plain.where.position, 1);
    const auto [at, fresh] = kept.try_emplace(plain.Signature(), find);
    if (!fresh && find.where.position < at->second.where.position) at->second = std::move(find);
  };
  for (const auto& entry : fs::directory_iterator(folder / "finds")) {
    if (entry.path().extension() != ".txt")
      keep(ReadQuestion(entry.path()), LastLine(entry.path().string() + ".txt"));
  }
  for (const auto& [question, name] : crashes)
    keep(question, "a crash in " + question.property + " (" + name + ")");
  // What only guard pages and a process of its own show: a few questions of each property.
  for (const Property* property : all)
    for (int i = 0; i < kIsolatedQuestions; ++i) {
      std::mt19937_64 random(options.seed + static_cast<uint64_t>(i));
      Question question{property->name, properties::Tape((kSeedBytes - 1) / 8)};
      for (uint64_t& word : question.tape) word = random();
      keep(question, "");
    }
  // One that adds to what another has in common is taken for the same fault.
  const auto spared = [&](const Find& find) {
    return std::any_of(kept.begin(), kept.end(), [&](const auto& entry) {
      const Find& other = entry.second;
      return other.c.operation == find.c.operation && other.c.format == find.c.format &&
             other.clause == find.clause && other.where.telling() && !(other.where == find.where) &&
             other.where.within(find.where);
    });
  };
  for (const auto& [signature, find] : kept)
    if (!spared(find)) result.finds.push_back(find);
  return result;
}

}  // namespace gnomon::fuzz
