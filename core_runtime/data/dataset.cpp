// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/dataset.h"

#include "base/units.h"
#include "data/demo_corpus.h"
#include "data/npy.h"
#include "workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBuiltin = "builtin:";

Error unusable(const std::string& source, const std::string& why, ErrorCode code = ErrorCode::InvalidInput)
{
    return Error{code, fmt::format("Cannot train on \"{}\": {}.", source, why), {{"path", source}, {"pointer", "/data/source"}}};
}

/// Text has no zero bytes; every format that is not text has one soon.
bool looksLikeText(std::span<const std::byte> bytes)
{
    constexpr std::size_t kLooked = 64 * 1024;
    return bytes.empty() || std::memchr(bytes.data(), 0, std::min(bytes.size(), kLooked)) == nullptr;
}

/// The record of a run: it grows while a training reads the folder, and is nobody's text to train on.
bool isRunFolder(const fs::path& folder)
{
    const auto file = MappedFile::open(folder / "run.json");
    if (!file.hasValue()) return false;
    const std::span<const std::byte> bytes = file.value().bytes();
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find("\"stagecraftRun\"") != std::string_view::npos;
}

/// Files below `folder`, hidden ones left out, in an order that every machine agrees on. Links are followed; a folder that links
/// lead to several times is read once. A folder that may not be read is an error: less text than meant would be trained on.
Result<std::vector<fs::path>> filesBelow(const fs::path& folder, std::vector<Dataset::Skipped>& skipped)
{
    std::vector<fs::path> files;
    std::vector<fs::path> folders{folder};
    std::set<fs::path> seen;
    while (!folders.empty()) {
        const fs::path here = folders.back();
        folders.pop_back();
        std::error_code code, ignored;
        if (!seen.insert(fs::canonical(here, ignored)).second) continue;
        if (here != folder && isRunFolder(here)) {
            skipped.push_back({here.string(), "it is the folder of a run"});
            continue;
        }
        std::vector<fs::path> below;
        for (fs::directory_iterator it(here, code); !code && it != fs::directory_iterator(); it.increment(code)) {
            if (it->path().filename().string().starts_with('.')) continue;
            if (it->is_directory(ignored)) below.push_back(it->path());
            else if (it->is_regular_file(ignored)) files.push_back(it->path());
        }
        if (code) return Error{ErrorCode::Io, fmt::format("Cannot read the folder \"{}\": {}.", here.string(), code.message()), {{"path", here.string()}}};
        std::sort(below.rbegin(), below.rend());  // by name, whatever the file system lists first
        folders.insert(folders.end(), below.begin(), below.end());
    }
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) { return a.generic_string() < b.generic_string(); });
    return files;
}

}  // namespace

DataRequest dataRequestOf(const Workspace& workspace)
{
    return {workspace.folder, workspace.data.source, workspace.data.tokenizer, workspace.model.spec->seq, workspace.model.spec->vocab,
            workspace.data.sequential, workspace.data.seed, workspace.data.validationFraction};
}

void Dataset::append(TokenArray tokens, std::string name)
{
    if (tokens.size() == 0) return;
    m_segments.push_back({m_tokens, tokens, std::move(name)});
    m_tokens += tokens.size();
}

Result<void> Dataset::openBuiltin(const std::string& name)
{
    if (name != "demo") return unusable(std::string(kBuiltin) + name, "there is only \"builtin:demo\"", ErrorCode::NotFound);
    for (const std::string_view text : demoCorpus()) append(TokenArray(std::as_bytes(std::span(text)), TokenType::U8), "builtin:demo");
    return {};
}

Result<void> Dataset::openTextFolder(const fs::path& folder)
{
    const auto files = filesBelow(folder, m_skipped);
    if (!files.hasValue()) return files.error();
    for (const fs::path& path : files.value()) {
        auto file = MappedFile::open(path);
        if (!file.hasValue()) return file.error();
        if (!looksLikeText(file.value().bytes())) {
            m_skipped.push_back({path.string(), "it holds no text"});
            continue;
        }
        append(TokenArray(file.value().bytes(), TokenType::U8), path.string());
        m_files.push_back(std::move(file).value());
    }
    if (m_tokens == 0) return unusable(folder.string(), m_skipped.empty() ? "the folder has no text files; put some in" : "none of its files is text; put some in");
    return {};
}

Result<void> Dataset::openFile(const fs::path& path)
{
    auto opened = MappedFile::open(path);
    if (!opened.hasValue()) return opened.error();
    const std::span<const std::byte> bytes = opened.value().bytes();
    const std::string name = path.string();
    if (bytes.empty()) return unusable(name, "the file is empty; give one with text or tokens");
    const std::string ending = path.extension().string();
    TokenType type = TokenType::U8;
    std::span<const std::byte> content = bytes;
    if (ending == ".idx" || (ending == ".bin" && fs::exists(fs::path(path).replace_extension(".idx")))) {
        return unusable(name, "it is one of a Megatron .idx and .bin pair, which cannot be read; give the text or .npy tokens", ErrorCode::Refused);
    }
    if (ending == ".npy") {
        const auto header = readNpyHeader(bytes);
        if (!header.hasValue()) return unusable(name, header.error().message);
        type = header.value().type;
        content = bytes.subspan(header.value().dataOffset);
    } else if (ending == ".bin" || ending == ".u16" || ending == ".u32") {
        type = ending == ".u32" ? TokenType::U32 : TokenType::U16;
        if (bytes.size() % tokenBytes(type) != 0) {
            return unusable(name, fmt::format("its {} bytes are no whole number of {}-byte tokens; the file is cut off or of another kind", bytes.size(), tokenBytes(type)));
        }
    } else if (!looksLikeText(bytes)) {
        return unusable(name, "it holds zero bytes, so it is no text; tokens are read from .bin, .u16, .u32 and .npy");
    }
    append(TokenArray(content, type), name);
    m_files.push_back(std::move(opened).value());
    return {};
}

Result<Dataset> Dataset::open(const DataRequest& request, bool checkTokens)
{
    Dataset data;
    data.m_seq = request.seq;
    const bool builtin = request.source.starts_with(kBuiltin);
    const fs::path path = request.folder / request.source;
    std::error_code ignored;
    Result<void> opened = builtin ? data.openBuiltin(request.source.substr(kBuiltin.size()))
        : fs::is_directory(path, ignored) ? data.openTextFolder(path)
                                          : data.openFile(path);
    if (!opened.hasValue()) {
        Error error = opened.error();
        error.context["pointer"] = "/data/source";
        return error;
    }
    const std::string name = builtin ? request.source : path.string();
    const std::string ending = path.extension().string();
    const bool hasTokens = !builtin && (ending == ".bin" || ending == ".u16" || ending == ".u32" || ending == ".npy");
    if (!hasTokens && request.tokenizer != "bytes") {
        return Error{ErrorCode::Refused, fmt::format("Cannot tokenize \"{}\" with \"{}\": text is read as bytes here; use \"tokenizer\": \"bytes\" or a file of tokens.", name, request.tokenizer),
                     {{"pointer", "/data/tokenizer"}}};
    }
    const std::int64_t windows = (data.m_tokens - 1) / request.seq;
    if (windows < 1) {
        return unusable(name, fmt::format("it has {} tokens and one sequence needs {} (seq + 1); give more data or a smaller model.seq", formatCount(data.m_tokens), formatCount(request.seq + 1)));
    }
    if (request.validationFraction > 0) {
        data.m_validation = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(static_cast<double>(windows) * request.validationFraction)));
        if (data.m_validation >= windows) {
            return unusable(name, fmt::format("with a validationFraction of {} none of its {} sequences is left for training; give more data or a smaller fraction",
                                              request.validationFraction, windows));
        }
    }
    data.m_sampler = {windows - data.m_validation, request.sequential, request.seed};
    if (checkTokens) {
        for (const Segment& segment : data.m_segments) {
            const auto outside = segment.tokens.firstOutside(request.vocab);
            if (!outside) continue;
            std::int64_t token = 0;
            segment.tokens.copy(*outside, 1, &token);
            if (token < 0) return unusable(segment.name, fmt::format("token {} at position {} is negative or too large; the file holds something else", token, *outside));
            std::int64_t largest = token;
            for (const Segment& each : data.m_segments) largest = std::max(largest, each.tokens.largest());
            return unusable(segment.name, fmt::format("token {} at position {} is outside the model's vocabulary of {}; use a \"model.vocab\" of at least {}", token, *outside,
                                                      request.vocab, largest + 1));
        }
    }
    return data;
}

Result<void> Dataset::checkRanks(int world) const
{
    if (world <= m_sampler.windows) return {};
    return Error{ErrorCode::InvalidInput, fmt::format("Cannot train on {} ranks: the data has {} training sequences, so some ranks would only repeat others; use fewer ranks or more data.", world, m_sampler.windows),
                 {{"pointer", "/layout/dp"}}};
}

void Dataset::copyTokens(std::int64_t begin, std::int64_t count, std::int64_t* out) const
{
    auto segment = std::upper_bound(m_segments.begin(), m_segments.end(), begin, [](std::int64_t at, const Segment& s) { return at < s.begin; }) - 1;
    for (; count > 0; ++segment) {
        const std::int64_t from = begin - segment->begin;
        const std::int64_t length = std::min(count, segment->tokens.size() - from);
        segment->tokens.copy(from, length, out);
        begin += length;
        count -= length;
        out += length;
    }
}

void Dataset::fillWindow(std::int64_t window, std::int64_t* inputs, std::int64_t* labels) const
{
    copyTokens(window * m_seq, m_seq, inputs);
    copyTokens(window * m_seq + 1, m_seq, labels);
}

void Dataset::fillBatch(std::int64_t step, std::int64_t microStep, int rank, const BatchShape& shape, std::int64_t* inputs, std::int64_t* labels) const
{
    for (std::int64_t item = 0; item < shape.micro; ++item) {
        fillWindow(m_sampler.windowOf(shape.sampleOf(step, microStep, rank, item)), inputs + item * m_seq, labels + item * m_seq);
    }
}

std::int64_t Dataset::validationBatches(int world, std::int64_t micro) const
{
    const std::int64_t perBatch = world * micro;
    return (m_validation + perBatch - 1) / perBatch;
}

std::int64_t Dataset::fillValidation(std::int64_t batch, int rank, int world, std::int64_t micro, std::int64_t* inputs, std::int64_t* labels) const
{
    if (m_validation == 0) return 0;
    std::int64_t counted = 0;
    for (std::int64_t item = 0; item < micro; ++item) {
        const std::int64_t sample = (batch * world + rank) * micro + item;
        if (sample < m_validation) ++counted;
        fillWindow(m_sampler.windows + std::min(sample, m_validation - 1), inputs + item * m_seq, labels + item * m_seq);
    }
    return counted;
}

}  // namespace stagecraft
