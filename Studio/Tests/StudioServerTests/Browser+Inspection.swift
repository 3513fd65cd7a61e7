import Foundation

/// The browser's own account of a page.
extension Browser {
    /// An element as assistive technology gets it.
    struct AccessibleElement: Sendable {
        var role: String
        var name: String
        var properties: [String: String]
    }

    /// The elements of the page's accessibility tree that are not ignored.
    var accessibleElements: [AccessibleElement] {
        get async throws {
            try await command("Accessibility.enable", [:])
            let nodes = try await command("Accessibility.getFullAXTree", [:])["nodes"] as? [[String: Any]] ?? []
            // Foundation on Linux describes a Boolean of JSON as 1 or 0.
            func text(_ value: Any?) -> String {
                guard let value = value as? [String: Any], let content = value["value"] else { return "" }
                let isBoolean = (value["type"] as? String)?.hasPrefix("boolean") == true
                return isBoolean ? "\(content as? Bool ?? false)" : "\(content)"
            }
            return nodes.filter { $0["ignored"] as? Bool != true }.map { node in
                let properties = node["properties"] as? [[String: Any]] ?? []
                return AccessibleElement(
                    role: text(node["role"]), name: text(node["name"]),
                    properties: Dictionary(
                        properties.map { ("\($0["name"] ?? "")", text($0["value"])) }, uniquingKeysWith: { $1 }))
            }
        }
    }

    /// The roles that a person acts on, or moves among.
    static let namedRoles: Set<String> = [
        "link", "button", "textbox", "searchbox", "combobox", "ComboBoxMenuSelect", "checkbox", "radio", "spinbutton",
        "listbox", "heading", "region", "navigation", "complementary", "form", "columnheader", "DisclosureTriangle",
        "Date", "DateTime", "image", "dialog", "option",
    ]

    /// The elements without a name that a screen reader would read out as nothing but their kind.
    var namelessElements: [AccessibleElement] {
        get async throws {
            try await accessibleElements.filter {
                // Only a form with a name is a landmark.
                Self.namedRoles.contains($0.role) && $0.role != "form"
                    && $0.name.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty
            }
        }
    }

    /// The texts with less contrast to their background than WCAG 2.2 asks for, and their ratios.
    var faintTexts: String {
        get async throws {
            try await value(
                """
                (() => {
                  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
                  const color = (text, below) => {
                    canvas.fillStyle = below; canvas.fillRect(0, 0, 1, 1);
                    canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
                    const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
                    return `rgb(${r},${g},${b})`;
                  };
                  const light = text => {
                    const parts = text.match(/\\d+/g).map(part => part / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                    return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
                  };
                  const base = matchMedia('(prefers-color-scheme:dark)').matches ? '#000' : '#fff';
                  const found = [];
                  for (const element of document.querySelectorAll('body *')) {
                    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
                    if (!own || !element.getClientRects().length || element.closest('svg') || element.matches(':disabled')) continue;
                    const chain = [];
                    for (let parent = element; parent; parent = parent.parentElement) chain.unshift(getComputedStyle(parent).backgroundColor);
                    const behind = chain.reduce((below, next) => color(next, below), base);
                    const text = color(getComputedStyle(element).color, behind);
                    const [high, low] = [light(text), light(behind)].sort((a, b) => b - a);
                    const ratio = (high + .05) / (low + .05);
                    if (ratio < 4.5) found.push(`${element.tagName}.${element.className} ${element.textContent.trim().slice(0, 20)}: ${ratio.toFixed(2)}`);
                  }
                  return found.join('; ');
                })()
                """)
        }
    }

    // MARK: The trace

    /// An event of the browser's trace.
    struct TraceEvent: Sendable {
        var name: String
        /// The type of a dispatched event, such as `pointerdown`.
        var type: String?
        var microseconds: Double
        var process: Int
    }

    /// The events of the trace until one of a type was dispatched.
    func trace(until type: String) async throws -> [TraceEvent] {
        var events: [TraceEvent] = []
        // The trace comes in parts.
        for _ in 0..<50 {
            let entries = try await send("POST", "/se/log", ["type": "performance"]) as? [[String: Any]] ?? []
            for entry in entries {
                guard let text = entry["message"] as? String,
                    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
                    let message = object["message"] as? [String: Any],
                    message["method"] as? String == "Tracing.dataCollected",
                    let event = message["params"] as? [String: Any], let name = event["name"] as? String,
                    let time = event["ts"] as? Double, let process = event["pid"] as? Int
                else { continue }
                let data = (event["args"] as? [String: Any])?["data"] as? [String: Any]
                events.append(
                    TraceEvent(name: name, type: data?["type"] as? String, microseconds: time, process: process))
            }
            if events.contains(where: { $0.type == type }) { return events }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Failure(description: "The trace never had \(type).")
    }
}

/// The frames that a browser drew while the mouse was down.
struct DrawnFrames: Sendable {
    var count: Int
    var seconds: Double
    /// The longest time between two frames.
    var longestGap: Double

    var perSecond: Double { Double(count) / seconds }

    /// Counts the frames between the last `pointerdown` and the `pointerup` after it; nil if a trace lacks these.
    init?(_ events: [Browser.TraceEvent]) {
        guard let start = events.last(where: { $0.type == "pointerdown" }),
            let end = events.last(where: { $0.type == "pointerup" }), end.microseconds > start.microseconds
        else { return nil }
        let times = Set(
            events.filter {
                $0.name == "DrawFrame" && $0.process == start.process
                    && (start.microseconds...end.microseconds).contains($0.microseconds)
            }.map(\.microseconds)
        ).sorted()
        count = times.count
        seconds = (end.microseconds - start.microseconds) / 1e6
        longestGap = (zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? 0) / 1e6
    }
}
