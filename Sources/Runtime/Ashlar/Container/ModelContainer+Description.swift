extension ModelContainer {
    /// Opens a store of a model of which there need be no classes, as tests of older versions do.
    ///
    /// - Throws: ``StoreError``.
    package convenience init(describedBy model: ModelDescription, configuration: ModelConfiguration) throws {
        self.init(try StoresOpener(model: model, configurations: [configuration]).open(), model)
    }
}
