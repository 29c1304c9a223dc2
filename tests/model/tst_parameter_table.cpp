// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"

#include "base/atomic_file.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

using namespace stagecraft;
using nlohmann::json;

namespace {

std::vector<json> goldenRows()
{
    std::vector<json> rows;
    std::ifstream in(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString() + "/tests/data/parameter_counts.jsonl");
    for (std::string line; std::getline(in, line);) rows.push_back(json::parse(line));
    return rows;
}

void writeSafetensors(const std::filesystem::path& file, const json& header)
{
    const std::string text = header.dump();
    std::ofstream out(file, std::ios::binary);
    for (std::size_t i = 0; i < 8; ++i) out.put(static_cast<char>(text.size() >> (8 * i) & 0xff));
    out << text << "0123456789";
}

}  // namespace

class TstParameterTable : public QObject {
    Q_OBJECT
private slots:
    // Every family with every head, random sizes: tests/oracle/count_parameters.py.
    void agreesWithTransformersToTheUnit()
    {
        const auto rows = goldenRows();
        QVERIFY(rows.size() > 600);
        int wrong = 0;
        for (const json& row : rows) {
            json config = row["config"];
            config["architectures"] = json::array({row["architecture"]});
            const auto counts = countParameters(config);
            const std::int64_t got = counts.hasValue() ? counts->params : -1;
            if (got != row["params"].get<std::int64_t>()) {
                ++wrong;
                qWarning("%s: %lld, Transformers has %lld: %s %s", row["architecture"].get<std::string>().c_str(), static_cast<long long>(got),
                         static_cast<long long>(row["params"].get<std::int64_t>()), config.dump().c_str(),
                         counts.hasValue() ? "" : counts.error().message.c_str());
            }
        }
        QCOMPARE(wrong, 0);
    }

    void agreesWithReleasedModels_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<std::int64_t>("params");
        QTest::addColumn<std::int64_t>("active");
        const auto row = [](const char* name, const char* text, std::int64_t params, std::int64_t active) {
            QTest::newRow(name) << QString(text) << params << (active > 0 ? active : params);
        };
        row("gpt2", R"({"architectures":["GPT2LMHeadModel"]})", 124439808, 0);
        row("gpt2-xl", R"({"architectures":["GPT2LMHeadModel"],"n_embd":1600,"n_layer":48,"n_head":25})", 1557611200, 0);
        row("llama-7b", R"({"architectures":["LlamaForCausalLM"]})", 6738415616, 0);
        row("llama-2-70b", R"({"architectures":["LlamaForCausalLM"],"hidden_size":8192,"intermediate_size":28672,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8})", 68976648192, 0);
        row("llama-3.1-405b", R"({"architectures":["LlamaForCausalLM"],"hidden_size":16384,"intermediate_size":53248,"num_hidden_layers":126,"num_attention_heads":128,"num_key_value_heads":8,"vocab_size":128256})", 405853388800, 0);
        row("mixtral-8x7b", R"({"architectures":["MixtralForCausalLM"]})", 46702792704, 12879925248);
        row("gpt-neox-20b", R"({"architectures":["GPTNeoXForCausalLM"]})", 20554567680, 0);
        row("qwen2.5-7b", R"({"architectures":["Qwen2ForCausalLM"],"hidden_size":3584,"intermediate_size":18944,"num_hidden_layers":28,"num_attention_heads":28,"num_key_value_heads":4,"vocab_size":152064})", 7615616512, 0);
        row("deepseek-v3", R"({"architectures":["DeepseekV3ForCausalLM"]})", 671026404352, 37552282624);
        row("bert-base", R"({"architectures":["BertModel"]})", 109482240, 0);
        row("t5-base", R"({"architectures":["T5ForConditionalGeneration"],"d_model":768,"d_ff":3072,"num_layers":12,"num_heads":12})", 222903552, 0);
        row("no class named: the family's language model", R"({"model_type":"llama"})", 6738415616, 0);
    }
    void agreesWithReleasedModels()
    {
        QFETCH(QString, config);
        QFETCH(std::int64_t, params);
        QFETCH(std::int64_t, active);
        const auto counts = countParameters(json::parse(config.toStdString()));
        QVERIFY(counts.hasValue());
        QCOMPARE(counts->params, params);
        QCOMPARE(counts->trainable, params);
        QCOMPARE(counts->active, active);
        std::int64_t sum = 0;
        for (const ParameterRow& row : counts->rows) {
            std::int64_t count = row.copies;
            for (const std::int64_t extent : row.shape) count *= extent;
            sum += count;
        }
        QVERIFY(sum == counts->params);
    }

    void refusesWhatItDoesNotKnow_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const char* text, ErrorCode code) { QTest::newRow(name) << QString(text) << static_cast<int>(code); };
        row("another family", R"({"architectures":["MambaForCausalLM"]})", ErrorCode::NotFound);
        row("a family whose name starts with a known one", R"({"architectures":["Qwen3NextForCausalLM"]})", ErrorCode::NotFound);
        row("a class the family lacks", R"({"architectures":["LlamaForMaskedLM"]})", ErrorCode::NotFound);
        row("nothing said", R"({})", ErrorCode::NotFound);
        row("no object", R"([1])", ErrorCode::InvalidInput);
        row("zero heads", R"({"architectures":["LlamaForCausalLM"],"num_attention_heads":0})", ErrorCode::InvalidInput);
        row("negative layers", R"({"architectures":["GPT2LMHeadModel"],"n_layer":-1})", ErrorCode::InvalidInput);
        row("text for a size", R"({"architectures":["LlamaForCausalLM"],"hidden_size":"4096"})", ErrorCode::InvalidInput);
        row("more experts a token than there are", R"({"architectures":["MixtralForCausalLM"],"num_local_experts":8,"num_experts_per_tok":9})", ErrorCode::InvalidInput);
        row("half a head", R"({"architectures":["LlamaForCausalLM"],"hidden_size":4097})", ErrorCode::InvalidInput);
        row("key heads that do not divide", R"({"architectures":["LlamaForCausalLM"],"num_key_value_heads":5})", ErrorCode::InvalidInput);
        row("a product beyond 64 bits", R"({"architectures":["LlamaForCausalLM"],"hidden_size":1099511627776,"intermediate_size":1099511627776})", ErrorCode::InvalidInput);
        row("a number beyond 64 bits", R"({"architectures":["LlamaForCausalLM"],"vocab_size":18446744073709551615})", ErrorCode::InvalidInput);
    }
    void refusesWhatItDoesNotKnow()
    {
        QFETCH(QString, config);
        QFETCH(int, code);
        const auto counts = countParameters(json::parse(config.toStdString()));
        QVERIFY(!counts.hasValue());
        QCOMPARE(static_cast<int>(counts.error().code), code);
    }

    // Any value of any key replaced by something foreign: an answer or an error, never a crash or a negative count.
    void survivesBrokenValues()
    {
        const auto rows = goldenRows();
        const std::vector<json> foreign{nullptr, -1, 0, 1e300, "x", json::array({1, "y"}), json::object(), true, std::int64_t{1} << 40, std::uint64_t(-1)};
        std::mt19937 random(5);
        for (int i = 0; i < 4000; ++i) {
            const json& row = rows[random() % rows.size()];
            json config = row["config"];
            config["architectures"] = json::array({row["architecture"]});
            auto entry = config.begin();
            std::advance(entry, static_cast<std::ptrdiff_t>(random() % config.size()));
            *entry = foreign[random() % foreign.size()];
            const auto counts = countParameters(config);
            if (counts.hasValue()) QVERIFY(counts->params >= 0 && counts->active >= 0 && counts->active <= counts->params);
        }
    }

    void countsFromWeightFiles()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        QCOMPARE(countParametersFromSafetensors(path).error().code, ErrorCode::NotFound);
        QVERIFY(countParametersFromSafetensors(path).error().message.find("put the weights there") != std::string::npos);

        const json tensor = {{"dtype", "BF16"}, {"shape", {3, 5}}, {"data_offsets", {0, 30}}};
        writeSafetensors(path / "a.safetensors", {{"w", tensor}, {"rotary.inv_freq", tensor}, {"__metadata__", {{"format", "pt"}}}});
        writeSafetensors(path / "b.safetensors", {{"v", tensor}, {"scalar", {{"dtype", "F32"}, {"shape", json::array()}, {"data_offsets", {0, 4}}}}});
        const json index = {{"weight_map", {{"w", "a.safetensors"}, {"v", "b.safetensors"}, {"scalar", "b.safetensors"}}}};
        // The parts are there: what is missing is the file that names them.
        QCOMPARE(countParametersFromSafetensors(path).error().code, ErrorCode::NotFound);
        QVERIFY(countParametersFromSafetensors(path).error().message.find("model.safetensors.index.json") != std::string::npos);
        QVERIFY(writeFileAtomically(path / "model.safetensors.index.json", index.dump()).hasValue());
        QCOMPARE(countParametersFromSafetensors(path)->params, std::int64_t{31});

        QVERIFY(writeFileAtomically(path / "model.safetensors.index.json", R"({"weight_map":{"w":"../a.safetensors"}})").hasValue());
        QCOMPARE(countParametersFromSafetensors(path).error().code, ErrorCode::InvalidInput);
        writeSafetensors(path / "model.safetensors", {{"q", {{"dtype", "I32"}, {"shape", {8}}, {"data_offsets", {0, 32}}}}});
        QCOMPARE(countParametersFromSafetensors(path).error().code, ErrorCode::Refused);
        // Buffers are told by the last word of their name, a causal mask by its four dimensions.
        const json mask = {{"dtype", "F32"}, {"shape", {1, 1, 4, 4}}, {"data_offsets", {0, 64}}}, bias = {{"dtype", "F32"}, {"shape", {7}}, {"data_offsets", {0, 28}}};
        writeSafetensors(path / "model.safetensors", {{"masked_bias", tensor}, {"h.0.attn.masked_bias", tensor}, {"inv_freq", tensor}, {"h.0.attn.bias", mask}, {"h.0.attention.bias", mask}, {"h.0.mlp.bias", bias}});
        QCOMPARE(countParametersFromSafetensors(path)->params, std::int64_t{7});
        // A file without weights is no model of none.
        for (const json& nothing : {json::object(), json{{"__metadata__", {{"format", "pt"}}}}, json{{"masked_bias", tensor}}}) {
            writeSafetensors(path / "model.safetensors", nothing);
            const auto counts = countParametersFromSafetensors(path);
            QVERIFY(!counts.hasValue());
            QVERIFY2(counts.error().message.find("holds no weights") != std::string::npos, counts.error().message.c_str());
        }
        QVERIFY(writeFileAtomically(path / "model.safetensors", "\xff\xff\xff\xff\xff\xff\xff\xff{}").hasValue());
        QCOMPARE(countParametersFromSafetensors(path).error().code, ErrorCode::InvalidInput);
    }
};

QTEST_APPLESS_MAIN(TstParameterTable)
#include "tst_parameter_table.moc"
