// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config_cells.h"

namespace stagecraft {

/// A resolved value in one column where there is no room for four: the key over what the file says, what DeepSpeed makes of it, and why.
class ResolvedRowDelegate : public InsetDelegate {
public:
    using InsetDelegate::InsetDelegate;
    static constexpr int kHeight = 42;   ///< px

    void setTwoLines(bool on) { m_twoLines = on; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    bool m_twoLines = false;
};

}  // namespace stagecraft
