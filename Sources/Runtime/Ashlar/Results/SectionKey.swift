/// The name of a section, compared in the same way as by the order of the results.
///
/// Texts are compared by their bytes, as for groups. Swift treats some texts as equal, such as "é" as one scalar and as
/// two, which the store does not order next to each other. An order with a collation does.
enum SectionKey {
    case text(String)
    case value(AnyHashable)

    init(_ name: some Hashable, tellsBytesApart: Bool) {
        self = if tellsBytesApart, let text = name as? String { .text(text) } else { .value(AnyHashable(name)) }
    }

    /// The name.
    var base: Any {
        switch self {
        case .text(let text): text
        case .value(let value): value.base
        }
    }
}

extension SectionKey: Hashable {
    static func == (left: SectionKey, right: SectionKey) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.value(let left), .value(let right)): left == right
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text): hasher.combine(text)
        case .value(let value): hasher.combine(value)
        }
    }
}
