// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target over the files of its corpus, and over damaged copies of each: the plain test that every compiler
// can build. The fuzzer itself is built with -DSTAGECRAFT_FUZZ=ON and clang.
//
// STAGECRAFT_FUZZ_SECONDS=600 goes on for that long with a random seed, which is printed; STAGECRAFT_SEED repeats one. An
// input that brings the target down, or keeps it busy for half a minute, is written to the file named at the start.
#include "../base/test_seed.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::mt19937 g_random(1);

std::size_t below(std::size_t end) { return end == 0 ? 0 : g_random() % end; }

/// Single bytes, runs taken out, doubled or brought in from another input, numbers and brackets where none were, a cut end.
Bytes damaged(Bytes bytes, const std::vector<Bytes>& all)
{
    static const std::vector<std::string> kPieces{"0", "-1", "9223372036854775807", "18446744073709551616", "1e999", "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "\n", "\xff\xff\xff\xff", std::string(4, '\0')};
    for (std::size_t n = 1 + below(4); n > 0; --n) {
        const auto at = static_cast<std::ptrdiff_t>(below(bytes.size() + 1));
        const auto until = at + static_cast<std::ptrdiff_t>(below(std::min<std::size_t>(bytes.size() - static_cast<std::size_t>(at), 64) + 1));
        switch (below(6)) {
        case 0: bytes.erase(bytes.begin() + at, bytes.begin() + until); break;
        case 1: {
            const Bytes run(bytes.begin() + at, bytes.begin() + until);
            bytes.insert(bytes.begin() + at, run.begin(), run.end());
            break;
        }
        case 2: {
            const Bytes& other = all[below(all.size())];
            const auto from = static_cast<std::ptrdiff_t>(below(other.size() + 1));
            const auto count = static_cast<std::ptrdiff_t>(below(std::min<std::size_t>(other.size() - static_cast<std::size_t>(from), 64) + 1));
            bytes.insert(bytes.begin() + at, other.begin() + from, other.begin() + from + count);
            break;
        }
        case 3: {
            const std::string& piece = kPieces[below(kPieces.size())];
            bytes.insert(bytes.begin() + at, piece.begin(), piece.end());
            break;
        }
        default:
            if (!bytes.empty()) bytes[below(bytes.size())] = static_cast<std::uint8_t>(g_random());
        }
    }
    if (below(4) == 0) bytes.resize(below(bytes.size()));
    return bytes;
}

void tryOne(const Bytes& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

// For the signal handler: the input at work, and where it goes.
const Bytes* g_current = nullptr;
std::string g_kept;

extern "C" void keepInput(int number)
{
    const int fd = ::open(g_kept.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && g_current != nullptr) (void)!::write(fd, g_current->data(), g_current->size());
    ::signal(number, SIG_DFL);
    ::raise(number);
}

/// For the given time.
void campaign(const std::vector<Bytes>& all, std::chrono::seconds duration)
{
    const unsigned seed = stagecraft::testing::testSeed();
    g_random.seed(seed);
    g_kept = (std::filesystem::temp_directory_path() / ("stagecraft-fuzz-" + std::to_string(seed))).string();
    std::printf("a bad input goes to %s\n", g_kept.c_str());
    std::fflush(stdout);
    for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM}) ::signal(number, keepInput);
    const auto end = std::chrono::steady_clock::now() + duration;
    std::size_t tried = 0;
    while (std::chrono::steady_clock::now() < end) {
        Bytes bytes = all[below(all.size())];
        for (std::size_t again = 1 + below(3); again > 0; --again) bytes = damaged(std::move(bytes), all);
        g_current = &bytes;
        ::alarm(30);
        tryOne(bytes);
        g_current = nullptr;
        ++tried;
    }
    ::alarm(0);
    std::printf("%zu damaged inputs\n", tried);
}

}  // namespace

int main(int argc, char** argv)
{
    std::vector<Bytes> all;
    for (int i = 1; i < argc; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
            std::ifstream stream(entry.path(), std::ios::binary);
            const std::vector<char> content{std::istreambuf_iterator<char>(stream), {}};
            all.emplace_back(content.begin(), content.end());
        }
    }
    if (all.empty()) return 1;
    for (const Bytes& bytes : all) {
        tryOne(bytes);
        for (int round = 0; round < 200; ++round) tryOne(damaged(bytes, all));
    }
    if (const char* seconds = std::getenv("STAGECRAFT_FUZZ_SECONDS")) campaign(all, std::chrono::seconds(std::atoi(seconds)));
    std::printf("%zu files replayed\n", all.size());
    return 0;
}
