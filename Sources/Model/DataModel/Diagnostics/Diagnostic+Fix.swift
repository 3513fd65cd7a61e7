extension Diagnostic {
    /// A correction of a finding, as changes of elements of the model's file.
    ///
    /// It is independent of how the file is written; `ModelFormat` turns it into edits of the file's bytes.
    public struct Fix: Sendable, Hashable {
        /// The effect of the fix, as an instruction without a full stop: `Make it optional`.
        public var title: String
        /// Whether it may be applied without a person's decision.
        ///
        /// A fix of an error is safe when only one thing can have been meant: nothing was ever built from the model as
        /// it is. A fix of a warning is safe when it also keeps the version hash and the schema hash.
        public var isSafe: Bool
        public var changes: [Change]

        /// Makes a fix that consists of changes.
        public init(_ title: String, isSafe: Bool = false, _ changes: [Change]) {
            self.title = title
            self.isSafe = isSafe
            self.changes = changes
        }
    }

    /// A change of one element.
    public struct Change: Sendable, Hashable {
        /// The action on the element.
        public enum Action: Sendable, Hashable {
            /// Gives an attribute of the element a value; it is added when the element does not have it.
            case setAttribute(String, to: String)
            /// Gives the attribute with a value another one, of the element or of one of its children.
            case replaceValue(String, with: String)
            /// Replaces a part of an attribute's value, in UTF-8 offsets.
            case replaceText(String, Range<Int>, with: String)
            /// Gives an attribute of the element another name, and leaves its value.
            case renameAttribute(String, to: String)
            /// Removes an attribute; nothing is done when the element does not have it.
            case removeAttribute(String)
            /// Gives the element another name.
            case rename(to: String)
            /// Removes the element and its contents.
            case remove
            /// Makes the element a child of another one.
            case move(to: SourceLocation)
            /// Adds a child with its own children, where Xcode would write it. The constraints of an entity are in one
            /// element, to which new ones are added.
            case addChild(NewElement)
            /// Gives an entry of the element's `userInfo` a value; the entry is added when there is none with the key.
            case setEntry(String, to: String)
        }

        /// The place of the element's `<`.
        public var element: SourceLocation
        public var action: Action

        /// Makes a change of the element at a place.
        public init(_ element: SourceLocation, _ action: Action) {
            self.element = element
            self.action = action
        }
    }

    /// An element that a fix adds.
    public struct NewElement: Sendable, Hashable {
        /// An attribute of the element.
        public struct Attribute: Sendable, Hashable {
            public var name: String
            /// The value before escaping; it is escaped when it is written.
            public var value: String

            /// Makes an attribute.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        public var name: String
        /// The attributes in the order in which they are written.
        public var attributes: [Attribute]
        /// The elements within it.
        public var children: [NewElement]

        /// Makes an element.
        public init(
            _ name: String, _ attributes: KeyValuePairs<String, String>, children: [NewElement] = []
        ) {
            self.init(name, attributes.map { Attribute(name: $0.key, value: $0.value) }, children: children)
        }

        /// Makes an element of attributes that were collected.
        public init(_ name: String, _ attributes: [Attribute], children: [NewElement] = []) {
            self.name = name
            self.attributes = attributes
            self.children = children
        }
    }
}

extension Diagnostic.Fix {
    /// A fix that gives an attribute of an element a value.
    package static func setting(
        _ name: String, to value: String, of element: SourceLocation, isSafe: Bool = false, _ title: String? = nil
    ) -> Diagnostic.Fix {
        Diagnostic.Fix(
            title ?? "Write \(name)=\"\(value)\"", isSafe: isSafe,
            [Diagnostic.Change(element, .setAttribute(name, to: value))])
    }

    /// A fix that gives an entry of an element's `userInfo` a value.
    package static func settingEntry(
        _ key: String, to value: String, of element: SourceLocation, _ title: String
    ) -> Diagnostic.Fix {
        Diagnostic.Fix(title, [Diagnostic.Change(element, .setEntry(key, to: value))])
    }

    /// A fix that removes an attribute of an element.
    package static func removing(
        _ name: String, of element: SourceLocation, isSafe: Bool = false, _ title: String? = nil
    ) -> Diagnostic.Fix {
        Diagnostic.Fix(
            title ?? "Remove '\(name)'", isSafe: isSafe, [Diagnostic.Change(element, .removeAttribute(name))])
    }

    /// A fix that removes an element and its contents.
    package static func removing(
        _ element: SourceLocation, isSafe: Bool = false, _ title: String
    ) -> Diagnostic.Fix {
        Diagnostic.Fix(title, isSafe: isSafe, [Diagnostic.Change(element, .remove)])
    }
}
