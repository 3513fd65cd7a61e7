extension ColumnOrder {
    /// Returns the order with a comparison of texts, such as the one that people expect in lists.
    ///
    ///     let authors = Author.order { $0.name.ascending.comparing(.localizedStandard) }
    ///
    /// - Parameter collation: The comparison of texts.
    public func comparing(_ collation: TextCollation) -> ColumnOrder {
        var order = self
        order.collation = collation
        return order
    }
}
