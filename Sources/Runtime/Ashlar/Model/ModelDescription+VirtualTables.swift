import StoreDescription

extension ModelDescription {
    /// The contents of an R-tree or a full-text index of the store, in addition to its triggers; generated code creates
    /// it.
    @_spi(Generated) public struct VirtualTable: Sendable, Hashable {
        /// The contents in parts.
        let contents: VirtualTableContents

        /// The name in the store.
        public var name: String { contents.name }

        /// Whether it is a full-text index, according to its name.
        var isFullText: Bool { name.hasPrefix("fulltext$") }

        /// Creates a description, for generated code.
        ///
        /// - Parameters:
        ///   - name: The name in the store.
        ///   - columns: The columns that are written, the row's number first.
        ///   - rows: The query for the rows that belong in it, with the values of these columns.
        @_spi(Generated) public init(_ name: String, columns: [String], rows: String) {
            contents = VirtualTableContents(name: name, columnNames: columns, rows: rows)
        }
    }
}

extension ModelDescription.Version {
    /// Returns the R-tree or full-text index of the version with a name in the store.
    func virtualTable(named name: String) -> ModelDescription.VirtualTable? {
        virtualTables.first { $0.name == name }
    }
}
