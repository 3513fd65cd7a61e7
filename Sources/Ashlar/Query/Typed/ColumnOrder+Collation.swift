extension ColumnOrder {
    /// The order with texts compared as people expect of lists: `$0.name.ascending.comparing(.localizedStandard)`.
    public func comparing(_ collation: TextCollation) -> ColumnOrder {
        var order = self
        order.collation = collation
        return order
    }
}
