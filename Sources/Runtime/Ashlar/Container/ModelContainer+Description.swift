extension ModelContainer {
    /// Opens a store by a model description, which needs no classes. Tests of older versions use it.
    ///
    /// - Throws: ``StoreError``.
    package convenience init(describedBy model: ModelDescription, configuration: ModelConfiguration) throws {
        self.init(try StoresOpener(model: model, configurations: [configuration]).open(), model)
    }
}
