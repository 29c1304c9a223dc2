// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "command_line.h"

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace stagecraft::test {

/// Buckets that no job wants, in a ds_config that is otherwise fine.
inline const QByteArray kTinyBuckets = R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4, "bf16": {"enabled": true},
 "optimizer": {"type": "AdamW"},
 "zero_optimization": {"stage": 2, "contiguous_gradients": true, "reduce_bucket_size": 1000}})";

/// A workspace of eight devices. @param more  members of it, after a comma
inline QByteArray workspace(const QByteArray& more = {})
{
    return R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"nodes": 1, "devicesPerNode": 8, "device": "H100-SXM-80GB"},
 "layout": {"dp": 8}, "dsConfig": {"train_micro_batch_size_per_gpu": 2})" + more + "}";
}

/// The built `stagecraft`, and what its answers say of a ds_config.
class CheckCommand : public CommandLine {
public:
    struct Answer {
        int code = -1;
        QString err;
        QJsonObject json;
        [[nodiscard]] QStringList rules() const
        {
            QStringList all;
            for (const auto& finding : json["findings"].toArray()) all << finding.toObject()["rule"].toString();
            return all;
        }
        [[nodiscard]] QJsonObject finding(const QString& rule) const
        {
            for (const auto& finding : json["findings"].toArray())
                if (finding.toObject()["rule"].toString() == rule) return finding.toObject();
            return {};
        }
    };

    Answer call(const QStringList& arguments) const
    {
        const test::Answer answer = CommandLine::call(arguments);
        return {answer.code, QString::fromUtf8(answer.err), answer.json()};
    }
};

}  // namespace stagecraft::test
