package import DataModel

extension SourceDocument {
    /// The bytes of a name at a place of an element that refers to a part of the model; nil if they are not there.
    package func range(of place: ModelReference.Place, in element: Element) -> Range<Int>? {
        switch place {
        case .attribute(let name):
            return attribute(name, of: element).flatMap { $0.valueRange.isEmpty ? nil : $0.valueRange }
        case .text(let name, let range): return attribute(name, of: element).flatMap { self.range(range, of: $0) }
        case .keyPath(let name, let range):
            guard let found = attribute(name, of: element).flatMap({ self.range(range, of: $0) }) else { return nil }
            // The mark of a keyword that is used as a name.
            let isMarked = !found.isEmpty && bytes[found.lowerBound] == UInt8(ascii: "#")
            return isMarked ? found.lowerBound + 1..<found.upperBound : found
        case .value(let value, let range):
            return attribute(withValue: value, of: element).flatMap { self.range(range, of: $0) }
        }
    }

    /// The attribute of an element, or of one of its children, that has a value.
    func attribute(withValue value: String, of element: Element) -> Attribute? {
        let candidates = element.attributes + element.children.flatMap { elements[$0].attributes }
        // These have words of the format, which a property may have for its name.
        return candidates.first { self.value(of: $0) == value && !["type", "order"].contains(text($0.nameRange)) }
    }

    /// The bytes of a part of an attribute's value, given in UTF-8 offsets of the unescaped value; nil if one of its
    /// ends is within a reference.
    func range(_ part: Range<Int>, of attribute: Attribute) -> Range<Int>? {
        guard let start = offset(inValue: part.lowerBound, of: attribute),
            let end = offset(inValue: part.upperBound, of: attribute), start <= end
        else { return nil }
        return start..<end
    }

    private func offset(inValue wanted: Int, of attribute: Attribute) -> Int? {
        var position = attribute.valueRange.lowerBound
        var offset = 0
        while offset < wanted, position < attribute.valueRange.upperBound {
            if bytes[position] == UInt8(ascii: "&"),
                let end = bytes[position..<attribute.valueRange.upperBound].firstIndex(of: UInt8(ascii: ";"))
            {
                offset += XMLText.unescaped(text(position..<end + 1)).utf8.count
                position = end + 1
            } else {
                // A line end of two characters is read as one space.
                let isPair = bytes[position] == UInt8(ascii: "\r") && bytes[position + 1] == UInt8(ascii: "\n")
                position += isPair ? 2 : 1
                offset += 1
            }
        }
        return offset == wanted ? position : nil
    }
}
