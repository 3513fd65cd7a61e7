/// The colours and fonts of the picture.
enum SVGStyle {
    /// The number of colours of lines, so that parallel lines can be distinguished.
    static let tintCount = 6

    /// The style of differences between two versions; no difference is shown by colour alone.
    static let changes = """
        .added .frame,.changed .frame,.removed .frame{stroke-width:2}
        .added .frame{stroke:#1a7f37}
        .changed .frame{stroke:#9a6700}
        .removed .frame{stroke:#cf222e;stroke-dasharray:2 3}
        text.added,.added .name{fill:#1a7f37}
        text.changed{fill:#9a6700}
        text.removed,.removed text{fill:#cf222e;font-style:italic}
        .line.added path:not(.rim),.line.added circle{stroke:#1a7f37;stroke-width:2.5}
        .line.removed path:not(.rim),.line.removed circle{stroke:#cf222e;stroke-dasharray:2 3}
        @media (prefers-color-scheme:dark){
        .added .frame{stroke:#3fb950}
        .changed .frame{stroke:#d29922}
        .removed .frame{stroke:#f85149}
        text.added,.added .name{fill:#3fb950}
        text.changed{fill:#d29922}
        text.removed,.removed text{fill:#f85149}
        .line.added path:not(.rim),.line.added circle{stroke:#3fb950}
        .line.removed path:not(.rim),.line.removed circle{stroke:#f85149}
        }
        """

    /// Every colour is given twice, without variables, because some viewers do not support them.
    static let text = """
        text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px;fill:#1f2328}
        .title{font-size:16px;font-weight:600}
        .name{font-size:13px;font-weight:600}
        .abstract .name{font-style:italic}
        .kind,.remark{font-size:10px;text-anchor:end;fill:#68727d}
        .detail{fill:#3b5b84}
        .page{fill:#fff}
        .box{fill:#fff}
        .frame{fill:none;stroke:#9aa7b5}
        .abstract .frame{stroke-dasharray:5 3}
        .head{fill:#e3ebf4}
        .abstract .head{fill:#eef0f2}
        .composite .head{fill:#e9f2e2}
        .rule{stroke:#d5dbe1;fill:none}
        .line path,.line circle{fill:none;stroke:#57636f;stroke-width:1.3}
        .line .rim{stroke:#fff;stroke-width:5}
        .line .hollow{fill:#fff}
        .line .dot{fill:#57636f}
        .inherits path{stroke:#30363d}
        .uses path:not(.hollow){stroke-dasharray:4 3}
        .line:hover path:not(.rim){stroke-width:3}
        \(tints(light))
        @media (prefers-color-scheme:dark){
        text{fill:#e6edf3}
        .kind,.remark{fill:#8d96a0}
        .detail{fill:#9ec1ee}
        .page{fill:#0d1117}
        .box{fill:#151b23}
        .frame{stroke:#4d5763}
        .head{fill:#22303f}
        .abstract .head{fill:#262c33}
        .composite .head{fill:#22331f}
        .rule{stroke:#30363d}
        .line path,.line circle{stroke:#a0abb6}
        .line .rim{stroke:#0d1117}
        .line .hollow{fill:#0d1117}
        .line .dot{fill:#a0abb6}
        .inherits path{stroke:#d0d7de}
        \(tints(dark))
        }
        """

    private static let light = ["#3f6fa8", "#a8573f", "#3f8a63", "#8a4f9e", "#8a7420", "#2f8392"]
    private static let dark = ["#7fb0ea", "#ec9a80", "#79cfa1", "#cf97e3", "#d3bb5a", "#6fcbda"]

    private static func tints(_ colours: [String]) -> String {
        colours.enumerated().map { index, colour in
            ".tint\(index) path:not(.rim),.tint\(index) circle{stroke:\(colour)}.line.tint\(index) .dot{fill:\(colour)}"
        }.joined(separator: "\n")
    }
}
