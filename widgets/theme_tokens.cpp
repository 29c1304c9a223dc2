// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include <QFontDatabase>
#include <QFontInfo>
#include <QHash>

#include <array>
#include <cmath>
#include <cstddef>

namespace stagecraft::theme {

namespace {

struct Pair {
    Token token;
    QRgb dark;
    QRgb light;
};

constexpr std::array kTable{
    Pair{Token::Window, 0x2a2c30, 0xeceef0},         Pair{Token::Base, 0x1d1f22, 0xffffff},
    Pair{Token::Alternate, 0x232529, 0xf5f6f7},      Pair{Token::Head, 0x303338, 0xe4e6e9},
    Pair{Token::Button, 0x383b41, 0xf9fafb},         Pair{Token::Line, 0x43464d, 0xc9cdd3},
    Pair{Token::InputBorder, 0x7b818b, 0x7f858e},    Pair{Token::Text, 0xe6e8eb, 0x1d2024},
    Pair{Token::Text2, 0xadb3bc, 0x525963},          Pair{Token::Disabled, 0x868c95, 0x6b727a},
    Pair{Token::Accent, 0x6cb0f5, 0x1660b4},         Pair{Token::Fill, 0x2f6fb8, 0x1f66b5},
    Pair{Token::OnFill, 0xffffff, 0xffffff},         Pair{Token::Selection, 0x253c58, 0xd3e5f8},
    Pair{Token::Tip, 0x393c42, 0xfdfdfd},            Pair{Token::Grid, 0x33363b, 0xe3e6e9},
    Pair{Token::Ok, 0x5fc47f, 0x17743a},             Pair{Token::OkTint, 0x20352a, 0xe2f3e8},
    Pair{Token::Warn, 0xe3ac44, 0x8a5700},           Pair{Token::WarnFill, 0xe3ac44, 0xc58000},
    Pair{Token::WarnTint, 0x3b311c, 0xfcf1d8},       Pair{Token::Error, 0xf78f88, 0xb92a25},
    Pair{Token::ErrorTint, 0x442a2a, 0xfce6e4},      Pair{Token::Info, 0x6cb0f5, 0x1660b4},
    Pair{Token::InfoTint, 0x223448, 0xe3eefb},       Pair{Token::Data, 0xc6c9f2, 0x5a3f9c},
    Pair{Token::Forward, 0x2a86d6, 0x2f8fe6},        Pair{Token::Backward, 0x5fd9a6, 0x17826a},
    Pair{Token::WeightGradient, 0xa6ecd0, 0x86c4b2}, Pair{Token::Communication, 0xcc5430, 0xad3c0e},
    Pair{Token::Optimizer, 0xa2608a, 0xcf66a8},      Pair{Token::Idle, 0x50545b, 0xc3c8ce},
    Pair{Token::Offload, 0xf2c35c, 0xa88a17},        Pair{Token::Activations, 0xb39c1f, 0xa3842a},
    Pair{Token::Logits, 0xeedd7a, 0xd6c95e},         Pair{Token::Gathered, 0xe29a72, 0xd59a78},
    Pair{Token::Context, 0xdfe4ec, 0x4b4f56},        Pair{Token::Rounding, 0x9a9da2, 0xbac1ca},
    Pair{Token::IdleFill, 0xdfe4ec, 0xc3c9d0},       Pair{Token::IdleDrain, 0x9a9da2, 0x959ca6},
    Pair{Token::IdleDependency, 0x646a73, 0x5f6670}, Pair{Token::Series1, 0x6fbcf8, 0x1f88e0},
    Pair{Token::Series2, 0xe39a14, 0x914801},        Pair{Token::Series3, 0x2a9270, 0x137868},
    Pair{Token::Series4, 0xb074b4, 0x8a3f90},        Pair{Token::Series5, 0xcd5b2c, 0xd2583c},
    Pair{Token::Series6, 0xeed383, 0x9c8206},        Pair{Token::Series7, 0x8a7df0, 0x3a4cb8},
    Pair{Token::Series8, 0xbbc1c8, 0x3d4147},
};
static_assert(kTable.size() == static_cast<std::size_t>(Token::Count));

constexpr bool tableIsInOrder()
{
    for (std::size_t i = 0; i < kTable.size(); ++i)
        if (static_cast<std::size_t>(kTable[i].token) != i)
            return false;
    return true;
}
static_assert(tableIsInOrder(), "color() indexes the table by the token");

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c)
{
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

}  // namespace

QColor color(Token token, Scheme scheme)
{
    const Pair& pair = kTable.at(static_cast<std::size_t>(token));
    return QColor::fromRgb(scheme == Scheme::Dark ? pair.dark : pair.light);
}

QColor color(Token token)
{
    return color(token, Theme::instance() ? Theme::instance()->scheme() : Scheme::Light);
}

QColor seriesColor(int index)
{
    return color(static_cast<Token>(static_cast<int>(Token::Series1) + index % 8));
}

Qt::PenStyle seriesDash(int index)
{
    constexpr std::array kDashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    return kDashes.at(static_cast<std::size_t>(index / 8) % kDashes.size());
}

Token memoryToken(QStringView item)
{
    if (item.startsWith(u"gathered"))
        return Token::Gathered;
    if (item.startsWith(u"weights") || item.startsWith(u"param"))
        return Token::Forward;
    if (item.startsWith(u"grad"))
        return Token::Backward;
    if (item.startsWith(u"master") || item.startsWith(u"optimizer"))
        return Token::Optimizer;
    if (item.startsWith(u"bucket") || item.startsWith(u"comm"))
        return Token::Communication;
    if (item.startsWith(u"activation") || item.startsWith(u"recompute"))
        return Token::Activations;
    if (item.startsWith(u"logits") || item.startsWith(u"loss"))
        return Token::Logits;
    if (item.startsWith(u"offload") || item.startsWith(u"swap"))
        return Token::Offload;
    if (item.startsWith(u"data"))
        return Token::Data;
    if (item.startsWith(u"context") || item.startsWith(u"librar") || item.startsWith(u"process"))
        return Token::Context;
    return Token::Rounding;
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor textOn(const QColor& ground)
{
    const QColor dark = QColor::fromRgb(0x0b0d10);
    return contrast(ground, dark) >= contrast(ground, Qt::white) ? dark : QColor(Qt::white);
}

QPalette palette(Scheme scheme)
{
    const auto of = [scheme](Token token) { return color(token, scheme); };
    QPalette p;
    p.setColor(QPalette::Window, of(Token::Window));
    p.setColor(QPalette::WindowText, of(Token::Text));
    p.setColor(QPalette::Base, of(Token::Base));
    p.setColor(QPalette::AlternateBase, of(Token::Alternate));
    p.setColor(QPalette::Text, of(Token::Text));
    p.setColor(QPalette::PlaceholderText, of(Token::Text2));
    p.setColor(QPalette::Button, of(Token::Button));
    p.setColor(QPalette::ButtonText, of(Token::Text));
    p.setColor(QPalette::BrightText, of(Token::OnFill));
    p.setColor(QPalette::Midlight, of(Token::Head));
    p.setColor(QPalette::Mid, of(Token::Line));
    p.setColor(QPalette::Dark, of(Token::InputBorder));
    p.setColor(QPalette::Light, of(Token::Button));
    p.setColor(QPalette::Shadow, of(Token::Line));
    p.setColor(QPalette::Highlight, of(Token::Selection));
    p.setColor(QPalette::HighlightedText, of(Token::Text));
    p.setColor(QPalette::Link, of(Token::Accent));
    p.setColor(QPalette::LinkVisited, of(Token::Accent));
#if QT_VERSION >= QT_VERSION_CHECK(6, 6, 0)
    p.setColor(QPalette::Accent, of(Token::Accent));
#endif
    p.setColor(QPalette::ToolTipBase, of(Token::Tip));
    p.setColor(QPalette::ToolTipText, of(Token::Text));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText, QPalette::PlaceholderText})
        p.setColor(QPalette::Disabled, role, of(Token::Disabled));
    return p;
}

namespace {

/// The faces that draw Han characters as they are written in Chinese, in the order of how well they go with a UI. Left to
/// itself, a system whose own language is not Chinese takes the first face that has the character: often a Japanese one.
QStringList chineseFaces(bool fixed)
{
    static const QStringList plain{"Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN", "PingFang SC",
                                   "Microsoft YaHei UI", "Microsoft YaHei", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback"};
    static const QStringList even{"Noto Sans Mono CJK SC", "Source Han Mono SC", "WenQuanYi Micro Hei Mono", "WenQuanYi Zen Hei Mono"};
    static const auto present = [](const QStringList& wished) {
        const QStringList families = QFontDatabase::families(QFontDatabase::SimplifiedChinese);
        QStringList found;
        for (const QString& face : wished)
            if (families.contains(face))
                found << face;
        return found;
    };
    static const QStringList plainHere = present(plain);
    static const QStringList evenHere = present(even) + plainHere;
    return fixed ? evenHere : plainHere;
}

/// The face behind an alias ("Sans Serif"): of an alias before a face that is there, Qt takes the face for Latin too.
QString ownName(const QFont& font)
{
    static QHash<QString, QString> names;
    QString& name = names[font.family()];
    if (name.isEmpty())
        name = QFontInfo(font).family();
    return name;
}

}  // namespace

QFont font(Role role)
{
    const bool fixed = role == Role::Fixed || role == Role::FixedSmall;
    QFont f = QFontDatabase::systemFont(fixed ? QFontDatabase::FixedFont : QFontDatabase::GeneralFont);
    f.setFamilies(QStringList{ownName(f)} + chineseFaces(fixed));
    switch (role) {
    case Role::StartTitle: f.setPixelSize(20); break;
    case Role::Figure: f.setPixelSize(16); break;
    case Role::Title: f.setPixelSize(14); break;
    case Role::Small:
    case Role::SmallBold: f.setPixelSize(11); break;
    case Role::FixedSmall: f.setPixelSize(11); break;
    case Role::Tick: f.setPixelSize(10); break;
    case Role::Body:
    case Role::BodyBold:
    case Role::Fixed: f.setPixelSize(12); break;
    }
    f.setBold(role == Role::Title || role == Role::BodyBold || role == Role::SmallBold);
    return f;
}

}  // namespace stagecraft::theme
