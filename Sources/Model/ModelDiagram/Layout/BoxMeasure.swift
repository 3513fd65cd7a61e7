/// The size of a box and the places of its rows, in pixels from its upper left corner.
struct BoxMeasure {
    static let headerHeight = 30
    static let rowHeight = 20
    static let padding = 10
    static let fontSize = 12
    static let titleSize = 13
    static let remarkSize = 10
    private static let gap = 14
    private static let longestLine = 240

    /// A row, with the lines that its detail takes.
    struct Row {
        var top: Int
        var details: [String]
        /// The beginning of details, which is the same for all rows of a part.
        var detailX: Int
        /// The middle of its first line.
        var middle: Int { top + BoxMeasure.rowHeight / 2 }
    }

    private(set) var rows: [Row] = []
    /// The places of the lines between the parts.
    private(set) var separators: [Int] = []
    private(set) var width: Int
    private(set) var height = BoxMeasure.headerHeight

    init(_ box: Diagram.Box) {
        width = 2 * Self.padding + TextWidth.of(box.name, size: Self.titleSize, isBold: true)
        if let stereotype = Self.stereotype(of: box) {
            width += Self.gap + TextWidth.of(stereotype, size: Self.remarkSize)
        }
        rows = box.rows.map { _ in Row(top: 0, details: [], detailX: 0) }
        for section in Diagram.Row.Section.allCases {
            let indexes = box.rows.indices.filter { box.rows[$0].section == section }
            if !indexes.isEmpty { place(indexes, of: box) }
        }
        width = max(width, 120)
    }

    /// Returns the text beside the name of a box that is not an ordinary entity.
    static func stereotype(of box: Diagram.Box) -> String? {
        switch box.kind {
        case .entity: nil
        case .abstractEntity: "abstract"
        case .composite: "composite"
        }
    }

    private mutating func place(_ indexes: [Int], of box: Diagram.Box) {
        if height > Self.headerHeight { separators.append(height) }
        height += 4
        let names = indexes.map { TextWidth.of(box.rows[$0].name, size: Self.fontSize) }
        let detailX = Self.padding + (names.max() ?? 0) + Self.gap
        var detailWidth = 0
        var remarkWidth = 0
        for index in indexes {
            let row = box.rows[index]
            let details = Self.lines(row.detail)
            rows[index] = Row(top: height, details: details, detailX: detailX)
            height += Self.rowHeight * details.count
            detailWidth = max(detailWidth, details.map { TextWidth.of($0, size: Self.fontSize) }.max() ?? 0)
            let remark = TextWidth.of(row.remarks.joined(separator: ", "), size: Self.remarkSize)
            remarkWidth = max(remarkWidth, remark == 0 ? 0 : remark + Self.gap)
        }
        height += 4
        width = max(width, detailX + detailWidth + remarkWidth + Self.padding)
    }

    /// A list broken after commas into lines that are not too long.
    private static func lines(_ detail: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for part in detail.split(separator: ", ", omittingEmptySubsequences: false) {
            if !line.isEmpty, TextWidth.of("\(line), \(part)", size: fontSize) > longestLine {
                lines.append(line + ",")
                line = String(part)
            } else {
                line += (line.isEmpty ? "" : ", ") + part
            }
        }
        return lines + [line]
    }
}
