// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint/safetensors.h"

#include <QtTest>

#include <QDir>
#include <QTemporaryDir>

#include <cstring>
#include <random>

using namespace stagecraft;
namespace fs = std::filesystem;

namespace {

QByteArray fileOf(const QByteArray& header, const QByteArray& data)
{
    QByteArray file(8, '\0');
    const auto length = static_cast<std::uint64_t>(header.size());
    std::memcpy(file.data(), &length, sizeof length);
    return file + header + data;
}

std::span<const std::byte> bytesOf(const QByteArray& file)
{
    return std::as_bytes(std::span(file.constData(), static_cast<std::size_t>(file.size())));
}

void write(const fs::path& file, const QByteArray& content)
{
    QFile out(QString::fromStdString(file.string()));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(content);
}

ModelSpec tiny()
{
    ModelSpec spec;
    spec.family = Family::Llama;
    spec.hidden = 4;
    spec.layers = spec.heads = spec.kvHeads = 1;
    spec.headSize = 4;
    spec.ffn = 6;
    spec.vocab = 5;
    spec.seq = 4;
    return spec;
}

}  // namespace

class TstSafetensors : public QObject {
    Q_OBJECT
private slots:
    void writesWhatItReads()
    {
        const QTemporaryDir temporary;
        const fs::path path = fs::path(temporary.path().toStdString()) / "m.safetensors";
        const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
        const std::vector<std::uint16_t> halves{0x3f80, 0x4000};
        std::vector<TensorView> tensors{{"b.weight", ElementType::F32, {2, 3}, std::as_bytes(std::span(numbers))},
                                        {"a \"quoted\"", ElementType::BF16, {2}, std::as_bytes(std::span(halves))},
                                        {"none", ElementType::F32, {0, 7}, {}},
                                        {"scalar", ElementType::F32, {}, std::as_bytes(std::span(numbers)).first(4)}};
        QVERIFY(writeSafetensors(path, tensors).hasValue());
        const auto read = WeightFiles::open(path);
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(read.value().tensors().size(), std::size_t{4});
        for (const TensorView& tensor : tensors) {
            const TensorView* found = read.value().find(tensor.name);
            QVERIFY(found != nullptr);
            QCOMPARE(found->shape, tensor.shape);
            QVERIFY(std::equal(found->bytes.begin(), found->bytes.end(), tensor.bytes.begin(), tensor.bytes.end()));
        }
        std::vector<float> part(3);
        QVERIFY(read.value().read("b.weight", 2, part).hasValue());
        QCOMPARE(part, (std::vector<float>{3, 4, 5}));
        QVERIFY(!read.value().read("b.weight", 4, part).hasValue());
        QVERIFY(!read.value().read("b.weight", -1, part).hasValue());
        QCOMPARE(read.value().read("c", 0, part).error().code, ErrorCode::NotFound);
        QCOMPARE(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator{}), 1);

        tensors[0].shape = {7};
        QCOMPARE(writeSafetensors(path, tensors).error().code, ErrorCode::InvalidArgument);
        QVERIFY(WeightFiles::open(path).hasValue());
    }

    void findsNamesWithAndWithoutPrefix()
    {
        const QTemporaryDir temporary;
        const fs::path path = fs::path(temporary.path().toStdString()) / "m.safetensors";
        const std::vector<float> numbers(200, 0.5F);
        for (const bool prefixed : {true, false}) {
            std::vector<TensorView> tensors;
            for (const UnitInfo& unit : unitsOf(tiny())) {
                for (const ParameterInfo& parameter : unit.parameters) {
                    const std::string name = !prefixed && parameter.name.starts_with("model.") ? parameter.name.substr(6) : parameter.name;
                    tensors.push_back({name, ElementType::F32, parameter.shape, std::as_bytes(std::span(numbers)).first(static_cast<std::size_t>(parameter.count) * 4)});
                }
            }
            QVERIFY(writeSafetensors(path, tensors).hasValue());
            const auto weights = WeightFiles::open(path);
            const auto checked = weights.value().check(unitsOf(tiny()));
            QVERIFY2(checked.hasValue(), checked.hasValue() ? "" : checked.error().message.c_str());
            ModelSpec other = tiny();
            other.layers = 2;
            QVERIFY(QString::fromStdString(weights.value().check(unitsOf(other)).error().message).contains("model.layers.1.input_layernorm.weight"));
            other = tiny();
            other.ffn = 7;
            QVERIFY(QString::fromStdString(weights.value().check(unitsOf(other)).error().message).contains("[6, 4] where the model needs [7, 4]"));
        }
    }

    /// A model with fewer layers or without its biases is another one than the file's: what is left over is named.
    void tellsWhatTheModelHasNoPlaceFor()
    {
        const QTemporaryDir temporary;
        const fs::path path = fs::path(temporary.path().toStdString()) / "m.safetensors";
        ModelSpec larger = tiny();
        larger.layers = 2;
        larger.attentionBias = true;
        const std::vector<float> numbers(100, 0.5f), others(100, 0.25f);
        std::vector<TensorView> tensors;
        for (const UnitInfo& unit : unitsOf(larger))
            for (const ParameterInfo& parameter : unit.parameters)
                tensors.push_back({parameter.name, ElementType::F32, parameter.shape, std::as_bytes(std::span(parameter.name == "lm_head.weight" ? others : numbers)).first(static_cast<std::size_t>(parameter.count) * 4)});
        tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", ElementType::F32, {2}, std::as_bytes(std::span(numbers)).first(8)});
        QVERIFY(writeSafetensors(path, tensors).hasValue());
        const WeightFiles weights = WeightFiles::open(path).value();
        QCOMPARE(weights.unused(unitsOf(larger)), std::vector<std::string>{});
        ModelSpec spec = tiny();
        spec.attentionBias = true;
        QCOMPARE(weights.unused(unitsOf(spec)).size(), std::size_t{13});  // the second layer
        spec.layers = 2;
        spec.attentionBias = false;
        QCOMPARE(weights.unused(unitsOf(spec)).size(), std::size_t{8});
        larger.tieEmbeddings = true;
        QCOMPARE(weights.unused(unitsOf(larger)), std::vector<std::string>{"lm_head.weight"});
        // A head that only repeats the embedding is no other model.
        for (TensorView& tensor : tensors)
            if (tensor.name == "lm_head.weight") tensor.bytes = std::as_bytes(std::span(numbers)).first(tensor.bytes.size());
        QVERIFY(writeSafetensors(path, tensors).hasValue());
        QCOMPARE(WeightFiles::open(path).value().unused(unitsOf(larger)), std::vector<std::string>{});
    }

    void readsSeveralFilesBehindAnIndex()
    {
        const QTemporaryDir temporary;
        const fs::path folder = temporary.path().toStdString();
        const std::vector<float> numbers{1, 2};
        QVERIFY(writeSafetensors(folder / "m-1.safetensors", {{"a", ElementType::F32, {2}, std::as_bytes(std::span(numbers))}}).hasValue());
        QVERIFY(writeSafetensors(folder / "m-2.safetensors", {{"b", ElementType::F32, {2}, std::as_bytes(std::span(numbers))}}).hasValue());
        write(folder / "m.index.json", "{\"metadata\": {}, \"weight_map\": {\"a\": \"m-1.safetensors\", \"b\": \"m-2.safetensors\"}}");
        const auto read = WeightFiles::open(folder / "m.index.json");
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QVERIFY(read.value().find("a") != nullptr && read.value().find("b") != nullptr);
        for (const char* index : {"{}", "[]", "{\"weight_map\": {\"a\": \"../m-1.safetensors\"}}", "{\"weight_map\": {\"a\": 1}}", "{\"weight_map\": {\"a\": \"gone.safetensors\"}}", "{"}) {
            write(folder / "m.index.json", index);
            QVERIFY2(!WeightFiles::open(folder / "m.index.json").hasValue(), index);
        }
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("file");
        const auto row = [](const char* name, const char* header, int bytes) { QTest::newRow(name) << fileOf(header, QByteArray(bytes, '\1')); };
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("seven bytes") << QByteArray(7, '\0');
        QTest::newRow("a header of 2^63 bytes") << QByteArray(8, '\x7f') + "{}";
        QTest::newRow("a header longer than the file") << QByteArray("\x40\0\0\0\0\0\0\0{}", 10);
        QTest::newRow("a deep header") << fileOf(QByteArray(100'000, '['), "");
        row("no JSON", "{", 0);
        row("a list", "[]", 0);
        row("an entry without offsets", R"({"a": {"dtype": "F32", "shape": [1]}})", 4);
        row("an unknown type", R"({"a": {"dtype": "F31", "shape": [1], "data_offsets": [0, 4]}})", 4);
        row("a type that is a number", R"({"a": {"dtype": 3, "shape": [1], "data_offsets": [0, 4]}})", 4);
        row("offsets behind the end", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})", 4);
        row("offsets in reverse", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}})", 4);
        row("offsets of 2^64 - 1", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 18446744073709551615]}})", 4);
        row("negative offsets", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}})", 4);
        row("a shape that does not fit", R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})", 4);
        row("a shape whose product overflows to what fits",
            R"({"a": {"dtype": "F32", "shape": [4294967296, 4294967296, 4294967296, 1], "data_offsets": [0, 0]}})", 0);
        row("a fraction of an element", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 5]}})", 5);
        row("overlap", R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})", 12);
        row("a gap", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "b": {"dtype": "F32", "shape": [1], "data_offsets": [8, 12]}})", 12);
        row("bytes behind the last tensor", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})", 8);
        row("a name twice", R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}, "a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})", 8);
        row("a hundred dimensions", "{\"a\": {\"dtype\": \"U8\", \"shape\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], \"data_offsets\": [0, 1]}}", 1);
    }
    void refuses()
    {
        QFETCH(QByteArray, file);
        const auto read = parseSafetensors(bytesOf(file));
        QVERIFY(!read.hasValue());
        QCOMPARE(read.error().code, ErrorCode::InvalidInput);
        QVERIFY(read.error().message.size() < 400);
    }

    void survivesDamage()
    {
        const QByteArray good = fileOf(R"({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "b": {"dtype": "BF16", "shape": [2], "data_offsets": [24, 28]}})", QByteArray(28, '\1'));
        QVERIFY(parseSafetensors(bytesOf(good)).hasValue());
        std::mt19937 random(5);
        for (int round = 0; round < 20'000; ++round) {
            QByteArray file = good;
            for (unsigned n = 1 + random() % 3; n > 0; --n) file[static_cast<qsizetype>(random() % 130)] = static_cast<char>("0123456789,:[]{}\" -e\xff"[random() % 21]);
            if (random() % 4 == 0) file.truncate(static_cast<qsizetype>(random() % static_cast<unsigned>(file.size())));
            const auto read = parseSafetensors(bytesOf(file));
            if (!read.hasValue()) continue;
            for (const TensorView& tensor : read.value()) {
                QVERIFY(tensor.bytes.empty() || (tensor.bytes.data() >= bytesOf(file).data() && &tensor.bytes.back() <= &bytesOf(file).back()));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TstSafetensors)
#include "tst_safetensors.moc"
