import DataModel
import ModelFormat

/// An XML file that belongs to a model: its elements, and the text around them.
package struct ModelFile: Sendable, Hashable {
    /// Everything before the outermost element, as it is written.
    package var head: String
    package var root: ModelTree
    /// Everything after it.
    package var tail: String

    /// Makes a file.
    package init(head: String, root: ModelTree, tail: String = "") {
        self.head = head
        self.root = root
        self.tail = tail
    }

    /// Reads a file; nil if it is not well-formed XML in UTF-8. Findings then give the reasons.
    package init?(_ bytes: [UInt8], file: String, reportingTo diagnostics: inout Diagnostics) {
        guard let document = SourceDocument(bytes, file: file, reportingTo: &diagnostics),
            let outermost = document.elements.first
        else { return nil }
        head = document.text(0..<outermost.range.lowerBound)
        tail = document.text(outermost.range.upperBound..<bytes.count)
        root = Self.tree(outermost, document)
    }

    private static func tree(_ element: SourceDocument.Element, _ document: SourceDocument) -> ModelTree {
        var tree = ModelTree(document.name(of: element))
        tree.attributes = element.attributes.map {
            ModelTree.Attribute(document.text($0.nameRange), value(document.text($0.valueRange)))
        }
        guard let end = element.endTag?.lowerBound else { return tree }
        var position = element.startTag.upperBound
        for index in element.children {
            let child = document.elements[index]
            var subtree = self.tree(child, document)
            let (comments, text) = parts(of: document.text(position..<child.range.lowerBound))
            subtree.comments = comments
            tree.text += text
            tree.children.append(subtree)
            position = child.range.upperBound
        }
        let (comments, text) = parts(of: document.text(position..<end))
        tree.endComments = comments
        tree.text += text
        return tree
    }

    /// Returns the meaning of a value; unescaped line breaks represent spaces.
    private static func value(_ written: String) -> String {
        let spaces = String(
            decoding: written.utf8.map { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
        return XMLText.unescaped(spaces)
    }

    /// The comments and instructions of a text between tags, and its other text without surrounding space.
    private static func parts(of text: String) -> (comments: [String], text: String) {
        var comments: [String] = []
        var rest = ""
        var remaining = Substring(text)
        let marks = [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")]
        while let start = remaining.firstRange(of: "<")?.lowerBound {
            rest += remaining[..<start]
            let part = remaining[start...]
            guard let (opening, closing) = marks.first(where: { part.hasPrefix($0.0) }),
                let end = part.dropFirst(opening.count).firstRange(of: closing)?.upperBound
            else {
                remaining = part
                break
            }
            if opening == "<![CDATA[" {
                rest += part[..<end]
            } else {
                comments.append(String(part[..<end]))
            }
            remaining = part[end...]
        }
        rest += remaining
        return (comments, rest.allSatisfy(\.isWhitespace) ? "" : rest)
    }
}

// MARK: Writing

extension ModelFile {
    /// The file's text, with an element a line, as Xcode writes it.
    package var text: String {
        var lines: [String] = []
        Self.write(root, "", into: &lines)
        return head + lines.joined(separator: "\n") + tail
    }

    private static func write(_ tree: ModelTree, _ indentation: String, into lines: inout [String]) {
        lines += tree.comments.map { indentation + $0 }
        let attributes = tree.attributes.map { " \($0.name)=\"\(XMLText.escaped($0.value))\"" }.joined()
        let start = "\(indentation)<\(tree.name)\(attributes)"
        if tree.children.isEmpty, tree.endComments.isEmpty {
            lines.append(start + (tree.text.isEmpty ? "/>" : ">\(tree.text)</\(tree.name)>"))
            return
        }
        lines.append("\(start)>\(tree.text)")
        for child in tree.children { write(child, indentation + "    ", into: &lines) }
        lines += tree.endComments.map { "\(indentation)    \($0)" }
        lines.append("\(indentation)</\(tree.name)>")
    }
}
